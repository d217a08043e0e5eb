"""Files to Scores, Ratings and Predictions: one module a format."""
