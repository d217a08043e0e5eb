"""Results are the same bits by any BLAS, but for exact moments, which agree to 1e-12."""

import os
import subprocess
import sys

import pytest

CODE = """
import hashlib, warnings
import numpy as np, supersample as ss
warnings.simplefilter("ignore")
scores = ss.load_example().isel(segment=slice(90))
POPULATION = ss.simulation.Population([[1, .9, .8], [.9, 1, .7], [.8, .7, 1]])
found = [
    ss.correlations.correlate(ss.hybrid_supersample(scores, n=500)),
    ss.correlations.stream_correlations(scores, n=500),
    ss.correlations.compare_correlations(scores, method="fisher-jackknife"),
    ss.rank(scores, random="systems+segments", method="bca", resamples=9),
    *(ss.compare(scores, name, method="inputs", resamples=9) for name in ("pearson", "SPA")),
    ss.compare(scores, random="systems"),
    ss.compare(scores, random="systems", method="percentile", resamples=9),
    ss.compare(scores, "SPA", random="systems", resamples=9),
    ss.simulation.sampling_distribution(POPULATION, 8, 50),
]
arrays = [v.values for each in found for _, v in sorted(each.variables.items())]
for bits in (a.tobytes() for a in arrays if a.dtype.kind in "fib"):
    print(hashlib.sha256(bits).hexdigest())
print(*ss.exact_hybrid_correlations(scores)["r"].values)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="OpenBLAS takes the processor from here")
def test_results_do_not_depend_on_the_processor_of_the_blas(capsys):
    exec(CODE, {})  # by the processor that the BLAS of this process has found
    env = {**os.environ, "OPENBLAS_CORETYPE": "Prescott"}
    run = [sys.executable, "-c", CODE]
    ran = subprocess.run(run, capture_output=True, text=True, check=True, env=env)
    printed = capsys.readouterr().out, ran.stdout
    *bits, exact = zip(*(text.splitlines() for text in printed), strict=True)
    assert [pair for pair in bits if len(set(pair)) > 1] == []
    numbers = [[float(r) for r in line.split()] for line in exact]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-12)
