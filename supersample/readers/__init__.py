"""Files to Scores, Ratings and Predictions: one module per format.

Malformed input raises `InputError` with the file and the line (or row) that it names.
"""

from lazy_loader import attach_stub

from supersample.errors import checked_names

__getattr__, __dir__, __all__ = checked_names(__name__, *attach_stub(__name__, __file__))
