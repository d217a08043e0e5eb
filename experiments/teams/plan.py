"""What is measured, and by which rule a variance is chosen; written before the results.

Candidates for the variance of z_a - z_b if a team has two or more systems, with t of G - 1 degrees
of freedom, G teams: "jackknife", that of the jackknife which deletes a team (J); and "larger", the
larger of J and of the normal variance N. The rule: J, the plain one, if in the settings to choose
by

- a given best metric is left out in at most 5 % of samples on average and 7 % in 95 % of settings,
- some false pair is claimed in at most 5 % on average and 7 % in 95 % of settings,
- a pair test rejects equality in at most 5.5 % on average and 7 % in 95 % of settings,
- "behind best" covers at least 93 % on average;

otherwise the larger one. The chosen one is measured again in settings of another seed. Settings of
teams are drawn: designs in turn are equal teams of 2 to 4, one large team among single systems (as
WMT15's tuning task), and mixed ones.

A second round. The rule chose J. But on WMT23, where one pair of 12 and 15 systems is a team, J
then left 12 and 10 of 25 metrics that could be the best, and without teams 20 are left: whoever
declares a team must not conclude more. So a third candidate was added, "as systems": the procedure
of independent systems with G in the place of n, and with the jackknife that deletes a team,

    N = 2 (1 - c) / (G - 3),    V = N max(1, J / N)^(G / (G + 6)),    G - 2 degrees of freedom.

Whoever declares a team must not conclude more than without, but for a metric: of the candidates
that then leave at least 19 of WMT23's metrics, and keep the bounds above, the one is used that
leaves fewest metrics in the drawn settings. The settings of the second seed had not been used.

Suspicion, a second round: systems' scores found 88 % of drawn near-copies, and not NLLB. The
candidate is the distance in principal components of standardised scores, each divided by the fourth
root of its variance, so that errors count for more than what all scorers share. It replaces the
distance of scores if it finds more in the settings to choose by, with false alarms in at most 5 %.
There it found 96 % with 1.7 % false alarms, if groups are closer than .7 of other pairs (80 and .3
at .5; scores .86 and 1.7 at .5), so .7 is used. Where segments are known, the distance is 1 - c,
with c the correlation over segments of two systems' scores less the mean of all systems, averaged
over scorers; the test on random groups and the limit of .7 stay. Both are measured on the third
seed. Drawn segments (100 to 1,000) have factors that unrelated systems share, too (correlations
from about -.3 to .3), and near-copies have .3 to .9 of the rest in common. NLLB's correlations had
been seen (.41 and .52, the highest and the fourth), so that NLLB confirms nothing; random pairs of
real systems that are named alike tell how often these give a false alarm.

A third round. On the third seed scores found 97 % and segments 83 % (false alarms 1.7 and .3). So
the smallest limit was sought that finds 90 % with at most 5 % false alarms, of both, in the
settings to choose by: .85 (98 and 93 %, false alarms 3.3 and 4.0; .8 finds 88 % by segments). It is
measured on a fourth seed. There scores found 98 and segments 98 %, but scores gave 5.7 % false
alarms of 300. So each has its own limit, .7 for scores and .85 for segments, and both are measured
on 1,000 sets of a fifth seed.
"""

from typing import NamedTuple

DESIGNS = ("equal", "one large", "mixed")
KINDS = ("equal", "graded", "near-equal")
METRICS = 8
ALPHA = 0.05
LARGEST_N = 24


class Plan(NamedTuple):
    """Seeds and sizes."""

    choosing: int
    confirming: int
    suspecting: int
    settings: int
    samples: int
    suspected: int
    """Drawn sets with near-copies, and without."""


FULL = Plan(
    choosing=4_401, confirming=4_402, suspecting=4_405, settings=30, samples=600, suspected=1_000
)
SMOKE = Plan(choosing=4_401, confirming=4_402, suspecting=4_405, settings=3, samples=4, suspected=6)
