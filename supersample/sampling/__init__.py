"""Sampling distributions of r, populations, coverage studies, planning, sweeps.

`sampling_distribution` draws samples of n systems from a population and correlates every metric
with the human scores in each. A population is a frozen dataclass that draws replicates by (seed,
replicate number) and has its coefficients where they are known: normal, Gaussian copula over any
marginals, or finite (systems or hybrids, with or without replacement). `fit_population` fits the
observed system-level scores, noise over segments included.

Normal numbers are the normal quantile of one uniform number each, a stream a scorer, so that adding
a metric changes no other draws. Bits are the same for any blocks and workers, but may differ in the
last place between machines whose logarithms do. Draws are kept or tallied in constant memory; the
range of a tally is laid out by the first 4,096 draws.

At the edges: where |rho| = 1, r is rho with certainty; the exact distribution needs n >= 4, while
samples may have 2 systems, where r is -1 or 1; a draw whose scores do not vary has no r, is counted
as undefined and left out.

`coverage` draws samples from a `ScorePopulation`, whose correlations are known (in closed form, or
from 2^17 systems where ratings are missing or human scores have levels), and scores every interval
against the estimand that it declares. Sample i is a function of (seed, i). `plan` is the same study
over a grid of sizes. A sweep and a coverage study keep results in cells: one file each, under a
checksum of all that determines it. Other parameters have other keys, so that nothing is
overwritten.
"""
