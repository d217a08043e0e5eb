"""Twenty-five metrics at once: what the set of the best and the adjusted wins claim."""

from dataclasses import replace

import numpy as np

from experiments.honest_inference.best_set import compare_metrics, sign_flips
from experiments.honest_inference.plan import ALPHA
from experiments.honest_inference.populations import NOISE_RANGE, SIZES, ManyMetrics, draw_many
from experiments.honest_inference.shapes import ERRORS, QUALITIES, Floats
from supersample.inference.two_correlations.fisher_jackknife import score_pairs
from supersample.inference.two_correlations.overlapping import williams1959

METRICS = 25
FLIPS = 999


def many_settings(seed: int) -> dict[str, ManyMetrics]:
    """Make settings by name.

    "equal": twelve at random with 25 equally good metrics; "one bad": six of those with one metric
    of r = 0.3; "one better by .05": six fixed ones; "graded": twelve at random whose r are even on
    Fisher's scale.
    """
    rng = np.random.default_rng(seed)
    equal = [_random_setting(rng) for _ in range(12)]
    settings = {f"equal {i + 1}": setting for i, setting in enumerate(equal)}
    for i, setting in enumerate(equal[:6]):
        settings[f"one bad {i + 1}"] = replace(setting, r=(*setting.r[:-1], 0.3))
    for i, (n, low, shape, errors) in enumerate(
        (
            (16, 0.90, "normal", "normal"),
            (16, 0.93, "normal", "normal"),
            (16, 0.93, "skewed", "t6"),
            (16, 0.85, "normal", "normal"),
            (24, 0.90, "clusters", "laplace"),
            (12, 0.94, "ceiling", "normal"),
        )
    ):
        r = (low + 0.05, *([low] * (METRICS - 1)))
        settings[f"one better by .05, {i + 1}"] = ManyMetrics(
            n, r, 0.4, 0.4, 0.005, shape, 0.5, errors, 0.5
        )
    for i in range(12):
        setting = _random_setting(rng)
        lowest, top = np.arctanh(rng.uniform(0.5, 0.8)), np.arctanh(setting.r[0])
        graded = tuple(float(r) for r in np.tanh(np.linspace(top, lowest, METRICS)))
        settings[f"graded {i + 1}"] = replace(setting, r=graded)
    return settings


def _random_setting(rng: np.random.Generator) -> ManyMetrics:
    r = float(np.tanh(rng.uniform(*np.arctanh((0.75, 0.985)))))
    noise = min(float(np.exp(rng.uniform(*np.log(NOISE_RANGE)))), 1 - (r / 0.99) ** 2)
    shared = float(rng.uniform(0, 0.8))
    return ManyMetrics(
        n=int(rng.integers(SIZES[0], SIZES[1] + 1)),
        r=(r,) * METRICS,
        shared=shared,
        of_family=float(rng.uniform(0, 1 - shared)) * 0.9,
        noise=noise,
        quality=str(rng.choice(QUALITIES)),
        quality_shape=float(rng.random()),
        error=str(rng.choice(ERRORS)),
        error_shape=float(rng.random()),
    )


def measure_many(setting: ManyMetrics, seed: tuple[int, ...], samples: int) -> dict[str, float]:
    """Shares of samples, and means, of what is claimed.

    ``best_left_out``: share in which the set lacks one of the truly best; ``false_win``: in which
    an adjusted win is false; ``any_win``: in which any is claimed; ``wins``: adjusted wins on
    average; ``shrunk``, ``set_size``, ``alone``: of the set; ``claim``: share in which the set
    has shrunk or a win is claimed; ``unadjusted_claims`` and ``unadjusted_wins``: of the largest r
    by Williams' test.
    """
    drawn = draw_many(setting, np.random.default_rng(seed), samples)
    rows = [_measure_sample(scores, setting, seed[0]) for scores in drawn]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _measure_sample(scores: Floats, setting: ManyMetrics, seed: int) -> dict[str, float]:
    found = compare_metrics(scores, sign_flips(setting.n, FLIPS, seed=seed))
    r = np.asarray(setting.r)
    observed = np.asarray(np.corrcoef(scores.T))[0, 1:]
    best = r == r.max()
    wins = (found.adjusted <= ALPHA) & (observed[:, np.newaxis] > observed)
    false = wins & (r[:, np.newaxis] <= r)
    kept = found.may_be_best > ALPHA
    first = int(observed.argmax())
    others = np.delete(np.arange(r.size), first)
    pairs = score_pairs(scores, np.full(others.size, first), others)
    unadjusted = williams1959(pairs.r_a, pairs.r_b, pairs.r_ab, pairs.n).p_value <= ALPHA
    return {
        "best_left_out": float((best & ~kept).any()),
        "false_win": float(false.any()),
        "any_win": float(wins.any()),
        "wins": float(wins.sum()),
        "shrunk": float(not kept.all()),
        "claim": float(wins.any() or not kept.all()),
        "set_size": float(kept.sum()),
        "alone": float(kept.sum() == 1),
        "unadjusted_claims": float(unadjusted.any()),
        "unadjusted_wins": float(unadjusted.sum()),
    }
