"""Scores: declaration, validation, masks, groups, ratings, system-level scores."""
