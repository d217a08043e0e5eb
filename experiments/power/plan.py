"""What the study measures; fixed before its results.

Every test has its level and its power measured at one true difference: `GAP` standard deviations
of the estimated difference, over samples of the population in which both metrics are equal. A test
that knew this deviation and a normal law would reject equality at 5 % in 80 % of samples, so 80 is
the yardstick of every row. Four rates:

- level: equality is rejected at 5 % where it is true, on average over the settings, and at most;
- power: at 5 %, at the true difference;
- power at equal level: the limit of p is set in each setting so that equality is rejected in just
  5 % of its samples.

Scopes (`study.py`):

- systems: settings of ``experiments/honest_inference`` with two equal metrics. Tests: Williams'
  and the library's of r; the library's jackknife of a soft accuracy, which has SPA's form with a
  fixed error. Metrics of equal r and of errors of one shape are equal in it too, so only such
  settings are taken. The second metric gets a lower r until its measure is `GAP` deviations lower.
- sets: settings of ``experiments/sets`` with two metrics that are equal on average, for new systems
  in the same sets; and with sets drawn, for new sets, where the rival is Student's t of the sets'
  differences.
- documents: populations of WMT23's documents, of ``experiments/best``, six metrics made equal in a
  measure; then three of them are `GAP` deviations lower (the mean of the nine pairs of an equal
  and a lower metric). Tests: the bootstrap of documents (r, SPA, acc_eq), swaps (SPA), and, because
  pairs' deviations differ, a test that knows each of them.

No test is chosen by the results; all are reported.
"""

from dataclasses import dataclass

ALPHA = 0.05
IDEAL = 0.8
GAP = 2.8016
"""Normal quantiles of .975 and of `IDEAL`, added."""
SET_COUNTS = (2, 4, 8, 16)


@dataclass(frozen=True)
class Plan:
    """Seeds and sizes.

    Parameters
    ----------
    seed : int
        Of settings and samples.
    settings, samples : int
        Settings of systems, and samples of each.
    each, set_samples : int
        Settings of sets of each number and overlap, and samples of each.
    populations, document_samples, swap_samples, fitted, replicates : int
        Populations of documents for each measure; samples of each for the bootstrap and for swaps;
        samples by which metrics are made equal; replicates of the bootstrap.
    """

    seed: int = 4801
    settings: int = 40
    samples: int = 1_000
    each: int = 2
    set_samples: int = 2_000
    populations: int = 4
    document_samples: int = 200
    swap_samples: int = 50
    fitted: int = 300
    replicates: int = 199


FULL = Plan()
SMOKE = Plan(
    settings=1, samples=20, each=1, set_samples=20, populations=1, document_samples=2,
    swap_samples=1, fitted=8, replicates=9,
)  # fmt: skip
