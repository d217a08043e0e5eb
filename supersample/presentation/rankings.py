"""Tables of a ranking: the ranking itself, its comparisons, and its correlations."""

import math

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.presentation.labels import ADDED_NOTE, added_metrics, metric_labels, note_lines
from supersample.presentation.table import Column, Table, Value

SMALLEST_N, SMALLEST_LEFT_OUT = 4, 5  # that have an interval; that have one by the jackknife
_LIMITED = ("r", "lower", "upper")
EXACT_COLUMNS = (Column("r", "all", ".3f"), Column("within_part", "within", ".3f"))

CLUSTER_NOTE = (
    "Wins (metrics it is significantly better than) inform, r alone orders. Clusters are greedy: a "
    "metric that loses to any of the current one opens the next; members may differ all the same."
)
EXACT_NOTE = (
    "all: r of infinitely many hybrids, in closed form; within: how much of it comes of which "
    "segments are taken (the correlation of the rest, alone, is the systems' own r)."
)
ABSOLUTE_NOTE = (
    "Absolute values of correlations, as in the papers this reproduces: a metric that points the "
    "wrong way does not show."
)
PRECISION_NOTE = (
    "Intervals with n = hybrids measure only how well n independent draws would pin down a number "
    "that these systems and segments already fix (pairs in rotation do so better: see the standard "
    "error); those with n = systems take these systems for a sample of a population of systems."
)


def basis_title(ranking: xr.Dataset, basis: str) -> str:
    """Say what n counts and how many: '10,000 hybrids'."""
    return f"{int(ranking['n'].sel(basis=basis)):,} {basis}"


def ranking_table(ranking: xr.Dataset) -> Table:
    """One row a metric, best first, every number of it for CSV and JSON.

    On each basis: rank, r with its limits, wins, cluster, and ``next``: r less that of the
    metric in the next row, with its limits where the method is an interval.
    """
    bases = [str(basis) for basis in ranking["basis"].to_numpy()]
    columns = [Column("metric", "metric"), Column("higher_is_better", "higher is better")]
    values: list[NDArray[np.generic]] = []
    for b, basis in enumerate(bases):
        field = basis.replace(" ", "_")
        for name in ("rank", "r", "lower", "upper", "wins", "cluster"):
            columns.append(Column(f"{name}_{field}", f"{name} ({basis})"))
            values.append(ranking[name].to_numpy()[b])
        for name in ("difference", "difference_lower", "difference_upper"):
            if name in ranking:
                below = np.diagonal(ranking[name].to_numpy()[b], 1)
                columns.append(Column(f"next_{name}_{field}", f"next {name} ({basis})"))
                values.append(np.append(below, np.nan))
    metrics = zip(ranking["metric"].to_numpy(), ranking["higher_is_better"].to_numpy(), strict=True)
    rows = [
        (str(metric), bool(higher), *(value[i].item() for value in values))
        for i, (metric, higher) in enumerate(metrics)
    ]
    return Table(tuple(columns), tuple(rows), caption=_caption(ranking), notes=notes(ranking))


def printed_ranking(ranking: xr.Dataset, exact: xr.Dataset | None = None) -> Table:
    """Lay the ranking out for a page or a terminal, r and its limits in one cell.

    Parameters
    ----------
    ranking : xarray.Dataset
        What `rank` gave.
    exact : xarray.Dataset, optional
        What `exact_hybrid_correlations` gave: r of infinitely many hybrids, and its within part,
        stand beside r over hybrids.
    """
    bases = [str(basis) for basis in ranking["basis"].to_numpy()]
    columns = [Column("metric", "metric")]
    known = None if exact is None else exact.reindex(metric=ranking["metric"])
    for basis in bases:
        columns += [
            Column(f"rank_{basis}", "#"),
            Column(f"r_{basis}", f"r, {basis}"),
            *(EXACT_COLUMNS if known is not None and basis == "hybrids" else ()),
            Column(f"wins_{basis}", "wins"),
            Column(f"cluster_{basis}", "cluster"),
        ]
    rows = []
    for i, metric in enumerate(metric_labels(ranking)):
        arrow = "" if ranking["higher_is_better"][i] else " ↓"
        row: list[Value] = [f"{metric}{arrow}"]
        for b in range(len(bases)):
            own = ranking.isel(basis=b, metric=i)
            row += [float(own["rank"]), with_limits(*(float(own[x]) for x in _LIMITED))]
            if known is not None and bases[b] == "hybrids":
                row += [float(known[column.field][i]) for column in EXACT_COLUMNS]
            row += [int(own["wins"]), float(own["cluster"])]
        rows.append(tuple(row))
    lowered = not ranking["higher_is_better"].all()
    legend = ["↓ lower is better; its scores were negated."] if lowered else []
    legend += [ADDED_NOTE] if added_metrics(ranking) else []
    legend += [] if known is None else [EXACT_NOTE]
    return Table(tuple(columns), tuple(rows), _caption(ranking), (*legend, *notes(ranking)))


def with_limits(estimate: float, lower: float, upper: float) -> str:
    """Write an estimate and its limits: '0.943 [0.941, 0.945]'.

    >>> with_limits(0.943, 0.9406, 0.945)
    '0.943 [0.941, 0.945]'
    """
    if math.isnan(estimate):
        return "undefined"
    if math.isnan(lower):
        return f"{estimate:.3f}"
    return f"{estimate:.3f} [{lower:.3f}, {upper:.3f}]"


def _caption(ranking: xr.Dataset) -> str:
    bases = [str(basis) for basis in ranking["basis"].to_numpy()]
    sizes = " and ".join(basis_title(ranking, basis) for basis in bases)
    level = f"{100 * ranking.attrs['confidence_level']:g} %"
    coefficient = ranking.attrs["coefficient"].capitalize()
    interval = ranking.attrs["interval"]
    return (
        f"{coefficient} correlation with human scores over {sizes}, {level} intervals ({interval})"
    )


def resampled_note(result: xr.Dataset) -> list[str]:
    """Say what intervals answer whose bootstrap drew no systems."""
    drawn = result.attrs.get("resampled", "systems")
    if drawn == "systems":
        return []
    return [
        f"Bootstrap over {drawn}: how far these very systems' r would move with other {drawn}; it "
        "says nothing of other systems."
    ]


def notes(ranking: xr.Dataset) -> tuple[str, ...]:
    """Say what a reader of the ranking must know."""
    lines = [CLUSTER_NOTE]
    if ranking.attrs["orientation"] == "absolute":
        lines.append(ABSOLUTE_NOTE)
    bases = [str(basis) for basis in ranking["basis"].to_numpy()]
    if ranking.attrs.get("outliers"):
        lines.append(f"Outliers by human score (median and MAD): {ranking.attrs['outliers']}.")
    if "estimand_is" in ranking.attrs:
        lines.append(f"Random: {ranking.attrs['unit']}. Estimand: {ranking.attrs['estimand_is']}.")
    if "hybrids" in bases:
        lines.append(PRECISION_NOTE)
    lines += resampled_note(ranking)
    least = SMALLEST_LEFT_OUT if "jackknife" in ranking.attrs["interval"] else SMALLEST_N
    counts = dict(zip(bases, map(int, ranking["n"].to_numpy()), strict=True))
    if "unit" in ranking.attrs and ranking.attrs["systems"] < SMALLEST_N:
        counts, least = {"systems": ranking.attrs["systems"]}, SMALLEST_N
    lines += [
        f"No interval over {n} {basis}: at least {least} are needed."
        for basis, n in counts.items()
        if n < least
    ]
    return tuple(lines)


def significance_line(ranking: xr.Dataset, basis: str) -> str:
    """How many pairs of metrics differ significantly on a basis, in one line."""
    wins = int(ranking["wins_over"].sel(basis=basis).sum())
    metrics = ranking.sizes["metric"]
    method, alternative = ranking.attrs["method"], ranking.attrs["alternative"]
    one_sided = [] if alternative == "two-sided" else ["one-sided"]
    level = f"{100 * ranking.attrs['confidence_level']:g} %"
    how = ", ".join([method, *one_sided, level])
    line = (
        f"{basis_title(ranking, basis)}: {wins} of {metrics * (metrics - 1) // 2} "
        f"pairs differ significantly ({how})"
    )
    return line if "p_holm" not in ranking else f"{line}; {_after_holm(ranking, basis)} after Holm"


def conclusion_line(ranking: xr.Dataset) -> str:
    """Say in one sentence what may be concluded about these systems, and what about new ones.

    The first rests on r over hybrids, a number that these systems and segments fix; the second on
    the test with n = systems. Nothing where a basis is not there, or r is not.
    """
    bases = [str(basis) for basis in ranking["basis"].to_numpy()]
    metrics = ranking.sizes["metric"]
    if not {"hybrids", "systems"} <= set(bases) or metrics < 2:
        return ""
    r = ranking["r"].sel(basis="hybrids").to_numpy()
    if np.isnan(r[0]):
        return ""
    best = metric_labels(ranking)[0]
    systems = int(ranking["n"].sel(basis="systems"))
    wins = int(ranking["wins"].sel(basis="systems").to_numpy()[0])
    others = metrics - 1
    told = f"{'all' if wins == others else wins or 'none'} of the {others} other metrics"
    if others == 1:
        told = "the other metric"
    evidence = "no evidence" if others == 1 and wins == 0 else "evidence"
    found = f"{systems} are {evidence} that it agrees better than {told}"
    if systems < SMALLEST_N:
        found = f"{systems} are too few to say anything"
    level = f"{100 * ranking.attrs['confidence_level']:g} %"
    return (
        f"Of these systems on these segments, {best} agrees best with people (r = {r[0]:.3f}); of "
        f"new systems, {found} ({ranking.attrs['method']}, {level})."
    )


def _after_holm(ranking: xr.Dataset, basis: str) -> int:
    """Count the pairs that stay significant when p is adjusted for all of them."""
    level = round(1 - ranking.attrs["confidence_level"], 12)
    rejected = ranking["p_holm"].sel(basis=basis).to_numpy() <= level
    return int(np.triu(rejected | rejected.T, 1).sum())


def tested_pairs(difference: NDArray[np.float64], alternative: str) -> list[tuple[int, int]]:
    """Each pair of metrics once, in the order that its test can call significant.

    Two-sided: in the order of the metrics. One-sided: the better metric first where the alternative
    is "greater", the worse one where it is "less".
    """
    pairs = []
    for i, j in zip(*np.triu_indices(len(difference), 1), strict=True):
        turned = difference[i, j] > 0 if alternative == "less" else difference[i, j] < 0
        pairs.append(
            (int(j), int(i)) if turned and alternative != "two-sided" else (int(i), int(j))
        )
    return pairs


def comparisons_table(ranking: xr.Dataset) -> Table:
    """One row a pair of metrics and basis, as `tested_pairs` has them."""
    optional = {
        "difference_lower": Column("lower", "from", ".4f"),
        "difference_upper": Column("upper", "to", ".4f"),
        "statistic": Column("statistic", "statistic", ".4f"),
        "p_value": Column("p_value", "p", ".4g"),
        "p_holm": Column("p_holm", "p (Holm)", ".4g"),
        "p_bh": Column("p_bh", "p (Benjamini-Hochberg)", ".4g"),
    }
    present = {name: column for name, column in optional.items() if name in ranking}
    columns = (
        Column("basis", "basis"),
        Column("n", "n"),
        Column("metric", "metric"),
        Column("other_metric", "other metric"),
        Column("difference", "difference", ".4f"),
        *present.values(),
        Column("significant", "significant"),
        Column("identical", "identical"),
    )
    metrics = [str(metric) for metric in ranking["metric"].to_numpy()]
    arrays = {name: ranking[name].to_numpy() for name in ("difference", *present, "significant")}
    identical = ranking["identical"].to_numpy()
    rows: list[tuple[Value, ...]] = []
    for b, basis in enumerate(ranking["basis"].to_numpy()):
        n = int(ranking["n"][b])
        for i, j in tested_pairs(arrays["difference"][b], ranking.attrs["alternative"]):
            values = [float(arrays[name][b, i, j]) for name in ("difference", *present)]
            flags = [bool(arrays["significant"][b, i, j]), bool(identical[i, j])]
            rows.append((str(basis), n, metrics[i], metrics[j], *values, *flags))
    return Table(columns, tuple(rows), caption=f"Differences of r, {ranking.attrs['method']}")


def correlations_table(ranking: xr.Dataset) -> Table:
    """One row a pair of metrics and basis: how the metrics' own scores correlate."""
    columns = (
        Column("basis", "basis"),
        Column("metric", "metric"),
        Column("other_metric", "other metric"),
        Column("r", "r", ".4f"),
    )
    metrics = [str(metric) for metric in ranking["metric"].to_numpy()]
    values = ranking["metric_r"].to_numpy()
    rows: list[tuple[Value, ...]] = [
        (str(basis), metrics[i], metrics[j], float(values[b, i, j]))
        for b, basis in enumerate(ranking["basis"].to_numpy())
        for i in range(len(metrics))
        for j in range(i + 1, len(metrics))
    ]
    return Table(columns, tuple(rows), caption="Correlations of metrics with each other")


def source_lines(ranking: xr.Dataset) -> list[str]:
    """Say what was read and what was left out, for the reader of a ranking."""
    facts = ranking.attrs
    counted = "systems" in ranking["basis"].to_numpy()
    systems = int(ranking["n"].sel(basis="systems")) if counted else facts["systems"]
    lines = [
        f"{facts.get('source', 'scores')}: {systems} systems, {ranking.sizes['metric']} metrics, "
        f"human scores '{facts.get('human', 'human')}'"
        + (f", segments {facts['mask']}" if "mask" in facts else "")
    ]
    lines += [
        f"{what} left out: {facts[f'{what}_left_out']}"
        for what in ("systems", "metrics", "segments")
        if facts.get(f"{what}_left_out")
    ]
    if facts.get("segment_order"):
        lines.append(f"segments counted in the order {facts['segment_order']}")
    if facts.get("names_matched"):
        lines.append(f"names matched between files: {facts['names_matched']}")
    return lines + note_lines(ranking)
