"""What the study measures, and the rules by which it chooses; fixed before its results.

Over systems
------------
Settings (`settings.py`) are drawn: 3, 5, 10, 25 or 43 metrics; equally good, graded, nearly equal,
in families of near-copies, one odd metric among near-copies; 8 to 24 systems; shapes of quality and
errors as in ``experiments/honest_inference``. To them come real shapes: WMT15, WMT20 and WMT23,
smoothed, as they are and with all metrics made equally good. To judge by, also 25 graded metrics of
12 systems with each shape of quality, which are summed up apart.

1. Which metrics could be the best. A given best metric has to be left out in at most 5 % of samples
   on average over the settings and in at most 7 % in 95 % of them. Where several metrics are
   equally good, each is a given best; a setting counts with the role (odd one, family, copies) that
   is left out most.
2. Which pairs differ. Any false pair (one that is claimed and is equal, or the other way round) has
   to be in at most 5 % of samples on average over the settings, and in at most 7 % in 95 % of them.
3. "Behind the best by". Limits have to cover a metric's distance to the best in at least 95 % of
   samples on average over rows and settings, and a setting's rows in at least 93 % in 95 % of the
   settings. The lower limit is above 0 exactly where the metric is ruled out.

The test of one pair was chosen by ``experiments/difference``, which also chose the law of 1. An
earlier study chose the borrowed variance of 2, with another test of one pair; its rules and results
are in the history of this folder.

Pairs, by the pair's own test
-----------------------------
Added after the test of one pair became `fisher_jackknife`. With a variance that is borrowed from
other pairs, and the normal law, a pair's p-value corrected for all pairs can be below its own
p-value, which is a false verdict. Candidates (`measure.py`) for pairs, each with the condition that
the metric behind is ruled out by Dunnett's law:

- borrowed: what the library has done;
- larger: the larger of that and the pair's own p-value;
- rows: the larger of borrowed and of the two p-values that ``--baseline`` gives the pair, Holm's
  over all pairs of either metric;
- rows alone: the larger of those two;
- Holm: Holm's adjustment of the pairs' own p-values;
- Tukey: the law of the range of K independent metrics, for the pairs' own quantiles;
- multipliers: the step-down law of the largest own quantile, whose correlations are those of the
  jackknife's influences (drawn; the first `slow_samples` alone).

The rule: no corrected p-value may be below the pair's own, nor below one that ``--baseline`` gives
it, in any sample: a pair that differs among all pairs differs beside either metric. Of those that
keep this, any false pair may be in at most 5 % of samples on average over the settings,
and in at most 7 % in 95 % of them. Of those that keep this, Holm's is taken, which is the simplest,
unless another one finds more than 1.1 times as many of the true pairs: means over the graded
settings, and over the real shapes as they are, of pairs found by all true pairs, both times. What
is chosen is measured once more in settings of another seed, as are the list of metrics that could
be the best, and the limits of how far each is behind: at least 95 % on average have to cover, and
93 % in 95 % of the settings. The README says what is found whatever it is.

Over documents
--------------
Systems are fixed, documents are drawn (`documents.py`). The population is WMT23's documents; in it
metrics are mixed with people's scores, or with noise, until six of them have the same expected
value of a measure though their errors on systems differ. Bounds as above, for r, SPA, PA, acc_eq
and PDP; the joint law is that of the centred bootstrap over documents. First tries found that few
documents decide PDP (the largest has a fourth to three fourths of a difference's variance), so that
a second candidate adds the largest document's share to the variance. It is taken where the plain
bootstrap does not keep the bounds.

Over documents, again
---------------------
The variant was chosen among the populations that are reported. So both variants are measured once
more, on populations drawn with two other seeds, with the same sizes: with MQM as people's scores,
and with DA+SQM, which rated other documents of the same systems. Nothing is chosen by them, and the
README says what is found whatever it is.
"""

from dataclasses import dataclass

ALPHA = 0.05
METRICS = (3, 5, 10, 25, 43)
KINDS = ("equal", "graded", "near-equal", "families", "odd")
MULTIPLIERS = 499
"""Draws of a joint law by Gaussian multipliers."""


@dataclass(frozen=True)
class Plan:
    """Sizes and seeds of a run.

    Parameters
    ----------
    choosing, judging : int
        Seeds of the settings to choose the test of pairs by, and to judge the library by.
    each, judging_each : int
        Settings drawn of each kind and number of metrics.
    choosing_samples, slow_samples : int
        Samples of each setting to choose by; of those, how many laws that are drawn see.
    samples, many_samples : int
        Samples of each setting to judge by, and of one with 20 metrics or more.
    document_samples, slow_document_samples, replicates : int
        Samples of documents of each setting (fewer of SPA and PA), and bootstrap replicates.
    fitted : int
        Samples on which metrics are made equally good (a fourth of SPA and PA).
    documents, documents_again, documents_other : int
        Seeds of populations of documents: to choose by, once more, and with DA+SQM.
    """

    choosing: int = 4211
    judging: int = 4212
    each: int = 1
    judging_each: int = 2
    choosing_samples: int = 500
    slow_samples: int = 100
    samples: int = 1_000
    many_samples: int = 500
    document_samples: int = 1_000
    slow_document_samples: int = 250
    replicates: int = 399
    fitted: int = 2_000
    documents: int = 292
    documents_again: int = 432
    documents_other: int = 442


FULL = Plan()
SMOKE = Plan(
    judging_each=1,
    choosing_samples=3,
    slow_samples=2,
    samples=4,
    many_samples=2,
    document_samples=2,
    slow_document_samples=2,
    replicates=19,
    fitted=4,
)
