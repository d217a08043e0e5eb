"""Which metrics could be the best, which pairs differ, and how far each is behind."""
