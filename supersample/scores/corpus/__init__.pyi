from .metrics import Texts as Texts
from .metrics import BLEU as BLEU, ChrF as ChrF, TER as TER
from .metrics import add_corpus_metrics as add_corpus_metrics
