"""Closed forms of the hybrid population against a million hybrids.

    python -m benchmarks.exact_moments            # WMT23 en-de and zh-en, every design
    python -m benchmarks.exact_moments --smoke    # the example, few hybrids, no limits

For every design, prints the largest distance of r over the hybrids from the closed form, in
standard errors for this number of hybrids. Public data is read from SUPERSAMPLE_DATA; without it,
the example is used.
"""

import os
from pathlib import Path

import numpy as np
import xarray as xr

import supersample as ss
from benchmarks._report import Report, parser

DATA = Path(os.environ.get("SUPERSAMPLE_DATA", Path(__file__).parents[2] / "shared" / "data"))
DESIGNS = {
    "pairs": ss.PairHybrids(),
    "random pairs": ss.PairHybrids(pairs="random"),
    "share 0.3": ss.PairHybrids(share=0.3),
    "uniform share": ss.PairHybrids(share="uniform"),
    "documents": ss.PairHybrids(unit="document"),
    "mixes": ss.MixHybrids(),
}
MOST_ERRORS = 5.0  # of 25 metrics x 6 designs x 2 language pairs


def sources(smoke: bool) -> dict[str, xr.Dataset]:
    """Scores by name."""
    folder = DATA / "mt-metrics-eval-v2"
    if smoke or not folder.is_dir():
        return {"example": ss.load_example()}
    return {
        f"WMT23 {pair}": ss.read_mtme(folder, "wmt23", pair, metrics="reference")
        for pair in ("en-de", "zh-en")
    }


def distance(scores: xr.Dataset, design: ss.PairHybrids | ss.MixHybrids, n: int) -> float:
    """Largest difference of r over n hybrids from the closed form, in standard errors."""
    exact = ss.exact_hybrid_correlations(scores, design=design, n=n)
    sample = ss.hybrid_supersample(scores, design=design, n=n, seed=1)
    r = ss.correlations.correlate(sample, bases=["hybrids"])["value"][0].to_numpy()
    off = np.abs(r - exact["r"].to_numpy()) / exact["standard_error"].to_numpy()
    return float(np.nanmax(off))


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("exact_moments", options)
    n = 2_000 if options.smoke else 1_000_000
    for name, scores in sources(options.smoke).items():
        for what, design in DESIGNS.items():
            furthest = distance(scores, design, n)
            report.add(
                f"{name}, {what}, r of {n:,} hybrids", furthest, "errors", at_most=MOST_ERRORS
            )
    report.end()


if __name__ == "__main__":
    main()
