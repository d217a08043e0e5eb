"""Shared tasks: rank metrics by a weighted average of measures over sets, pairs and levels.

`definitions.py` reads the definition of a task from TOML (`definitions/` has existing tasks), and
its scores; `running.py` compares and averages.

Every measure is a function of sums over units, so swapping the scores of two metrics swaps parts of
these sums: after a swap with B, metric A has ``T_A - H_A + H_B``, where T are a metric's sums and H
its sums over the swapped units. One row of sums per draw serves a metric in all its pairs.

Units: the system at system level; the segment with all its translations for SPA and at segment
level. Tasks with the same unit, language pair and test set have the same draws. Systems and
segments are drawn independently, because published system-level scores, such as BLEU, need not be
means of segment scores and have no value after a swap of segments. But both levels use the same
translations and are correlated. So the null differences of the average are widened as if the levels
of a language pair were perfectly correlated (`running.py`), which makes the test conservative. With
a single unit, as in the tasks of WMT24, nothing is widened. A task file can ask for the units of
mt-metrics-eval's tests: translations ("scores") for Pearson's r, and pairs of translations
("pairs") for acc_eq, each swapped independently. These find two equally good metrics different too
often if the errors of a segment's translations are correlated (`experiments/wmt23/README.md`).
"""

from lazy_loader import attach_stub

from supersample.errors import checked_names

__getattr__, __dir__, __all__ = checked_names(__name__, *attach_stub(__name__, __file__))
