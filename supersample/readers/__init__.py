"""Files to Scores, Ratings and Predictions: one module a format.

Malformed input raises `InputError` with the file and the line (or row) that it names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
