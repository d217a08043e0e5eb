"""The answer of a ranking, and the sentences beside it.

It says which metric agrees best here, and which could be best elsewhere; then counts of pairs, what
is told of added metrics, and the comparison of one pair.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import listed, plural
from supersample.presentation import labels
from supersample.presentation.notes import FLAGS, SMALLEST_SET, explained, measures_told
from supersample.presentation.table import Column, Filled, Table, limit, table_of

MOST_ROWS = 12
"""Metrics of a first screen."""
MOST_BESIDE = 11  # rows beside a baseline, and names that are listed
MOST_IN_TWO = 5  # in two tables, or one that is printed in two parts
MOST_NAMES = 3
LONGEST_NAME = 20  # letters, of a table in 80 columns or on a page
MOST_NEEDED, MOST_TEXTS = 1_000, 100_000  # largest numbers needed that are printed
HYBRIDS_NOTE = "Hybrids are artificial systems, each with segments of two or more of these systems."
LIMITS_NOTE = (
    "{}: where {} of each metric alone may be, if {} are independent (no near-copies); two such "
    "intervals can overlap although the metrics differ."
)
OF_TEAMS = "systems of different teams"
BEST_NOTE = (
    "{}: this metric may be the best; no other is clearly ahead. {} sure: at most {:g} in 100 "
    "such lists should miss the truly best metric."
)
DIFFERENCE_LIMITS = "difference_lower", "difference_upper"
FEWEST_SETS = 5  # language pairs, domains or sets from which new ones can be judged
YES, NO, VAGUE, UNKNOWN = "possible", "ruled out", "uncertain", "not known"

SCOPES = {
    "documents": ("these systems, new documents", "docs"),
    "segments": ("these systems, new segments", "segments"),
    "systems": ("new systems", "systems"),
    "sets": ("new sets", "sets"),  # by the name of the groups, see `_scope`
    "systems+segments": ("new systems and segments", "systems and\nsegments"),
    "systems+documents": ("new systems and documents", "systems and\ndocs"),
    "inputs": ("these systems, new segments", "segments"),
    "both": ("new systems and segments", "systems and\nsegments"),
    "systems,segments": ("new systems and segments", "systems and\nsegments"),
}
"""What is new by what is random: in words, and in the heading of a column."""


def words_of(part: xr.Dataset) -> str:
    """Name what is new on the basis of a part; "" where nothing is concluded on."""
    return _scope_words(part, random_of(part))[0] if random_of(part) in SCOPES else ""


class Scope(NamedTuple):
    """What a ranking concludes on all metrics where something is new."""

    words: str
    heading: str
    part: xr.Dataset
    known: NDArray[np.bool_]
    """Metrics with a p-value."""
    kept: NDArray[np.bool_]
    """Metrics that could be the best."""
    vague: NDArray[np.bool_]
    """Metrics that are kept although the interval of their own value holds 0."""

    @property
    def field(self) -> str:
        """Name of the column that says which metrics could be the best."""
        return "_".join(["best", *self.heading.split()])

    @property
    def rules_out(self) -> bool:
        """Whether any metric is ruled out."""
        return bool(self.kept.sum() < self.known.sum())

    def cells(self) -> list[str]:
        """Say of each metric whether it could be the best."""
        kept = np.where(self.vague, VAGUE, YES)
        lacking = np.where(self.part["value"].notnull(), UNKNOWN, "")
        found: list[str] = np.where(self.known, np.where(self.kept, kept, NO), lacking).tolist()
        return found

    def names(self, rows: list[int] | slice) -> str:
        """List the metrics of these rows that could be the best, if they are few."""
        names = np.array(labels.marked_labels(self.part))[rows][self.kept[rows]]
        return f": {listed(names)}" if 0 < names.size <= MOST_BESIDE else ""

    def told(self, *, named: bool = False) -> str:
        """Say how many metrics may be the best, within 80 columns beside the words; or name few."""
        count, kept = int(self.known.sum()), int(self.kept.sum())
        level = labels.level_of(self.part)
        if not self.rules_out:
            each = "either of the two" if count == 2 else f"any of the {count}"
            return f"{each} metrics could be the best (at {level})"
        one = labels.marked_labels(self.part)[int(self.kept.argmax())]
        names = self.names(slice(None)) * named
        told = one if kept == 1 else f"one of {kept} of {count} metrics{names}"
        return f"the best is {told} ({level} sure)"


def scopes_of(ranking: xr.Dataset) -> list[Scope]:
    """Find what a ranking concludes on, from the narrowest to the broadest.

    Metrics are in the order of the part that leads; of several measures it is the first one.
    """
    if "may_be_best" not in ranking or ranking.sizes["metric"] < 2:
        return []
    leading = labels.at_first(labels.in_order(ranking), "group", "measure")
    parts = {random_of(x): x for x in labels.selections(leading, "basis")}
    found = [_scope(parts[basis], basis) for basis in SCOPES if basis in parts]
    missing = dict(missing_scopes(ranking))
    return [scope for scope in found if scope.known.sum() > 1 and scope.words not in missing]


def random_of(part: xr.Dataset) -> str:
    """Name what is new where a part draws its conclusions."""
    return str(part["basis"].item())


def _scope(part: xr.Dataset, random: str) -> Scope:
    known = part["p_best"].notnull().to_numpy()
    kept = part["may_be_best"].to_numpy() & known
    vague = np.zeros(known.shape, bool)
    if labels.value_name(part) == "r" and {"lower", "upper"} <= set(part.data_vars):
        vague = kept & (part["lower"].to_numpy() < 0) & (part["upper"].to_numpy() > 0)
    return Scope(*_scope_words(part, random), part, known, kept, vague)


def _scope_words(part: xr.Dataset, random: str) -> tuple[str, str]:
    groups = f"{labels.group_name(part)}s"
    return (f"new {groups}", groups.split()[-1]) if random == "sets" else SCOPES[random]


def missing_scopes(ranking: xr.Dataset) -> list[tuple[str, str]]:
    """Say on what nothing is concluded, and why: it cannot be, or another option is needed."""
    asked = {"these systems, new documents": labels.NO_TEXTS, "new systems": labels.NO_SYSTEMS}
    rows = [(words, str(why)) for words, x in asked.items() if (why := ranking.attrs.get(x))]
    parts = labels.selections(ranking[["n"]], "basis") if "n" in ranking else []
    sizes = [int(part["n"].min()) for part in parts if random_of(part) == "systems"]
    needed = f", and at least {SMALLEST_SET} are needed"
    rows += [("new systems", plural(n, "systems") + needed) for n in sizes if n < SMALLEST_SET]
    drawn = [x for x in labels.names_of(ranking, "basis") if x in SCOPES]
    known = labels.is_grouped(ranking) or "new systems" in dict(rows)
    if drawn and not (known or any("systems" in x for x in drawn)):
        rows.append(("new systems", "it takes the option --random systems"))
    return rows


def verdict(ranking: xr.Dataset, *, named: bool = False) -> list[str]:
    """Say which metric agrees best here, and how many could be best where something is new.

    A single metric has a sentence by each measure. Few metrics that could be the best are listed of
    shared tasks, and beside a baseline (`named`), where tables say which is best by each measure.
    """
    part = labels.part_of(ranking)
    if part.sizes["metric"] == 1 or np.isnan(part["value"][0]):
        each = (_best_here(ranking, x) for x in labels.leading_parts(labels.on_average(ranking)))
        return [*dict.fromkeys(each), *missing_lines(ranking)]
    scopes = scopes_of(ranking)
    rows = [(_words(x, ranking), x.told(named=named or labels.is_task(ranking))) for x in scopes]
    rows += [(words, f"not known: {why}") for words, why in missing_scopes(ranking)]
    grouped = labels.is_grouped(ranking)
    rows.sort(key=lambda row: row[0].startswith("new systems"))
    if 1 < ranking.sizes.get("group", 1) <= FEWEST_SETS:
        few = f"not known: {(n := ranking.sizes['group'] - 1)} {'are' if n > 1 else 'is'} too few"
        rows.append((f"new {labels.group_name(ranking)}s", f"{few}; {FEWEST_SETS} are needed"))
        parts = labels.selections(labels.at_first(ranking, "measure", "basis"), "group")[1:]
        new = {random_of(x.part): x.words.rpartition(", ")[2] for x in scopes}
        new.pop("sets", None)
        rows += [_best_of(ranking, x, new) for x in parts]
    width = max((len(words) for words, _ in rows), default=0)
    lines = [_best_here(ranking, part) + " On new data:" * (bool(scopes) and not grouped)]
    lines += [f"  {words:{width}}  {told}" for words, told in rows]
    return lines if named else [*lines, *_by_others(ranking)]


def _best_of(ranking: xr.Dataset, part: xr.Dataset, new: Mapping[str, str]) -> tuple[str, str]:
    """Name the best metric of a group, its value, and how many may be the best by what is new."""
    name, r = part["group"].item(), float(part["value"].where(part["rank"] == 1).max())
    kept = {random_of(x.part): x.kept.sum() for x in scopes_of(ranking.sel(group=[name]))}
    many = ", of ".join(f"{kept.get(basis, 'unknown')} on {words}" for basis, words in new.items())
    best = f"; the best metric is one of {many} ({labels.level_of(part)} sure)" * bool(new)
    first = f"first here: {listed(_first(part), MOST_NAMES)} ({r:.3f})"
    return f"{labels.group_name(ranking)} {name}", f"{first}{best}"


def _words(scope: Scope, ranking: xr.Dataset) -> str:
    """Name what is new, and of several groups whether they are these or others."""
    groups, words = f"{labels.group_name(ranking)}s", scope.words
    if labels.is_grouped(ranking) and scope.heading != "docs" and words != f"new {groups}":
        return f"{words}, these {groups}"
    return "new systems, same segments" if words == "new systems" else words


def unranked(part: xr.Dataset) -> str:
    """Say why no metric can be ranked; nothing where one can."""
    if np.isnan(part["value"].to_numpy()[0]):
        return "no value is defined"
    swapped = str(part.attrs.get("method")).startswith("perm") and part.sizes["metric"] > 1
    of_itself_alone = swapped and int(part["p_value"].notnull().sum()) <= part.sizes["metric"]
    return "no difference can be tested" if of_itself_alone else ""


def _best_here(ranking: xr.Dataset, part: xr.Dataset) -> str:
    names, values = labels.names_of(part, "metric"), part["value"].to_numpy()
    if why := unranked(part):
        return f"No metric can be ranked: {why}."
    of = f"{labels.value_name(part)} = {values[0]:.3f}"
    average = _averaged(ranking, part) or " here"
    if len(names) == 1:
        return f"{names[0]} agrees with people{average} by {of}{_rests_on(ranking, part)}."
    return f"{_ahead(part, labels.marked_labels(part))}{average} ({of})."


def _averaged(ranking: xr.Dataset, part: xr.Dataset) -> str:
    """Say over what a part of a ranking is an average; "" if it is none."""
    return f" on average over {labels.group_name(ranking)}s" * labels.is_average(part)


def _ahead(part: xr.Dataset, names: list[str]) -> str:
    """Say by these names, in the order of a part, which metrics are best: several if tied."""
    first = names[: len(_first(part))]
    return f"{listed(first, MOST_NAMES)} agree{'s' * (len(first) == 1)} best with people"


def _first(part: xr.Dataset) -> list[str]:
    """Names of the metrics with the best value, in the order of a part."""
    return list(np.array(labels.marked_labels(part))[part["rank"].to_numpy() == 1])


def for_text(ranking: xr.Dataset) -> str:
    """Write the answer as a sentence for the text of a paper; "" where nothing is ranked."""
    part = labels.part_of(ranking)
    names, values = labels.names_of(part, "metric"), part["value"].to_numpy()
    if np.isnan(values[:2]).any() or unranked(part) or part["rank"].max() > len(names):
        return ""  # the latter of some of the metrics alone
    n = [f"n = {int(part['n'])}"] if "n" in part and not labels.is_average(part) else []
    of = f"{labels.value_name(part)} = {values[0]:.3f}"
    average = _averaged(ranking, part)
    if len(names) != 2:
        who = _ahead(part, names) if len(names) > 1 else f"{names[0]} agrees with people"
        # metrics that are tied may have different limits
        own = _over(part.isel(metric=0), "lower", "upper") * (len(_first(part)) == 1)
        where = [f" On {_words(x, ranking)}: {x.told()}." for x in scopes_of(ranking)]
        return f"{who}{average} ({'; '.join([of, *own, *n])}).{''.join(where)}"
    pair = part.isel(metric=0, other_metric=1)
    told = ", ".join([f"difference {values[0] - values[1]:.3f}", *_over(pair, *DIFFERENCE_LIMITS)])
    beside = "; ".join([f"{of} and {values[1]:.3f}", told, *n])
    denied = "difference_lower" in pair and pair["difference_lower"] < 0 < pair["difference_upper"]
    if labels.either_way(part)[0, 1] and not denied:
        return f"{names[0]} agrees better with people than {names[1]}{average} ({beside})."
    return f"No difference between {names[0]} and {names[1]} is shown{average} ({beside})."


def _over(row: xr.Dataset, lower: str, upper: str) -> list[str]:
    """Write an interval and what is random in it, if it is known."""
    limits = [float(row[name]) for name in (lower, upper) if name in row]
    return [f"{told} over {row['basis'].item()}" for told in _interval(row, limits)]


def _rests_on(ranking: xr.Dataset, part: xr.Dataset) -> str:
    """Say on how many systems the value of the only metric rests, and its limits by scope."""
    n = part["n"] if "n" in part else part.get("systems", np.nan)
    told = [] if np.isnan(n) or labels.is_average(part) else [plural(int(n), "systems")]
    first = labels.on_average(ranking).sel(measure=part["measure"].item()).isel(metric=0)
    known = {random_of(x): x for x in labels.selections(first, "basis") if "lower" in x}
    unknown = dict(missing_scopes(ranking))
    level = f"{labels.level_of(part)} interval "
    for random in [x for x in SCOPES if x in known and known[x]["lower"].notnull()]:
        if (words := _scope_words(known[random], random)[0]) not in unknown:
            lower, upper = (float(known[random][name]) for name in ("lower", "upper"))
            told.append(f"{level}{limit(lower)} to {limit(upper)} on {words}")
            level = ""
    return f" ({'; '.join(told)})" if told else ""


def _by_others(ranking: xr.Dataset) -> list[str]:
    """Name other metrics that are best by measures beside the first, which the verdict is by."""
    measures = labels.names_of(ranking, "measure")
    if labels.is_task(ranking) or len(measures) < 2:
        return []
    rest = labels.leading_parts(labels.on_average(ranking), measure=measures[1:])
    best = [(_first(part), labels.value_name(part)) for part in rest if not unranked(part)]
    ahead = {*_first(labels.part_of(ranking))}
    others = [f"{listed(own, MOST_NAMES)} by {name}" for own, name in best if not ahead <= {*own}]
    return [f"Best here by other measures: {listed(others, MOST_ROWS)}."] * bool(others)


def answer_table(ranking: xr.Dataset, most: int | None = MOST_ROWS) -> tuple[Table, list[str]]:
    """Lay out values, distances behind the best, and whether each metric could be the best.

    On average over groups.

    Returns
    -------
    table : Table
        At most `most` rows.
    folded : list of str
        How many more metrics there are, and whether all of these are ruled out, if there are any.
    """
    part = labels.part_of(ranking)
    scopes = scopes_of(ranking)
    names = list(map(short, labels.marked_labels(part)))
    columns: list[Filled] = [(Column("rank", "#"), part["rank"])] if len(names) > 1 else []
    columns += [(Column("metric"), names), *_values(ranking, part)]
    if "in_sets" in part:
        columns.append((Column("in_sets", "sets"), part["in_sets"]))
    telling = [scope for scope in scopes if scope.rules_out]
    columns += [
        (Column(scope.field, f"best on\nnew {scope.heading}?"), scope.cells()) for scope in telling
    ]
    if most == MOST_ROWS and labels.is_grouped(ranking):
        most -= 4  # more is said of the systems of several sets
    table, more = folded(table_of(columns), most, lambda rest: told_of_rest(scopes, rest))
    vague = any(VAGUE in row for row in table.rows)
    told = (*_legend(ranking, table), *labels.legend(ranking), *(explained(VAGUE) if vague else []))
    return replace(table, notes=told), more


def told_of_rest(scopes: list[Scope], rest: list[int]) -> str:
    """Say of metrics that are not printed how many could be the best."""
    if not any(scope.rules_out for scope in scopes):
        return ""
    if np.any([scope.kept[rest] for scope in scopes]):
        left = [x for x in scopes if x.rules_out]
        told = [f"{x.kept[rest].sum()} on {x.words.split(', ')[-1]}{x.names(rest)}" for x in left]
        return f" (could be the best: {'; '.join(told)})"
    return f" {NO}" if all(scope.known[rest].all() for scope in scopes) else ""


def _legend(ranking: xr.Dataset, table: Table) -> list[str]:
    """Say in a line each what columns of r mean that readers mistake."""
    fields, told = {column.field: column.title for column in table.columns}, []
    level = labels.level_of(ranking)
    if "value_pearson" in fields:
        told.append(f"{labels.R_NOTE}{', on average' * labels.is_grouped(ranking)}.")
    if "limits" in fields and len(table.rows) > 1:
        units = fields["limits"].partition(", new ")[2] or "systems"
        units = OF_TEAMS if units == "systems" and "teams" in ranking.attrs else units
        told.append(LIMITS_NOTE.format(level, labels.value_name(ranking), units))
    elif len(table.rows) > 1 and ranking.get("lower", xr.DataArray(np.nan)).notnull().any():
        told.append("Intervals of each metric: --full.")
    if "r_hybrids" in fields:
        told.append(HYBRIDS_NOTE)
    told += measures_told(ranking)
    best = [field for field in fields if field.startswith("best_")]
    if any(_is_out_of_order(table, field) for field in best):
        told.insert(0, f"A metric can be {YES} below one that is {NO}: its gap is less certain.")
    if best:
        first = labels.names_of(ranking, "measure")[:1] * (ranking.sizes.get("measure", 1) > 1)
        by = "".join(f" by {labels.in_words(x).partition('/')[0]}" for x in first)
        told.insert(0, BEST_NOTE.format(YES + by, level, 100 * labels.alpha_of(ranking)))
    return told


def _is_out_of_order(table: Table, field: str) -> bool:
    """Whether a metric that is possible comes after one that is ruled out."""
    at = [column.field for column in table.columns].index(field)
    cells = [row[at] for row in table.rows]
    return NO in cells and YES in cells[cells.index(NO) :]


def folded(
    table: Table, most: int | None, told: Callable[[list[int]], str] = lambda rest: ""
) -> tuple[Table, list[str]]:
    """Keep the first rows of a table and those of added metrics; count the others, if any.

    `told` says more of the others, by their numbers.
    """
    added = [any(labels.ADDED in str(cell) for cell in row) for row in table.rows]
    kept = tuple(i for i, own in enumerate(added) if most is None or i < most or own)
    rest = [i for i in range(len(table.rows)) if i not in kept]
    if not rest:
        return table, []
    lined = tuple(kept.index(i) for i in table.underlined if i in kept)
    rows = tuple(table.rows[i] for i in kept)
    unlined = "" if lined else f"; {FLAGS['baseline']}"  # of baselines in rows that are cut
    told_of = tuple(note.replace(unlined, "") if unlined else note for note in table.notes)
    return replace(table, rows=rows, underlined=lined, notes=told_of), [
        f"{len(rest)} more row{'s' * (len(rest) > 1)}{told(rest)}: --all"
    ]


def _values(ranking: xr.Dataset, part: xr.Dataset) -> list[Filled]:
    """Columns of each measure, and of r over hybrids."""
    order, average = part["metric"].to_numpy(), labels.on_average(ranking)
    parts, columns = labels.leading_parts(average), list[Filled]()
    for each in parts:
        own, name = each.sel(metric=order), labels.value_name(each)
        heading = "\n".join(filter(None, name.rpartition(" ")[::2]))
        column = Column(f"value_{each['measure'].item()}", heading, f".{labels.digits_of(each)}f")
        columns.append((column, own["value"]))
        if len(order) == 1 or len(parts) == 1:
            columns += _limits(own)
    if "hybrids" in labels.names_of(ranking, "basis")[1:]:
        hybrids = labels.at_first(average, "measure").sel(basis="hybrids", metric=order)["value"]
        columns.append((Column("r_hybrids", "r over\nhybrids", ".3f"), hybrids))
    return columns


def _limits(part: xr.Dataset) -> list[Filled]:
    """Say within which limits the value of each metric lies, if they are known."""
    if "lower" not in part or part["lower"].isnull().all():
        return []
    pairs = zip(part["lower"].to_numpy(), part["upper"].to_numpy(), strict=True)
    cells = ["" if np.isnan(low) else f"{limit(low)} to {limit(high)}" for low, high in pairs]
    new = SCOPES.get(random_of(part), ("", ""))[1]
    heading = f"{labels.level_of(part)},\nnew {new}" if new else labels.level_of(part)
    return [(Column("limits", heading), cells)]


def behind_best(part: xr.Dataset) -> list[Filled]:
    """Say by how much each metric is behind the best, at least and at most, where that is known."""
    if "behind_upper" not in part or part["behind_upper"].isnull().all():
        return []
    limits = zip(part["behind_lower"].to_numpy(), part["behind_upper"].to_numpy(), strict=True)
    cells = [
        "" if np.isnan(high) else f"{limit(low) if low else 'up'} to {limit(high)}"
        for low, high in limits
    ]
    return [(Column("behind", "behind best"), cells)]


def behind_lines(part: xr.Dataset) -> str:
    """Say what the limits behind the best are, where they are drawn."""
    best = f"the truly best metric{_on_new(part)} ({labels.level_of(part)} for each row alone)"
    end = "If a bar reaches 0, its metric may be the best"
    return f"Bars: how far each may be behind {best}. {end}"


def ruled_out(part: xr.Dataset) -> str:
    """Say of what a metric is ruled out whose lower limit behind the best is above 0."""
    return f"ruled out as the best{_on_new(part)}"


def _on_new(part: xr.Dataset) -> str:
    words = words_of(part)
    return f" on {words}" if words else ""


def short(name: str, most: int = LONGEST_NAME) -> str:
    """Cut a long name in its middle."""
    return name if len(name) <= most else f"{name[: most - 9]}…{name[-8:]}"


def counts_of(ranking: xr.Dataset, exact: xr.Dataset | None = None) -> list[str]:
    """Count the significant pairs of each part, and say how far hybrids move r."""
    average = labels.on_average(ranking)
    several = ranking.sizes[labels.item_of(ranking)] > 1
    parts = labels.parts_of(average) if several else []
    lines = [count_line(part, labels.title_of(ranking, part)) for part in parts]
    if exact is not None:
        lines += [exact_line(exact)]
    return list(filter(None, lines))


def exact_line(exact: xr.Dataset) -> str:
    """Sum up: how far hybrids move r, and how precise n of them are."""
    moved = (exact["r"] - exact["systems_r"]).to_numpy()
    if np.isnan(moved).all():
        return "No metric has an r over infinitely many hybrids."
    error = float(np.nanmax(exact["standard_error"].to_numpy()))
    return (
        "r over infinitely many hybrids differs from r over the systems by "
        f"{np.nanmin(moved):+.4f} to {np.nanmax(moved):+.4f}; r over {exact.attrs['n']:,} hybrids "
        f"has a standard error of at most {error:.4f}."
    )


def best_line(part: xr.Dataset) -> str:
    """Name the systems whose predictions agree best with a gold standard."""
    gold, r = part["gold"].item(), float(part["value"][0])
    if np.isnan(r):
        return f"No prediction of {gold} has an r."
    first, rest = int((part["value"] == r).sum()), part.sizes["system"] - 1
    ahead = listed(labels.metric_labels(part)[:first], MOST_NAMES)
    wins = f", and wins over {int(part['wins'][0])} of {rest} others" * (first == 1 and rest > 0)
    return f"{ahead} {'has' if first == 1 else 'have'} the highest r with {gold} ({r:.3f}){wins}."


def count_line(part: xr.Dataset, title: str) -> str:
    """How many pairs of metrics (or systems) of a part differ significantly, in one line."""
    pairs = labels.pairs_that_differ(int(part["wins_over"].sum()), part.sizes[labels.item_of(part)])
    if "n" in part and "basis" in part.coords and not labels.is_average(part):
        title = labels.counted(part)
    test = labels.test_name(part).replace("one-sided", "one-sided for the better of a pair")
    line = f"{title}: {pairs} ({test}, {labels.rule_of(part)})"
    if "clusters" in part:
        line += f", and make {plural(int(part['clusters']), 'clusters')}"
    if "differs_adjusted" not in part or labels.adjusted_p(part) is None:
        return line
    differ, means = labels.differ(part)
    return f"{line}; {means}: {np.triu(differ, 1).sum()}"


def added_lines(part: xr.Dataset) -> list[str]:
    """Say of each added metric, among at least three, how many of the others it differs from.

    'mine ◀ has rank 2 of 5 by r; on new systems: better than 1 of the 4 others, worse than none
    (corrected ...)'
    """
    names, count = labels.names_of(part, "metric"), part.sizes["metric"]
    if count < 3 or not {"p_best", "differs_adjusted"} <= set(part.data_vars):
        return []
    beats, lines, name = _better(part), list[str](), labels.value_name(part)
    for i in (names.index(name) for name in labels.added_metrics(part) if name in names):
        label, rank = labels.metric_labels(part)[i], float(part["rank"][i])
        if np.isnan(rank):
            lines.append(f"{label} has no {name}: its scores do not vary, or one is missing")
            continue
        better, worse = beats[i].sum(), beats[:, i].sum()
        counts = f"better than {better or 'none'} of the {count - 1} others, worse than "
        alike = "no pair of it with another is told apart"
        ruled = "ruled out as the best: that takes less, only that any other is better, whichever"
        out = "" if bool(part["may_be_best"][i]) else f", yet it is {ruled}"
        told = f"{counts}{worse or 'none'}" if better or worse else alike + out
        new = words_of(part)
        place = f"{label} has rank {rank:.0f} of {count} by {name}{f'; on {new}' if new else ''}"
        corrected = "corrected for all pairs; --baseline compares with one"
        lines.append(f"{place}: {told} ({corrected})")
    return lines


def _better(part: xr.Dataset) -> NDArray[np.bool_]:
    """Which metric (row) is better than which, corrected for comparing all metrics."""
    ahead = part["difference"].to_numpy() * labels.sign_of(part) > 0
    return np.asarray(part["differs_adjusted"].to_numpy() & ahead)


def identical_lines(ranking: xr.Dataset) -> list[str]:
    """Name metrics of the same scores; results do not tell if these have another scale."""
    part = labels.part_of(ranking)
    names = labels.names_of(part, "metric")
    same = np.argwhere(np.triu(part["identical"].to_numpy(), 1))
    return [f"{names[i]} and {names[j]}: the same scores, perhaps in other units" for i, j in same]


def values_line(ranking: xr.Dataset) -> str:
    """Say how two metrics that are compared agree with people each, by every measure."""
    told = []
    for part in labels.leading_parts(labels.on_average(ranking)):
        rows = zip(labels.names_of(part, "metric"), part["value"].to_numpy(), strict=True)
        known = ", ".join(f"{name} {value:.4f}" for name, value in rows if not np.isnan(value))
        told.append(f"{labels.value_name(part)} with people: {known}")
    return f"{'; '.join(told)}."


def missing_lines(ranking: xr.Dataset) -> list[str]:
    """Say for which systems and texts a pair is not compared, and why."""
    return [f"Nothing is known about {words}: {why}." for words, why in missing_scopes(ranking)]


def pair_lines(found: xr.Dataset) -> list[str]:
    """Answer whether metrics agree better with people than the baseline.

    The only metric, or those that were added, are told in sentences: 'Yes: A agrees better with
    people than B on new systems (same segments), by 0.086 in r (95 % interval 0.011 to 0.281,
    p = 0.011).' Of the others, the number that differ is told.
    """
    average = labels.on_average(found)
    names = labels.names_of(found, "metric")
    chosen = names if len(names) == 1 else [x for x in labels.added_metrics(found) if x in names]
    if not chosen:
        parts = labels.leading_parts(average, "systems")
        first = min(parts, key=lambda x: bool(x["difference"].isnull().all()))
        told = [line for x in parts for line in _differing(x, every=x is first)]
        return [*told, *filter(None, dict.fromkeys(map(_floor, parts)))]
    return [*dict.fromkeys(line for name in chosen for line in _answers(average.sel(metric=name)))]


def _differing(part: xr.Dataset, *, every: bool = False) -> list[str]:
    """Count the metrics that differ from a baseline, and name the first ones that are better.

    `every` metric is named except in a largest group of many: better, worse or not shown to differ.
    """
    differs, base = part["differs"].to_numpy(), part.attrs["baseline"]
    if part["difference"].isnull().all():
        return [f"No metric can be compared with {base}: {_constant(base)}."]
    names = np.array(labels.marked_labels(part))
    sides = {"greater": "be better than", "less": "be worse than"}
    differ = sides.get(str(part.attrs.get("alternative")), "differ from")
    shown = f"{'are' if differs.sum() > 1 else 'is'} shown to {differ} {base}"
    of = f"{plural(names.size, 'metrics')} {shown}" if every or not differs.any() else names.size
    told = f"{differs.sum() or 'None'} of {of} by {labels.value_name(part)}"
    told += f" (Holm, {labels.level_of(part)})" * every
    better = differs & (labels.sign_of(part) * part["difference"].to_numpy() > 0)
    groups = {"better": better, "worse": differs & ~better}
    groups |= {f"not shown to {differ.rpartition(' ')[0]}": ~differs} if every else {}
    largest, each = max(groups, key=lambda x: groups[x].sum()), list[str]()
    for side, own in ((side, names[own]) for side, own in groups.items() if own.any()):
        whole = every and (side != largest or own.size <= MOST_BESIDE)
        who = f" ({listed(own, own.size if whole else MOST_NAMES)})"
        each.append(f"{own.size} {side}{who * (whole or side == 'better')}")
    told += f": {'; '.join(each)}" * bool(differs.any())
    lines = [told]
    if "margin" in part.attrs:
        alike = listed(names[part["not_worse"].to_numpy()], MOST_IN_TWO) or "none is shown to be"
        beside = f"each alone, {_one_sided(part)}"
        lines.append(f"Not worse by {part.attrs['margin']:g} or more ({beside}): {alike}")
    return lines


def apart(ranking: xr.Dataset) -> list[str]:
    """Say how far two metrics are apart by a method without p-values, which `pair_lines` need."""
    if ranking.sizes["metric"] != 2 or "p_value" in ranking or "difference_lower" not in ranking:
        return []
    told = list[str]()
    for part in labels.leading_parts(labels.on_average(ranking)):
        row = part.isel(metric=0, other_metric=1)
        first, second = row["metric"].item(), row["other_metric"].item()
        by = f"{first}'s {labels.value_name(row)} minus {second}'s: {float(row['difference']):.3f}"
        limits = _interval(row, [float(row[x]) for x in DIFFERENCE_LIMITS])
        where = f"for this pair alone, on {words_of(row) or random_of(row)}"
        told += [f"{by} ({interval} {where}; no p-value by this method)." for interval in limits]
    return told


def _constant(name: str) -> str:
    return f"{name} gives every system the same score, or lacks scores"


def least_of_holm(part: xr.Dataset) -> float:
    """Least p-value after Holm that as many resamples can give; NaN if the normal law goes on."""
    drawn = int(part.attrs.get("resamples", 0))
    counted = drawn and not str(part["tested_by"].item()).startswith("bootstrap")
    return int(part.attrs["comparisons"]) / (drawn + 1) if counted else np.nan


def _floor(part: xr.Dataset) -> str:
    """Say if too few resamples were drawn for any p-value to be significant after Holm."""
    count, least, alpha = part.attrs["comparisons"], least_of_holm(part), labels.alpha_of(part)
    if not least > alpha:
        return ""
    return (
        f"After Holm for {count} comparisons, no p-value of {part.attrs['resamples']:,} resamples "
        f"can be below {least:.2g}: add --resamples {int(np.ceil(2 * count / alpha))}"
    )


def _answers(found: xr.Dataset) -> list[str]:
    """Answer for one metric where something is new, or by each measure."""
    rows = [found.sel(place) for place in labels.places_of(found)]
    few = list(filter(None, dict.fromkeys(map(_floor, rows))))
    worded = [row for row in rows if words_of(row)]
    rows = sorted(worded or rows[:1], key=lambda x: [*SCOPES, random_of(x)].index(random_of(x)))
    if all(np.isnan(row["p_value"]) for row in rows):
        pair = f"{found['metric'].item()} and {found.attrs['baseline']}"
        who = found["metric"].item() if rows[0]["value"].isnull() else found.attrs["baseline"]
        return [f"{pair} cannot be compared: {_constant(str(who))}."]
    rows = [row for row in rows if not np.isnan(row["p_value"])]
    margins = [_within_margin(row) for row in rows if "margin" in row.attrs]
    return [*map(_answer, rows), *filter(None, margins), *few]


def _answer(row: xr.Dataset) -> str:
    """Answer for one metric on one part: who agrees better, by how much, and where."""
    ours, other = str(row["metric"].item()), str(row.attrs["baseline"])
    random = random_of(row)
    where = f" on {words_of(row) or random}"
    where += " (same segments)" if random == "systems" else ""
    if labels.is_average(row):
        where += ", on average"
    difference, name = float(row["difference"]), labels.value_name(row)
    higher, lower, sign = (other, ours, -1) if difference < 0 else (ours, other, 1)
    limits = sorted(sign * float(row[x]) for x in DIFFERENCE_LIMITS if x in row)
    beside, count = [*_interval(row, limits), *_p_values(row)], int(row.attrs["comparisons"])
    if bool(row["differs"]):
        ahead, behind = (higher, lower) if labels.sign_of(row) > 0 else (lower, higher)
        text = f"Yes: {ahead} agrees better with people than {behind}{where}"
        return f"{text}, by {abs(difference):.3f} in {name} ({', '.join(beside)})."
    size = f"{abs(difference):.3f}" if abs(difference) >= 0.0005 else "less than 0.001"
    by = f"is above {lower}'s by {size}" if difference else f"equals {lower}'s"
    text = f"Undecided{where}: here {higher}'s {name} {by} ({', '.join(beside)})."
    chance = f"{100 * labels.POWER:g} % probability, by formula{labels.compared_with(count)}"
    needed = _needed(row)
    return f"{text} If their gap is as here, {needed} would show it ({chance})." if needed else text


def _needed(row: xr.Dataset) -> str:
    """Say how many systems or texts would show a difference; "" if it is shown, or unknown."""
    texts = random_of(row) in ("documents", "segments")
    needed = float(row.get("texts_needed" if texts else "systems_needed", np.nan))
    if np.isnan(needed) or not row["difference"] or not (texts or random_of(row) == "systems"):
        return ""
    most = max(MOST_TEXTS if texts else MOST_NEEDED, n := int(row["n"]))
    about = f"about {needed:,.0f}" if needed <= most else f"more than {most:,}"
    teams = str(row.attrs.get("teams", "")).partition(f"{n} systems in ")[2].partition(" ")[0]
    if teams and not texts:
        return f"{about} independent systems in all (there are {n}, by {teams} teams)"
    return f"{about} {random_of(row)} in all (there are {n:,})"


def settling(nearest: xr.Dataset) -> str:
    """Say how many systems or texts would tell two metrics apart; "" if that is unknown."""
    pair = [str(nearest["metric"][0].item()), str(nearest.attrs["baseline"])]
    rows = (nearest.isel(metric=0).sel(place) for place in labels.places_of(nearest))
    needed = "; ".join(f"for {words_of(x)}, {told}" for x in rows if (told := _needed(x)))
    told = f"To tell {' and '.join(pair)} apart with {100 * labels.POWER:g} % probability"
    return f"{told}, if their gap is as here, takes: {needed}." * bool(needed)


def _within_margin(row: xr.Dataset) -> str:
    """Say whether two metrics are equally good up to a margin, or which is not worse by more."""
    limits = [labels.sign_of(row) * float(row[x]) for x in DIFFERENCE_LIMITS]
    if np.isnan(limits).any():
        return ""
    ours, other = str(row["metric"].item()), str(row.attrs["baseline"])
    margin, level = float(row.attrs["margin"]), f"each {_one_sided(row)}"
    where = f" on {words_of(row) or random_of(row)}"
    if bool(row["equivalent"]):
        return f"Shown{where}: {ours} and {other} differ by less than {margin:g} ({level})."
    if not (bool(row["not_worse"]) or max(limits) < margin):
        return f"Undecided{where}: either may be {margin:g} or more worse than the other ({level})."
    shown, open_ = (ours, other) if bool(row["not_worse"]) else (other, ours)
    worse = f"{margin:g} or more worse than"
    if min(limits) >= margin or max(limits) <= -margin:
        return f"Shown{where}: {open_} is {worse} {shown} ({level})."
    told = f"{open_} may be {worse} {shown}. Shown: {shown} is not {worse} {open_}"
    return f"Undecided{where}: {told} ({level})."


def _one_sided(part: xr.Dataset) -> str:
    return f"tested in one direction at {50 * (1 - float(part.attrs['confidence_level'])):.3g} %"


def _p_values(row: xr.Dataset) -> list[str]:
    """Write p, and p after Holm where several metrics are compared with the baseline."""
    p, corrected = (labels.shown_p(float(row[x]), row) for x in ("p_value", "p_baseline"))
    sided = "one-sided " * (row.attrs.get("alternative", "two-sided") != "two-sided")
    own = f"{sided}p {p if isinstance(p, str) else f'= {p:.3g}'}"
    if int(row.attrs["comparisons"]) == 1:
        denied = float(row["p_baseline"]) > float(row["p_value"])
        return [own + ", but the interval holds 0, so it counts as undecided" * denied]
    after = corrected if isinstance(corrected, str) else f"{corrected:.3g}"
    return [own, f"{after} after Holm"]


def _interval(row: xr.Dataset, limits: list[float]) -> list[str]:
    """Write an interval."""
    if len(limits) < 2 or np.isnan(limits).any():
        return []
    return [f"{labels.level_of(row)} interval {limit(limits[0])} to {limit(limits[1])}"]
