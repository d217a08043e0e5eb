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

Suspicion, a second round: systems' scores found 88 % of drawn near-copies, and not NLLB. Distances
of systems are drawn up from scores, "scores" as before, and "components": that of the principal
components of standardised scores, each divided by the fourth root of its variance, so that errors
count for more. Of those that raise a false alarm in at most 5 % of settings to choose by, the one
that finds most is used. Where segments are known, the distance is 1 - c, with c the correlation
over segments of two systems' scores less the mean of all systems, averaged over scorers; groups
are named by the same test on random groups if their mean is below 3/4 of the median of other pairs.
Both are measured on the third seed. Drawn segments (100 to 1,000) have factors that unrelated
systems share, too (correlations from about -.3 to .3), and near-copies have .3 to .9 of the rest in
common. NLLB's correlations had been seen (.41 and .52, the highest and the fourth) before 3/4 was
chosen, so that NLLB confirms nothing; random pairs of WMT23's systems that are named alike tell how
often real systems give a false alarm.
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
    choosing=4_401, confirming=4_402, suspecting=4_403, settings=30, samples=600, suspected=300
)
SMOKE = Plan(choosing=4_401, confirming=4_402, suspecting=4_403, settings=3, samples=4, suspected=6)
