"""Quality estimation: segment-level predictions evaluated by gold labels."""
