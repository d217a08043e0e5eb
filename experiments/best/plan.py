"""What the study measures, and the rules by which it chooses; fixed before its results.

Over systems
------------
Settings (`settings.py`) are drawn: 3, 5, 10, 25 or 43 metrics; equally good, graded, nearly equal,
in families of near-copies, one odd metric among near-copies; 8 to 24 systems; shapes of quality and
errors as in ``experiments/honest_inference``. To them come real shapes: WMT15, WMT20 and WMT23,
smoothed, as they are and with all metrics made equally good.

1. Which metrics could be the best. A given best metric has to be left out in at most 5 % of samples
   on average over the settings and in at most 7 % in 95 % of them. Where several metrics are
   equally good, each is a given best; a setting counts with the role (odd one, family, copies) that
   is left out most. Of the candidates that keep this among the settings to choose by, the one that
   leaves the fewest metrics in graded settings (mean over settings of the share of metrics left) is
   chosen. Aim: at most 85 % of what the confidence set of today leaves.
2. Which pairs differ. Any false pair (one that is claimed and is equal, or the other way round) has
   to be in at most 5 % of samples on average over the settings, and in at most 7 % in 95 % of them.
   Of the candidates that keep this, the one that finds the most pairs in graded settings (mean over
   settings of pairs found by all pairs) is chosen. Aim: at least five times the pairs of today.
3. "Behind the best by". Limits have to cover a metric's distance to the best in at least 95 % of
   samples on average over rows and settings, and a setting's rows in at least 93 % in 95 % of the
   settings. The lower limit is above 0 exactly where the metric is ruled out. Of the
   candidates that keep this, the narrowest on average is chosen.

A statistic whose variance is borrowed is divided by the smallest divisor of the grid with which it
keeps its bounds among the settings to choose by. `williams_jackknife` has no divisor: its level was
fixed by ``experiments/honest_inference``.
What is chosen is then judged among the settings to confirm by, which have seeds of their own and
are looked at once. If it fails there, the next that keeps its bounds in both is taken and the
README says so.

Second round
------------
Fixed after the settings to choose by had been looked at, and before those to confirm by. There a
borrowed variance left the fewest metrics (57 %), by 1 to 3 points; but of WMT23's own systems it
leaves 21 of 25 metrics of zh-en, where `williams_jackknife` leaves 12 to 15 and at most 15 are the
aim. So the best are decided by `williams_jackknife`, and pairs by the borrowed variance that the
rule chose. Of the laws of `williams_jackknife`, multipliers with a quarter of noise leave 57.7 %
and rule out a given best in at most 6.9 % in 95 % of the settings, Dunnett's 58.7 % and 7.3 %,
correlations of 1/3 60.6 % and 6.3 %, Bonferroni's 62.3 % and 5.2 %. Dunnett's does not keep the
bounds. Multipliers keep them by a hair and are drawn: other seeds leave 18 or 19 of en-de, and a
p-value changes with the order of the metrics and with copies of others. So Bonferroni's is taken,
which is a formula of one line, valid whatever the dependence, and keeps the aim of 85 %. Two
requirements that make statements agree are
added: a metric is ruled out only where the deciding pair alone, two-sided, would be significant,
and a pair differs only where the metric behind is ruled out. `COMPARED` is all this together, as
the library does it.

Confirmed
---------
The best and the limits were confirmed. Pairs with the divisor 1 were in at most 7.04 % of samples
false in 95 % of the confirming settings, so that by the rule the next divisor, 1.05, was taken.

Again
-----
That divisor was taken after the settings to confirm by had been looked at. So all statements of the
library are judged once more, among settings of a third seed, and the README says what is found
there whatever it is. To these come 25 graded metrics of 12 systems with each shape of quality,
drawn otherwise: the case in which most pairs are to be gained. They are summed up apart.

Alone and together
------------------
Added after readers of the results asked for it; it chooses nothing. In the settings to confirm by
and those of the third seed, with the same samples: the share in which any statement of a table is
wrong, and the limits of the worst metric. Limits are computed for all samples there. Drawn settings
and real shapes are summed up apart, since the real shapes are the same in all parts.

Pairs, by the pair's own test
-----------------------------
Added after the test of one pair became `fisher_jackknife`. With a variance that is borrowed from
other pairs, and the normal law, a pair's p-value corrected for all pairs can be below its own
p-value, which is a false verdict. Candidates (`pairs.py`) for pairs, each with the condition that
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
DIVISORS = (0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35, 1.4)
"""Grid of the divisor of a statistic whose variance is borrowed."""
MULTIPLIERS = 499
"""Draws of a joint law by Gaussian multipliers."""


@dataclass(frozen=True)
class Plan:
    """Sizes and seeds of a run.

    Parameters
    ----------
    choosing, confirming, again, pairs, pairs_again : int
        Seeds of the settings.
    each, confirming_each : int
        Settings drawn of each kind and number of metrics.
    samples : int
        Of each setting.
    slow_samples : int
        Of those, how many today's confidence set, joint laws and limits are computed for.
    document_samples, slow_document_samples, replicates : int
        Samples of documents of each setting (fewer of SPA and PA), and bootstrap replicates.
    fitted : int
        Samples on which metrics are made equally good (a fourth of SPA and PA).
    documents, documents_again, documents_other : int
        Seeds of populations of documents: to choose by, once more, and with DA+SQM.
    """

    choosing: int = 290
    confirming: int = 291
    again: int = 299
    pairs: int = 4211
    pairs_again: int = 4212
    each: int = 2
    confirming_each: int = 3
    samples: int = 1_000
    slow_samples: int = 300
    document_samples: int = 1_000
    slow_document_samples: int = 250
    replicates: int = 399
    fitted: int = 2_000
    documents: int = 292
    documents_again: int = 432
    documents_other: int = 442


FULL = Plan()
SMOKE = Plan(
    each=1,
    confirming_each=1,
    samples=4,
    slow_samples=2,
    document_samples=2,
    slow_document_samples=2,
    replicates=19,
    fitted=4,
)
