"""Corpus metrics (BLEU, chrF, TER): additive statistics of texts beside segment-level scores."""
