"""Files to Scores, Ratings and Predictions: one module a format.

Malformed input raises `InputError` with the file and the line (or row) that it names.
"""
