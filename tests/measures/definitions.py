"""Every registered measure by its definition, in loops over drawn systems, segments and pairs."""

import warnings
from itertools import combinations

import numpy as np
from scipy import stats

from tests.toy_scores import oriented

RANKS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "tau_b": stats.kendalltau}
RANKS["kendall"] = RANKS["tau_b"]


def values(name, scores, *, rows=None, columns=None, metrics=None, thresholds=None):
    """Value of each metric on drawn systems (rows) and segments (columns) of selected Scores.

    Metrics' oriented scores may be given instead, and the thresholds of ties in them.
    """
    human, own, keep = oriented(scores)
    metrics = own if metrics is None else metrics
    rows, columns = (
        np.arange(size) if drawn is None else np.asarray(drawn)
        for drawn, size in zip((rows, columns), human.shape, strict=True)
    )
    if "/" not in name and name not in ("PA", "SPA"):
        at = np.ix_(rows, columns)
        weights = np.where(np.isnan(human), 0, scores["human_count"])[at]
        means = (np.nan_to_num(human)[at] * weights).sum(axis=1) / weights.sum(axis=1)
        return np.array([of_systems(name, means, np.nanmean(x[at], axis=1)) for x in metrics])
    if "/" not in name:
        both = human[:, columns], metrics[:, :, columns]
        return np.array([of_pairs(name, both[0], x, rows) for x in both[1]])
    thresholds = thresholds_of(name, scores) if thresholds is None else thresholds
    each = zip(metrics, thresholds, strict=True)
    return np.array([of_translations(name, human, x, keep, rows, columns, t)[0] for x, t in each])


def of_systems(name, human, metric):
    """A measure of scores of systems, copies of a system being systems."""
    if "MAE" in name:
        return np.abs(metric - human).mean()
    if "RMSE" in name:
        return np.sqrt(np.square(metric - human).mean())
    constant = min(np.ptp(human), np.ptp(metric)) == 0
    return np.nan if constant else RANKS[name](human, metric).statistic


def of_pairs(name, human, metric, rows):
    """PA or SPA over pairs of drawn systems, but for copies of one system."""
    agreement = []
    for i, j in combinations(rows, 2):
        if i != j:
            sides = [x[i] - x[j] for x in (human, metric)]
            p = [preference(name, d) for d in sides]
            agreement.append(1 - abs(p[0] - p[1]))
    return np.mean(agreement) if agreement else np.nan


def preference(name, differences):
    total = differences.sum()
    if abs(total) <= 1e-12 * np.abs(differences).sum():
        return 0.5
    if name == "PA":
        return float(total < 0)
    return stats.norm.cdf(-total / np.sqrt(np.square(differences).sum()))


def of_translations(name, human, metric, keep, rows, columns, threshold=0.0):
    """Value over groups of drawn translations, and the number of groups without one.

    Copies of a translation form no pair; tau_c is taken to that of the whole group.
    """
    kind, grouping = name.split("/")
    kind = kind.replace("_eq", "_23")
    cells = [(r, c, i, j) for r, i in enumerate(rows) for c, j in enumerate(columns) if keep[i, j]]
    label = {"none": lambda cell: 0, "system": lambda cell: cell[0], "item": lambda cell: cell[1]}
    groups = {}
    for cell in cells:
        groups.setdefault(label[grouping](cell), []).append(cell[2:])
    found, pooled = [], []
    for group in groups.values():
        at = tuple(np.array(group).T)
        h, x = human[at], metric[at]
        a, b = np.triu_indices(len(group), 1)
        apart = (np.array(group)[a] != np.array(group)[b]).any(axis=1)
        a, b = a[apart], b[apart]
        ties = np.broadcast_to(threshold, human.shape)[at][a]
        pooled.append((h[a] - h[b], x[a] - x[b], ties))
        whole = {"none": keep, "system": keep[group[0][0]], "item": keep[:, group[0][1]]}[grouping]
        of_whole = {"none": np.s_[:], "system": group[0][0], "item": np.s_[:, group[0][1]]}
        all_of = [y[of_whole[grouping]][whole] for y in (human, metric)]
        found.append(of_group(kind, h, x, *pooled[-1], all_of))
    if kind == "pdp":
        h, x, _ = (np.concatenate(each) for each in zip(*pooled, strict=True))
        squares = (h @ h) * (x @ x)
        return (h @ x / np.sqrt(squares) if squares else np.nan), None
    defined = [value for value in found if value is not None]
    return np.mean(defined) if defined else np.nan, len(found) - len(defined)


def of_group(kind, h, x, dh, dx, ties, whole):
    """Value of one group from its scores and their differences in pairs; None without one."""
    if kind == "pdp" or not dh.size:
        return None
    if kind in RANKS or kind == "tau_c":
        if not dh.any() or not dx.any():
            return None
        if kind != "tau_c":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", stats.NearConstantInputWarning)
                return RANKS[kind](h, x).statistic
        n, m = whole[0].size, min(np.unique(each).size for each in whole)
        if h.size == n and 2 * dh.size == n * (n - 1):
            return stats.kendalltau(h, x, variant="c").statistic
        return np.sign(dh * dx).mean() * (n - 1) / n * m / (m - 1)
    right = np.where(np.abs(dx) <= ties, dh == 0, dh * dx > 0).mean()
    return right if kind == "acc_23" else 2 * right - 1


def thresholds_of(name, scores):
    """Threshold of ties of each metric, calibrated if they are."""
    human, metrics, keep = oriented(scores)
    if not name.partition("/")[0].endswith("_eq"):
        return [0.0] * len(metrics)
    return [calibrated(human, x, keep, name.partition("/")[2])[1] for x in metrics]


def calibrated(human, metric, keep, grouping):
    """Best mean acc_23 over groups, and the smallest threshold that has it, each being tried."""
    at = np.argwhere(keep)
    group = {"none": 0 * at[:, 0], "system": at[:, 0], "item": at[:, 1]}[grouping]
    first, second = np.triu_indices(len(at), 1)
    alike = group[first] == group[second]
    first, second = first[alike], second[alike]
    dh, dx = (y[keep][first] - y[keep][second] for y in (human, metric))
    pairs = np.bincount(group[first])

    def accuracy(t):
        right = np.bincount(group[first], np.where(np.abs(dx) <= t, dh == 0, dh * dx > 0))
        return (right[pairs > 0] / pairs[pairs > 0]).mean()

    tried = {t: accuracy(t) for t in [0.0, *np.unique(np.abs(dx))]}
    best = max(tried.values())
    return best, min(t for t, value in tried.items() if value >= best - 1e-12)
