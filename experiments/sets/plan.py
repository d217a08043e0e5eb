"""What the study measures, and the rules by which it chooses; fixed before its results.

Settings
--------
Settings (`settings.py`) are drawn: 1, 2, 4, 8 or 16 sets of 8 to 24 systems each (unbalanced),
which share no system, a core of systems, some by chance, or all; 8, 16 or 25 metrics, all equally
good, graded or nearly equal; errors of one metric on one system correlate by 0 to .6 between two
sets; the metrics' true values differ from set to set with a standard deviation of 0 to .15, and by
nothing on average; shapes of quality and errors as in ``experiments/best``; averages of r or of z.

Rules
-----
1. Equality of two metrics that are equal on average has to be rejected in 3 to 7 % of samples in
   95 % of the settings, and in at most 9 % in any. Any false pair (adjusted for all), and a given
   best metric left out: in at most 5 % of samples on average over the settings, and in at most 7 %
   in 95 % of them.
2. Of the candidates that keep this among the settings to choose by, the one that leaves the fewest
   metrics in graded settings is chosen; of those within .005, the one whose level is nearest to 5 %
   on average. Candidates differ in how the differences of two sets are correlated (by the
   jackknife, as normal scores do, or the mean of both) and in the least variance, by that of
   independent sets (0, .7 or 1).
   Development looked at settings of other seeds (500, 501), where the mean and .7 kept the bounds.
3. What is chosen is judged among settings with seeds of their own, looked at once. The library's
   functions are what is judged.
4. The interval of an average difference has to cover at least 93 % in 95 % of the settings.

Second round
------------
By rule 2 the jackknife with .7 was chosen: it leaves .517 of the metrics of graded settings, the
mean with .7 leaves .523. Yet what it rests on, a dozen products with heavy tails, shows: it leaves
a given best out in 8.4 % of samples of the worst setting to choose by (the mean in 5.0 %), with a
least variance of 0 in 13 %, and in development (85 settings of equal metrics) in 9.6 % in 95 % of
the settings and in 12.8 % in the worst. So the mean with .7 was taken, against the rule, before the
settings to confirm by were looked at; ``candidates`` has all of them there, for equal metrics.

New sets
--------
5, 8 or 16 sets, drawn from a population in which the metrics' z vary with a standard deviation tau
of 0 to .3 in half of the settings, and .3 in the others; systems as above. Some false claim (a
false pair, or a given best left out) over new sets in at most 5 % on average and in at most 7 % in
95 % of the settings. Beside it stands how often the claim about new systems on these sets would be
false if it was read so.

Power
-----
Normal scores, 12 systems in each set, error correlation .16 between sets, which share all systems:
8 metrics of r .97 to .85 (aims: at most 6.1, 4.4, 3.5 and 2.8 left of 1, 4, 8 and 16 sets), and one
of 25 metrics at .95, the others at .80 (19, 7 and 1 of 1, 3 and 8 sets). Of their errors' variance
.6 is common to all metrics, so that one set leaves 5.9 of the 8, as it does behind the aims.
"""

from dataclasses import dataclass

ALPHA = 0.05
COUNTS = (1, 2, 4, 8, 16)
NEW_COUNTS = (5, 8, 16)
KINDS = ("equal", "graded", "near-equal")
METRICS = (8, 16, 25)
OVERLAPS = ("none", "a core", "by chance", "all")
SIZES = (8, 24)
ERROR_CORRELATION = (0.0, 0.6)
TAU = (0.0, 0.3)
SCALES = ("r", "z")
RHO = ("jackknife", "normal", "mean")
LEAST = (0.0, 0.7, 1.0)
POWER = (
    ("graded", (0.97, 0.85), 8, {1: 6.1, 4: 4.4, 8: 3.5, 16: 2.8}),
    ("one ahead", (0.95, 0.80), 25, {1: 19.0, 3: 7.0, 8: 1.0}),
)
"""Kind, highest and lowest r, metrics, and the aim by number of sets."""
POWER_COMMON, POWER_CORRELATION, POWER_SYSTEMS = 0.6, 0.16, 12
POWER_AFTERWARDS = (0.16, 0.3, 0.6)
"""Error correlations at which the last population was drawn after the results."""
REJECTS, REJECTS_AT_MOST = (0.03, 0.07), 0.09
WRONG, WRONG_IN_MOST = 0.05, 0.07
IN_MOST = 0.95
NEAR = 0.005
"""Shares of metrics left that count as equal."""


@dataclass(frozen=True)
class Plan:
    """Sizes and seeds of a run.

    Parameters
    ----------
    choosing, confirming, new, measures : int
        Seeds of the settings.
    each, confirming_each, new_each, measures_each : int
        Settings drawn of each kind, number of sets and overlap.
    samples : int
        Of each setting.
    power_samples : int
        Of each population of power.
    """

    choosing: int = 310
    confirming: int = 311
    new: int = 312
    measures: int = 313
    each: int = 1
    confirming_each: int = 2
    new_each: int = 1
    measures_each: int = 2
    samples: int = 300
    power_samples: int = 400


FULL = Plan()
SMOKE = Plan(confirming_each=1, measures_each=1, samples=2, power_samples=2)
