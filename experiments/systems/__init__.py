"""Which systems differ: level, rank intervals and power, beside a published rule."""
