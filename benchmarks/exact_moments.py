"""Closed-form correlations of hybrids against simulated ones, in standard errors.

    SUPERSAMPLE_DATA=... python -m benchmarks.exact_moments    # a million hybrids of WMT23
    python -m benchmarks.exact_moments --smoke                 # the example, seconds

Each design's largest deviation over all metrics, by the standard error that the closed form gives
for so many hybrids.
"""

import os
from pathlib import Path

import xarray as xr

import supersample as ss
from benchmarks._report import Report, parser

DATA = os.environ.get("SUPERSAMPLE_DATA", "../shared/data")
HYBRIDS, SMOKE_HYBRIDS = 1_000_000, 5_000
DESIGNS = {
    "pairs in rotation": ss.PairHybrids(),
    "pairs drawn": ss.PairHybrids("random"),
    "share 0.2": ss.PairHybrids(share=0.2),
    "share drawn": ss.PairHybrids(share="uniform"),
    "mixes of all": ss.MixHybrids(),
}


def deviation(scores: xr.Dataset, design: ss.PairHybrids | ss.MixHybrids, hybrids: int) -> float:
    """Largest deviation of r over drawn hybrids from that of infinitely many, in errors."""
    exact = ss.exact_hybrid_correlations(scores, n=hybrids, design=design)
    drawn = ss.correlate(ss.hybrid_supersample(scores, n=hybrids, design=design, seed=1))
    r = drawn["r"].sel(metric=exact["metric"])
    if "basis" in r.dims:
        r = r.isel(basis=0)
    return float(abs((r - exact["r"]) / exact["standard_error"]).max())


def main() -> None:
    options = parser(__doc__).parse_args()
    report = Report("exact_moments", options)
    if options.smoke:
        sources = {"example": ss.load_example()}
    else:
        folder = Path(DATA) / "mt-metrics-eval-v2"
        sources = {pair: ss.read_mtme(folder, "wmt23", pair) for pair in ("en-de", "zh-en")}
    for source, scores in sources.items():
        for name, design in DESIGNS.items():
            found = deviation(scores, design, SMOKE_HYBRIDS if options.smoke else HYBRIDS)
            report.add(f"{source}, {name}: largest deviation", found, "errors", at_most=4.5)
    report.end()


if __name__ == "__main__":
    main()
