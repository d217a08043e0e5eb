"""Makes earlier_stores.zip: half a run, a sweep and a coverage study, by a version of 2026-11.

git checkout d8c800e && python tests/golden/earlier_stores.py earlier_stores
"""

import shutil
import sys
from pathlib import Path

import supersample as ss

out = Path(sys.argv[1])
out.mkdir()
scores = ss.simulate_scores(systems=5, segments=20, correlations={"good": 0.9, "bad": 0.4}, seed=3)
ss.run_hybrids(scores, out / "run.zarr", n=50, chunk=10, seed=2, part=(1, 2))
grid = {
    "inputs": [{"example": True}],
    "n": [50],
    "designs": ["pairs", "mix"],
    "methods": ["zou2007", "williams1959"],
}
ss.sweep(grid, out / "sweep")
shutil.rmtree(out / "sweep" / "result.zarr")
population = ss.ScorePopulation([[1, 0.9, 0.8], [0.9, 1, 0.8], [0.8, 0.8, 1]])
settings = {"a": ss.Setting(population, 6, 10)}
ss.coverage(settings, ["zou", "williams1959"], replicates=10, store=out / "coverage")
shutil.make_archive(str(out), "zip", out)
