"""Corpus metrics (BLEU, chrF, TER): additive statistics of texts beside segment-level scores."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
