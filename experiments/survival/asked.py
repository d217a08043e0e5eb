"""What readers of the first version asked: see the end of `plan`."""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtr

import supersample as ss
from experiments.best.measure import concluded
from experiments.best.settings import Smoothed
from experiments.retrospective.correlations import wins
from experiments.survival.plan import ALPHA, Plan
from experiments.survival.rivals import LARGEST_R, Bools, Floats
from experiments.survival.sets import scores_array, survived
from supersample.inference.p_values import holm
from supersample.inference.two_correlations.fisher_jackknife import ScorePairs, score_pairs
from supersample.inference.two_correlations.overlapping import williams1959

Row = dict[str, object]
TESTS = ("williams", "systems", "systems_adjusted")
POOLS = ("WMT15", "WMT23")
HALVINGS = 7


def without_outliers(
    sets: Mapping[str, xr.Dataset], documents: Mapping[str, xr.Dataset]
) -> list[Row]:
    """Count claims and survivors without outlying systems, of every set that has some."""
    rows: list[Row] = []
    for name, systems in sets.items():
        found = ss.outlier_systems(systems)
        kept = found["system"].values[~found["outlier"].values]
        fewer = systems.sel(system=kept)
        of_documents = documents.get(name)
        if of_documents is not None:
            of_documents = of_documents.sel(system=kept)
        before = wins(systems, "absolute")
        claims, again = before["williams"], wins(fewer, "absolute")["williams"]
        outliers = ", ".join(str(x) for x in found["system"].values[found["outlier"].values])
        of = {"set": name, "outliers": outliers, "systems_n": len(kept)}
        same = {
            "claims_with": int(claims.sum()),
            "systems_with": int((claims & before["jackknife"]).sum()),
            "claims_again": int((claims & again).sum()),
        }
        rows.append({**of, **same, **survived(fewer, of_documents)})
    return rows


def ceilings(
    sets: Mapping[str, xr.Dataset], documents: Mapping[str, xr.Dataset], plan: Plan
) -> list[Row]:
    """Say how well people agree with themselves on other documents, and what a metric can reach."""
    rows: list[Row] = []
    for i, (name, scores) in enumerate(documents.items()):
        human = scores["human"].transpose("system", "segment").to_numpy()
        rated = np.isfinite(human).all(axis=0)
        document = np.unique(scores["document"].to_numpy()[rated], return_inverse=True)[1]
        rng = np.random.default_rng((plan.seed, 50, i))
        r = np.mean([halves_r(human[:, rated], document, rng) for _ in range(plan.halves)])
        numbers = {"halves": r, "perfect": np.sqrt(2 * r / (1 + r))}
        if name in sets:
            numbers["best"] = np.corrcoef(scores_array(sets[name]).T)[0, 1:].max()
        sizes = {"documents": int(document.max()) + 1, "segments": int(rated.sum())}
        rows.append({"set": name, **sizes, **{k: f"{v:.4f}" for k, v in numbers.items()}})
    return rows


def halves_r(human: Floats, document: NDArray[np.intp], rng: np.random.Generator) -> float:
    """Correlate systems' mean scores (systems, segments) on two random halves of the documents."""
    count = int(document.max()) + 1
    first = np.isin(document, rng.permutation(count)[: count // 2])
    return float(np.corrcoef(human[:, first].mean(axis=1), human[:, ~first].mean(axis=1))[0, 1])


def if_true(sets: Mapping[str, xr.Dataset], plan: Plan) -> list[Row]:
    """Count how many claims each test finds where all metrics differ.

    Rows of "all" sets have the limits of 95 % of the samples.
    """
    rows: list[Row] = []
    counts: dict[str, list[Floats]] = {}
    for i, (name, systems) in enumerate(sets.items()):
        scores = scores_array(systems)
        z = (scores - scores.mean(axis=0)) / scores.std(axis=0)
        claimed = claims_of(z)
        if not claimed.any():
            continue
        rng = np.random.default_rng((plan.seed, 51, i))
        fitted = as_often(z, int(np.abs(claimed).sum()), (plan.seed, 52, i), plan.again)
        found = {
            "normal": found_again(normal(z, rng, plan.again), claimed),
            "real shape": found_again(shape(z, rng, plan.again), claimed),
            "fitted": claims_kept(shape(fitted, rng, plan.again), true_signs(fitted)),
        }
        for population, of in found.items():
            counts.setdefault(population, []).append(of)
            row: Row = {"set": name, "population": population}
            row["claims"] = int(np.abs(claimed).sum())
            rows.append({**row, **_rounded(dict(zip(TESTS, of.mean(axis=1), strict=True)))})
    for population, each in counts.items():
        total = np.sum(each, axis=0)
        row = {"set": "all", "population": population}
        row["claims"] = sum(int(str(of["claims"])) for of in rows if of["population"] == population)
        for test, of in zip(TESTS, total, strict=True):
            low, high = np.quantile(of, [0.025, 0.975])
            row |= _rounded({test: of.mean(), f"{test}_low": low, f"{test}_high": high})
        rows.append(row)
    return rows


def normal(z: Floats, rng: np.random.Generator, samples: int) -> Floats:
    """Draw as many systems of a normal population with the correlations of these."""
    return np.asarray(rng.standard_normal((samples, len(z), len(z))) @ z / np.sqrt(len(z)))


def shape(z: Floats, rng: np.random.Generator, samples: int) -> Floats:
    """Draw as many systems of a smoothed copy of these."""
    return Smoothed(len(z), tuple(map(tuple, z))).draw(rng, samples)


def true_signs(z: Floats) -> Floats:
    """Sign of each pair's difference in a population with the correlations of these systems."""
    r = np.corrcoef(z.T)[0, 1:]
    first, second = np.triu_indices(r.size, 1)
    return np.asarray(np.sign(r[first] - r[second]))


def as_often(z: Floats, claims: int, seed: tuple[int, ...], samples: int) -> Floats:
    """Shrink the metrics' differences until Williams' test makes so many claims on average."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        factor = (low + high) / 2
        drawn = shape(shrunk(z, factor), np.random.default_rng(seed), samples)
        mean = np.mean([np.abs(claims_of(scores)).sum() for scores in drawn])
        low, high = (factor, high) if mean < claims else (low, factor)
    return shrunk(z, (low + high) / 2)


def shrunk(z: Floats, factor: float) -> Floats:
    """Bring metrics' r nearer to their mean on Fisher's scale; their errors keep their form."""
    human, metrics = z[:, :1], z[:, 1:]
    r = np.clip(human.T @ metrics / len(z), -LARGEST_R, LARGEST_R)
    errors = (metrics - r * human) / np.sqrt(1 - r * r)
    of_z = np.arctanh(r)
    nearer = np.tanh(of_z.mean() + factor * (of_z - of_z.mean()))
    return np.concatenate([human, nearer * human + np.sqrt(1 - nearer**2) * errors], axis=1)


def _rounded(values: Mapping[str, float]) -> dict[str, object]:
    return {name: round(float(value), 1) for name, value in values.items()}


def claims_of(scores: Floats) -> Floats:
    """Give the sign of each pair that Williams' one-sided tests find different, 0 for others."""
    first, second = np.triu_indices(scores.shape[1] - 1, 1)
    return _signs(score_pairs(scores, first, second))


def _signs(pairs: ScorePairs) -> Floats:
    """Apply the published test, which takes the size of all three correlations."""
    r_a, r_b, r_ab = (np.abs(r) for r in (pairs.r_a, pairs.r_b, pairs.r_ab))
    tested = williams1959(r_a, r_b, r_ab, pairs.n)
    return np.asarray(np.sign(r_a - r_b) * (tested.p_value < 2 * ALPHA))


def found_again(samples: Floats, claimed: Floats) -> Floats:
    """Count the claims that each test finds in each sample, (tests, samples)."""
    return np.array([((of == claimed) & (claimed != 0)).sum(axis=1) for of in signs_of(samples)])


def claims_kept(samples: Floats, true: Floats) -> Floats:
    """Count each sample's claims of the right sign, and those that each test keeps."""
    claims, *tests = signs_of(samples)
    right = (claims != 0) & (claims == true)
    return np.array([right.sum(axis=1), *((right & (of == claims)).sum(axis=1) for of in tests)])


def signs_of(samples: Floats) -> Floats:
    """Sign of each pair that each test finds different, else 0: (tests, samples, pairs)."""
    first, second = np.triu_indices(samples.shape[2] - 1, 1)
    found = []
    for scores, sample in zip(samples, concluded(samples), strict=True):
        sign = np.sign(sample.quantile)
        p = sample.own, sample.library.adjusted[first, second]
        found.append([claims_of(scores), *(sign * (x <= ALPHA) for x in p)])
    return np.moveaxis(np.array(found), 1, 0)


def in_new_sets(sets: Mapping[str, xr.Dataset]) -> list[Row]:
    """Count the metrics that could have the first rank in a new set, by Neuhof and Benjamini."""
    rows: list[Row] = []
    for pool in POOLS:
        members = [of for name, of in sets.items() if name.startswith(pool)]
        metrics = sorted(set.intersection(*(set(of["metric"].values.tolist()) for of in members)))
        for test in ("williams", "fisher-jackknife"):
            lowest = [ranks(scores_array(of.sel(metric=metrics)), test) for of in members]
            first = (np.array(lowest).min(axis=0) == 1).sum()
            sizes = {"sets": len(members), "metrics": len(metrics)}
            rows.append({"pool": pool, "test": test, **sizes, "first": int(first)})
    return rows


def ranks(scores: Floats, test: str) -> NDArray[np.intp]:
    """Lowest rank that each metric of a set can have: one more than the metrics that are better."""
    count = scores.shape[1] - 1
    first, second = np.triu_indices(count, 1)
    pairs = score_pairs(scores, first, second)
    two_sided = (
        williams1959(pairs.r_a, pairs.r_b, pairs.r_ab, pairs.n).p_value
        if test == "williams"
        else 2 * ndtr(-np.abs(pairs.quantile))
    )
    ahead = pairs.r_a > pairs.r_b
    # both directions of each pair are tested, one-sided, and corrected together
    p = np.concatenate([two_sided / 2, 1 - two_sided / 2])
    better = holm(p)[: first.size] <= ALPHA
    worse: Bools = np.where(ahead, second, first)[better]
    return np.asarray(1 + np.bincount(worse, minlength=count))
