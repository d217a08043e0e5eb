"""Small Scores for the tests of measures and comparisons."""

import numpy as np

import supersample as ss


def scores_of(human, score, **options):
    """Scores of systems s0, s1, ... and, unless named, of metrics m0, m1, ..."""
    human, score = np.asarray(human, float), np.asarray(score, float)
    options.setdefault("metrics", [f"m{i}" for i in range(len(score))])
    return ss.make_scores(human, score, systems=[f"s{i}" for i in range(len(human))], **options)


def small(seed=0, systems=6, segments=14, metrics=3):
    """Rounded human scores, which tie, and scores of metrics that agree with them."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1))
    human = np.round(2 * (quality + rng.normal(size=(systems, segments))))
    score = quality + rng.normal(size=(metrics, systems, segments))
    return human, score


def lattice(systems=6, segments=9, seed=0, gaps=0.2, constant=True, **options):
    """Scores of which many tie, with gaps, a constant metric, an error, and a lone rating."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 5, (systems, segments)).astype(float)
    metric = human + rng.integers(-2, 3, human.shape) / 2
    fine = human + rng.normal(size=human.shape)
    human[rng.random(human.shape) < gaps] = np.nan
    human[:, 0] = np.nan
    human[2:, 1] = np.nan  # rated for two systems only
    human[:2, 1] = 0.0, 3.0
    if gaps:
        human[1:, 2], human[0, 2] = np.nan, 1.0  # one rating
        metric[2, 4] = np.nan
    score = {"lattice": metric, "fine": fine, "error": -fine}
    if constant:
        score["constant"] = np.full(human.shape, 0.1)
    higher = [name != "error" for name in score]
    return scores_of(
        human, list(score.values()), metrics=list(score), higher_is_better=higher, **options
    )


def oriented(scores):
    """Human scores, those of metrics, larger meaning better, and which translations count."""
    human, metrics = scores["human"].to_numpy(), scores["score"].to_numpy()
    signs = np.where(scores["higher_is_better"].to_numpy(), 1, -1)[:, None, None]
    return human, metrics * signs, ~np.isnan(human) & ~np.isnan(metrics).any(axis=0)
