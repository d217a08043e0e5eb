from . import corpus as corpus
