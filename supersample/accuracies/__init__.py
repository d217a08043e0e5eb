"""Pairwise and soft pairwise accuracy: preferences, p-values, comparisons, ablations.

PA and SPA are means over pairs of systems of 1 - |human - metric|, of preferences from 0 to 1: the
p-value of "i is better than j" for SPA, that p-value rounded for PA. The p-value is of the
sign-flip null, that the sum of paired differences has random signs, by three routes (`PValues`):

- ``normal``: p = Phi(-sum d / sqrt(sum d^2)), the limit of many units; no permutations.
- ``monte_carlo``: drawn sign masks, shared by all systems, so that the cost is linear in systems.
- ``exact``: enumeration for few units, convolution for scores on a lattice, inversion of the
  characteristic function prod cos(d_l t) otherwise.

The default is the mid-p, P(null > observed) + P(null = observed) / 2: p_ij + p_ji = 1, identical
systems get 0.5, and no result depends on the order of systems. ``at_least``, the convention of the
paper, does on tied data. A unit is a segment, a document or a window of segments. PA counts a tie
of systems as 0.5.

`inputs.py` settles what is compared: complete cases (segments that every system was rated for and
every metric scored for every system, each counting once), oriented as declared. A metric that
misses a system is an error that names it. Constant scores have p = 0.5 throughout.

`compare_accuracies` swaps the z-scores of two metrics (mean and population standard deviation over
systems and segments). The sums of a swapped metric are what it keeps plus what its partner brings,
so that one masked sum per metric serves every pair of metrics: sum d under every scheme, sum d^2
under PERM-INPUTS. For PERM-SYSTEMS sum d^2 takes the products of every pair of metrics and of
systems, once for all resamples; for PERM-BOTH those of every resample. Monte-Carlo p-values are
computed for every swap, from signed totals that are bilinear in sign mask and swap mask.
Differences of accuracies within 1e-10 are equal (``ties="exact"``): PA takes few values, and
floating-point comparison counts more pairs as significant.

Language pairs, domains and documents are groups, permuted with separate masks keyed by their names.
The average over groups is tested by the average of the null replicates. The dimension
``measure`` (SPA, PA) takes the place of ``basis``; `rank` takes both.
"""
