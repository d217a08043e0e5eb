"""Exact sign-flip p-values of every WMT23 system pair and scorer against a million permutations.

Prints, for each language pair, the largest gap in binomial standard errors, the routes taken, and
the largest and mean error of the normal limit. Run: `python benchmarks/sign_flip_p_values.py`.
"""

import time

import numpy as np
from numpy.typing import NDArray
from wmt23 import load

from supersample.engine.permutations import permutation_words, signed_totals
from supersample.inference.sign_flip import normal_p_values, pair_differences
from supersample.inference.sign_flip_exact import ROUTES, sign_flip_tails

PERMUTATIONS = 1_000_000
BLOCK = 20_000
SEED = 0
TIE = 1e-11


def drawn_mid_p(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mid-p by permutations, (scorers, pairs), block by block."""
    scorers, systems, segments = scores.shape
    by_segment = np.ascontiguousarray(scores.reshape(scorers * systems, segments).T)
    i, j = np.triu_indices(systems, 1)
    total = scores.sum(axis=2)
    observed = total[:, i] - total[:, j]
    size = np.abs(scores).sum(axis=2)
    slack = TIE * (size[:, i] + size[:, j])
    count = np.zeros(observed.shape)
    for start in range(0, PERMUTATIONS, BLOCK):
        numbers = np.arange(start, start + BLOCK, dtype=np.uint64)
        words = permutation_words(segments, seed=SEED, replicates=numbers)
        null = signed_totals(words, by_segment).reshape(BLOCK, scorers, systems)
        for pair in range(i.size):
            gap = null[:, :, i[pair]] - null[:, :, j[pair]] - observed[:, pair]
            count[:, pair] += (gap > slack[:, pair]).sum(axis=0)
            count[:, pair] += 0.5 * (np.abs(gap) <= slack[:, pair]).sum(axis=0)
    return count / PERMUTATIONS


def main() -> None:
    for pair in ("en-de", "zh-en"):
        names, scores = load(pair)
        d = pair_differences(scores)
        sign_flip_tails(d[:1, :1])
        start = time.perf_counter()
        tails = sign_flip_tails(d)
        taken = time.perf_counter() - start
        exact = tails.above + tails.equal / 2
        error = np.sqrt(np.maximum(exact * (1 - exact), 1 / PERMUTATIONS) / PERMUTATIONS)
        gaps = np.abs(drawn_mid_p(scores) - exact) / error
        normal = np.abs(normal_p_values(d) - exact)
        worst = np.unravel_index(normal.argmax(), normal.shape)[0]
        routes = ", ".join(f"{(tails.route == k).sum()} {name}" for k, name in enumerate(ROUTES))
        print(f"{pair}: {exact.size} p-values in {taken:.1f} s by {routes}")
        print(f"  reported error at most {tails.error.max():.1e}")
        print(f"  against {PERMUTATIONS} permutations: at most {gaps.max():.2f} standard errors,")
        print(f"    root mean square {np.sqrt(np.square(gaps).mean()):.3f}")
        print(f"  normal limit: largest error {normal.max():.5f} ({names[worst]}),", end=" ")
        print(f"people's {normal[0].max():.5f}; mean {normal.mean():.6f}")


if __name__ == "__main__":
    main()
