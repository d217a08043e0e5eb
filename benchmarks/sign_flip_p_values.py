"""Exact sign-flip p-values of every WMT23 system pair and scorer against a million permutations.

    SUPERSAMPLE_DATA=... python -m benchmarks.sign_flip_p_values    # WMT23
    python -m benchmarks.sign_flip_p_values --smoke                 # the example, few permutations

Prints, for each language pair, the largest gap in binomial standard errors, the routes taken, and
the largest and mean error of the normal limit. Exits with status 1 if a gap exceeds five standard
errors.
"""

import os
import time

import numpy as np
from numpy.typing import NDArray

import supersample as ss
from benchmarks._report import Report, parser
from supersample.engine.permutations import permutation_words, signed_totals
from supersample.inference.accuracies.sign_flip import (
    ROUTES,
    normal_p_values,
    pair_differences,
    sign_flip_tails,
)

DATA = os.environ.get("SUPERSAMPLE_DATA", "../shared/data")
PERMUTATIONS, SMOKE_PERMUTATIONS, BLOCK = 1_000_000, 20_000, 20_000
LIMIT = 5.0  # binomial standard errors
SEED = 0
TIE = 1e-11


def drawn_mid_p(scores: NDArray[np.float64], permutations: int) -> NDArray[np.float64]:
    """Mid-p by permutations, (scorers, pairs), block by block."""
    scorers, systems, segments = scores.shape
    by_segment = np.ascontiguousarray(scores.reshape(scorers * systems, segments).T)
    i, j = np.triu_indices(systems, 1)
    total = scores.sum(axis=2)
    observed = total[:, i] - total[:, j]
    size = np.abs(scores).sum(axis=2)
    slack = TIE * (size[:, i] + size[:, j])
    count = np.zeros(observed.shape)
    for start in range(0, permutations, BLOCK):
        numbers = np.arange(start, start + BLOCK, dtype=np.uint64)
        words = permutation_words(segments, seed=SEED, replicates=numbers)
        null = signed_totals(words, by_segment).reshape(BLOCK, scorers, systems)
        for pair in range(i.size):
            gap = null[:, :, i[pair]] - null[:, :, j[pair]] - observed[:, pair]
            count[:, pair] += (gap > slack[:, pair]).sum(axis=0)
            count[:, pair] += 0.5 * (np.abs(gap) <= slack[:, pair]).sum(axis=0)
    return count / permutations


def report(names: list[str], scores: NDArray[np.float64], permutations: int) -> float:
    """Print the gaps and return the largest one in binomial standard errors."""
    d = pair_differences(scores)
    sign_flip_tails(d[:, :1])  # compiled before anything is timed
    start = time.perf_counter()
    tails = sign_flip_tails(d)
    taken = time.perf_counter() - start
    exact = tails.above + tails.equal / 2
    # where less than one permutation is expected in the tail, one is the measure
    variance = np.maximum(exact * (1 - exact), 1 / permutations) / permutations
    gaps = np.abs(drawn_mid_p(scores, permutations) - exact) / np.sqrt(variance)
    normal = np.abs(normal_p_values(d) - exact)
    worst = np.unravel_index(normal.argmax(), normal.shape)[0]
    routes = ", ".join(f"{(tails.route == k).sum()} {name}" for k, name in enumerate(ROUTES))
    print(f"  {exact.size} p-values in {taken:.1f} s by {routes}")
    print(f"  reported error at most {tails.error.max():.1e}")
    print(f"  against {permutations} permutations: at most {gaps.max():.2f} standard errors")
    print(f"  normal limit: largest error {normal.max():.5f} ({names[worst]}),", end=" ")
    print(f"people's {normal[0].max():.5f}; mean {normal.mean():.6f}")
    return float(gaps.max())


def main() -> None:
    options = parser(__doc__).parse_args()
    results = Report("sign_flip_p_values", options)
    smoke = options.smoke
    for pair in ("example",) if smoke else ("en-de", "zh-en"):
        read = (
            ss.load_example()
            if smoke
            else ss.read_mtme(f"{DATA}/mt-metrics-eval-v2", "wmt23", pair, metrics="reference")
        )
        selected = ss.select_segments(read)
        scores = np.concatenate([selected["human"].values[None], selected["score"].values])
        names = ["people", *selected["metric"].values]
        print(pair)
        largest = report(names, scores, SMOKE_PERMUTATIONS if smoke else PERMUTATIONS)
        results.add(f"{pair}, largest gap", largest, "standard errors", at_most=LIMIT)
    results.end()


if __name__ == "__main__":
    main()
