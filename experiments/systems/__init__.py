"""Which systems differ: level, rank intervals and power of `rank_systems`, beside a published rule."""
