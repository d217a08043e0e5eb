"""Sentences and tables about people among the metrics, and how well people agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import listed
from supersample.presentation.answer import SCOPES, short
from supersample.presentation.kinds import Figure, Forms, Kind, Rows, register_kind
from supersample.presentation.labels import names_of, part_of, sign_of
from supersample.presentation.rankings import pair_table
from supersample.presentation.table import Column, Filled, Table, number_table, table_of

PERSON = "◆"
_R, _ADVANTAGE = Column("r", number=".3f"), Column("advantage", "not worse", ".2f")
_LIMITS = Column("lower", "from", ".3f"), Column("upper", "to", ".3f")
SAME = 1e-12  # products of differences that are 0 except for rounding
_HALF = (
    Column("half_r", "r, corrected to full length", ".3f"),
    Column("half_r_error", "error by random halves", ".4f"),
)
MOST_NAMED = 3  # metrics in a sentence; more are counted
LEGEND = f"{PERSON} is a person. +1 -0: significantly better than 1 person, worse than none."
MIXED = "In the table, a metric above a person can be below by the same gold standard."
UNSHOWN = "  Corrected by Holm's method; a difference that is not shown may still exist."
EXPLAINED = (
    "Better, by r: the number of people with a worse value by the same gold standard. A "
    "difference is significant if its p-value, corrected by Holm's method for all scorers and "
    "people, is at most 1 minus the confidence level.",
    "A perfect metric knows the true quality of every translation. Its r is below 1, because "
    "people disagree. Its expected r is the ceiling.",
)


def best_first(found: xr.Dataset, measure: str | None = None) -> xr.Dataset:
    """Select one measure of a result of `rank_raters` (default: the first), best scorer first."""
    return part_of(found, {"measure": measure} if measure else None)


def raters_lines(found: xr.Dataset, measure: str | None = None) -> list[str]:
    """Say where people stand among the metrics, and which metrics differ significantly from them.

    A few metrics are named, many are counted.
    """
    part = best_first(found, measure)
    person, sign = part["is_person"].to_numpy(), sign_of(part)
    people, metrics = part.isel(scorer=person), part.isel(scorer=~person)
    lines, ahead = [_lead(part, people, metrics)], sign * metrics["difference"]
    if not metrics.sizes["scorer"]:
        return lines
    below = (ahead < 0) & (ahead < 0).all("person")
    told = _told(metrics, {_ways("better"): ahead > 0, _ways("worse"): below})
    if metrics.sizes["scorer"] > MOST_NAMED and people.sizes["scorer"] > 1:
        mean = float(part["person_value"].mean())
        above = int((sign * metrics["value"] > sign * mean).sum())
        told.append(f"better than people's mean ({_symbol(part)} = {mean:.3f}): {above}")
    several = len(golds_in(found))
    by = f"{_symbol(part)} alone"
    if several > 1:
        by = f"{_symbol(part)} with the same other {'person' if several == 2 else 'people'}"
    lines += [f"  here, by {by}: {'; '.join(told)}."] if told else []
    if several == 2:  # each person is the other's gold standard
        pairs = zip(names_of(found, "person"), names_of(found, "gold"), strict=True)
        metrics = metrics.assign_coords(person=[f"{x} does with {y}" for x, y in pairs])
    for scope in names_of(found, "scope"):
        at = metrics.sel(scope=scope)
        than = {f"significantly {x}": at[f"{x}_than"] for x in ("better", "worse")}
        told = _told(at, {_ways(how): true for how, true in than.items()})
        told.append(f"no {'other ' * bool(told)}difference from a person is shown")
        lines.append(f"  {SCOPES[scope][0]}: {'; '.join(told)}.")
    return lines


def _told(metrics: xr.Dataset, sides: Mapping[tuple[str, str], xr.DataArray]) -> list[str]:
    """Name or count the metrics that agree better, worse, ... than all or some people.

    `sides` has these words, of one metric and of several, and for which people they are true.
    """
    people, names = names_of(metrics, "person"), np.array(names_of(metrics, "scorer"))
    few, found = names.size <= MOST_NAMED, list[str]()
    for words, of in sides.items():
        true = of.transpose("scorer", "person").to_numpy()
        whom = np.array([_whom(people, row, few) for row in true])
        for text in dict.fromkeys(whom[np.argsort(-true.sum(1), kind="stable")]):
            own = whom == text
            who = f"{own.sum()} of {names.size}{' metrics' * (not found)}"
            if few:
                who = _joined(names[own])
            found += [f"{who} {words[int(own.sum() > 1)]} {text}"] if text else []
    return found


def _ways(how: str) -> tuple[str, str]:
    """Say how one metric agrees with people, and how several do: "agrees better than"."""
    return f"agrees {how} than", f"agree {how} than"


def _whom(people: Sequence[str], true: NDArray[np.bool_], named: bool) -> str:
    """Name or count the people of whom something is true; "" of nobody."""
    if true.all():
        return {1: people[0], 2: "both people"}.get(len(people), f"all {len(people)} people")
    if named and true.sum() <= MOST_NAMED:
        return _joined(np.array(people)[true])
    return f"some of {len(people)} people" if true.any() else ""


def _joined(names: Iterable[str]) -> str:
    return " and ".join(", ".join(names).rsplit(", ", 1))


def _lead(part: xr.Dataset, people: xr.Dataset, metrics: xr.Dataset) -> str:
    """Name the best scorer and the best person; two people who are compared with each other tie."""
    symbol, values, names = _symbol(part), people["value"].to_numpy(), names_of(people, "scorer")
    tied = len(values) == 2 == len(golds_in(people)) and _ranks(values)[1] == 1
    of_people = f"The two people agree with each other by {symbol} = {values[0]:.3f}; with only two"
    if not metrics.sizes["scorer"]:
        told = ", ".join(f"{name} {value:.3f}" for name, value in zip(names, values, strict=True))
        told = f"{symbol} of each person with {gold_of(people)}: {told}."
        return f"{of_people}, neither can be called the better one." if tied else told
    best = metrics if tied else part
    here = f"{marked_scorers(best)[0]} agrees best with people here"
    here += f" ({symbol} = {float(best['value'][0]):.3f})"
    if tied:
        return f"Of the metrics, {here}. {of_people}, neither can be called the better one."
    if bool(best["is_person"][0]):
        return f"{here}."
    ranked = "the best person" if len(values) > 1 else "the only person ranked"
    return f"{here}; {ranked} is {names[0]} ({values[0]:.3f})."


def raters_answer(found: xr.Dataset) -> list[str]:
    """Say by each measure where people stand among the metrics."""
    lines = [line for name in names_of(found, "measure") for line in raters_lines(found, name)]
    return [*lines, *([] if found["is_person"].all() else [UNSHOWN])]


def raters_table(found: xr.Dataset, measure: str | None = None, most: int | None = None) -> Table:
    """Lay out people and metrics, best first: everybody, and the best metrics up to `most` rows."""
    part = best_first(found, measure)
    person = part["is_person"].to_numpy()
    own = person & (len(golds_in(found)) > 1)  # each person has a gold standard
    people = part.sizes["person"]
    below = part["people_below"].to_numpy()
    unknown = own | part["value"].isnull().to_numpy()
    above = [None if x else f"{count} of {people}" for count, x in zip(below, unknown, strict=True)]
    columns: list[Filled] = [
        (Column("rank", "#", ".0f"), _ranks(part["value"].to_numpy())),
        (Column("scorer"), [*map(short, marked_scorers(part))]),
        (Column("value", _symbol(part), ".3f"), part["value"]),
        (Column("people_below", f"better, by {_symbol(part)}", missing="–"), above),
    ]
    for scope in names_of(found, "scope"):
        at, title = part.sel(scope=scope), f"new {SCOPES[scope][1]}"
        counts = (at[name].sum("person").to_numpy() for name in ("better_than", "worse_than"))
        cells = [
            None if x else f"+{better} -{worse}"
            for x, better, worse in zip(person | unknown, *counts, strict=True)
        ]
        columns.append((Column(f"over_{scope}", title, missing="–"), cells))
    table = table_of(columns, LEGEND, _mixed(part))
    if most is None:
        return table
    kept = person | (np.cumsum(~person) <= max(most - int(person.sum()), 1))
    return replace(table, rows=tuple(table.rows[k] for k in np.flatnonzero(kept)))


def _mixed(part: xr.Dataset) -> list[str]:
    """Say that the order of a table differs from comparisons with single persons, if it does."""
    products = (part["value"] - part["person_value"]) * part["difference"]
    return [MIXED] if (products < -SAME).any() else []


def plain_raters_table(found: xr.Dataset, measure: str | None = None) -> Table:
    """Lay out people and metrics as `raters_table`, with plain names, for data files."""
    table, part = raters_table(found, measure), best_first(found, measure)
    rows = zip(table.rows, names_of(part, "scorer"), strict=True)
    return replace(table, rows=tuple((row[0], name, *row[2:]) for row, name in rows), notes=())


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank values that are in order, equal ones alike; what has no value has no rank."""
    new = ~np.isclose(values, np.append(np.nan, values[:-1]), rtol=1e-12, atol=0)
    ranks = np.maximum.accumulate(np.where(new, np.arange(1.0, values.size + 1), 1))
    return np.where(np.isnan(values), np.nan, ranks)


def marked_scorers(part: xr.Dataset) -> list[str]:
    """Names of scorers, with a mark on people."""
    people = part["is_person"].to_numpy()
    return [f"{x}{PERSON * bool(y)}" for x, y in zip(names_of(part, "scorer"), people, strict=True)]


def pairs_of_raters_table(found: xr.Dataset) -> Table:
    """List differences and p-values between every scorer and every person."""
    dims = ["measure", "scope", "person", "scorer"]
    table = number_table([found], dims, [*dims, "difference", "p_value", "p_holm"])
    return replace(table, rows=tuple(row for row in table.rows if row[2] != row[3]))


def people_lines(measured: xr.Dataset) -> list[str]:
    """Say how well people agree, and what a metric without error is expected to reach."""
    count = measured.sizes["person"]
    upper = np.triu_indices(count, 1)
    of_systems, of_translations = (
        _range(measured[name].to_numpy()[upper]) for name in ("system_r", "translation_r")
    )
    one, many = measured["ceiling"].sel(knows="translation").to_numpy()
    told = (
        "By an estimate of people's noise, a perfect metric, which knows the quality of every "
        f"translation, would have r = {one:.3f} with one person and {many:.3f} with the mean of "
        f"all people; with {int(measured['systems'])} systems this is rough, and r can be above it."
    )
    if not many > 0:
        told = "People's scores of systems do not differ beyond noise, so no r can be expected."
    alpha = [alpha_line(measured)] if "alpha" in measured else []
    pair = "The two people" if count == 2 else "Two people"
    halves = f"Two halves of the people: r = {float(measured['raters_half_r']):.2f} over systems"
    error = float(measured["raters_half_r_error"])
    halves += f" (random halves: ± {error:.4f})." if error else "."
    return [
        f"{pair}: r = {of_systems} over systems, {of_translations} on single segments.",
        *([halves] if count > 2 else []),
        told,
        *alpha,
    ]


def alpha_line(measured: xr.Dataset) -> str:
    """Say how well people agree beyond chance."""
    alpha = measured["alpha"]
    return (
        f"Agreement beyond chance: Krippendorff's alpha = {float(alpha):.3f} ({alpha.scale} scale)."
    )


def components_table(measured: xr.Dataset) -> Table:
    """One row for each variance component of ratings, with its share."""
    known = np.maximum(measured["component"], 0)
    columns = "effect", Column("component", number=".4f"), Column("share", number=".3f")
    shown = measured.assign(share=known / known.sum())
    return number_table([shown], ["effect"], columns, "Variance components of ratings")


def people_table(measured: xr.Dataset) -> Table:
    """One row for each two people: r between them, and agreement beyond chance if known."""
    pairs = ["person", "other_person", "system_r", "translation_r"]
    pairs += ["kappa"] if "kappa" in measured else []
    return pair_table([measured], pairs, dim="person", caption="Agreement of two people")


def noise_table(measured: xr.Dataset) -> Table:
    """One row for each metric, highest r first: r, and r corrected for noise."""
    columns = "metric", _R, Column("true_r", "r corrected for noise", ".3f"), *_LIMITS
    title = "r corrected for the noise of raters and segments"
    return number_table([measured.sortby("r", ascending=False)], ["metric"], columns, title)


def campaign_table(plan: xr.Dataset) -> Table:
    """Lay out a result of `plan_campaign`, one row for each number of raters and segments."""
    first, second = str(plan["first"].item()), str(plan["second"].item())
    ceiling, worth = Column("ceiling", number=".3f"), "segments worth a rater"
    columns = (
        *("raters", Column("segments", number=",.0f"), ceiling),
        *(Column("first_r", f"r of {first}", ".3f"), Column("second_r", f"r of {second}", ".3f")),
        *("systems_needed", Column("rater_worth", worth, ",.0f")),
    )
    caption = (
        f"Systems needed to tell {first} from {second} with power {plan.attrs['power']:g}, and "
        "segments that reduce the error as much as one more rater (inf: no number does). Ceiling: "
        "r of a metric that knows each system's quality"
    )
    return number_table([plan], ("raters", "segments"), columns, caption)


def judges_lines(found: xr.Dataset) -> list[str]:
    """Name the judges that may replace annotators, those that may not, and who is left out."""
    passes = found["passes"].to_numpy()
    may, may_not = (listed(found["judge"].to_numpy()[one]) for one in (passes, ~passes))
    left_out = str(found.attrs["annotators_left_out"])
    lines = [f"May replace annotators (epsilon {_epsilon(found)}): {may or 'none of the judges'}."]
    lines += [f"May not, by these data: {may_not}."] if may_not else []
    return [*lines, *([f"Left out annotators with too few items: {left_out}"] * bool(left_out))]


def _epsilon(found: xr.Dataset) -> str:
    return str(found.attrs["method"]).rstrip(")").rpartition(",")[2]


def judges_table(found: xr.Dataset) -> Table:
    """Lay out a result of `alternative_annotator_test`, one row for each judge."""
    rate = Column("winning_rate", "winning rate", ".2f")
    passes = Column("passes", f"may replace annotators (epsilon {_epsilon(found)})")
    return number_table([found], ["judge"], ("judge", rate, _ADVANTAGE, passes))


def kappas_table(measured: xr.Dataset) -> Table:
    """One row for each two annotators: their common items, and agreement beyond chance."""
    names, caption = ["annotator", "other_annotator", "items", "kappa"], "Agreement beyond chance"
    return pair_table([measured], names, dim="annotator", caption=caption)


def source_of_raters(found: xr.Dataset) -> str:
    """Name the data, and what people are compared with."""
    gold, count = f"each person is compared with {gold_of(found)}", len(golds_in(found))
    if count > 1 and not found["is_person"].all():
        each = "person" if count == 2 else "such mean"
        gold += f", a metric with one {each} at a time (averaged)"
    source = str(found.attrs.get("source", "scores"))
    systems, segments = int(found["systems"][0]), int(found["segments"][0])
    return f"{source}: {systems} systems, {segments} segments that all people rated; {gold}"


def gold_of(people: xr.Dataset) -> str:
    """Name what people are compared with."""
    golds = golds_in(people)
    if len(golds) == 1:
        return golds[0]
    return "the other person" if len(golds) == 2 else "the mean of the other people"


def golds_in(found: xr.Dataset) -> list[str]:
    """Names of the gold standards that rank people."""
    return list(dict.fromkeys(names_of(found, "gold")))


def _range(values: np.ndarray) -> str:
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return f"{values.mean():.3f}" if low == high else f"{low} to {high}"


def _symbol(part: xr.Dataset) -> str:
    name = str(part["measure"].item())
    return "r" if name == "pearson" else name


_CEILINGS = "raters", Column("knows", "a metric that knows each"), Column("ceiling", "r", ".3f")
_OF_ANNOTATORS = (
    *("judge", "annotator", "items", Column("annotator_advantage", "not worse", ".2f")),
    *("p_value", Column("p_by", "p (Benjamini-Yekutieli)", ".4g"), Column("wins", "may replace")),
)
register_kind(
    Kind(
        name="raters",
        file="raters",
        title="People among the metrics",
        answer=raters_answer,
        tables={
            "raters": Forms(raters_table, plain_raters_table, each="measure"),
            "raters-pairs": Forms(None, pairs_of_raters_table),
        },
        figures={"raters": Figure("studies.plot_raters", each="measure")},
    ),
    Kind(
        name="reliability",
        file="reliability",
        title="How well people agree",
        answer=people_lines,
        tables={
            "components": components_table,
            "people": people_table,
            "halves": Rows(["person"], ["person", *_HALF], "Halves of the segments"),
            "ceilings": Rows(["raters", "knows"], _CEILINGS, "Expected r of metrics without error"),
            "without-noise": noise_table,
        },
    ),
    Kind(
        name="campaign",
        file="campaign",
        title="Systems that a campaign needs",
        tables={"campaign": campaign_table},
    ),
    Kind(
        name="judges",
        file="judges",
        title="Judges among annotators",
        answer=judges_lines,
        tables={
            "judges": judges_table,
            "annotators": Rows(
                ["judge", "annotator"], _OF_ANNOTATORS, "Judges against each annotator"
            ),
        },
    ),
    Kind(
        name="chance",
        file="agreement",
        title="Agreement beyond chance",
        answer=lambda measured: [alpha_line(measured)],
        tables={"agreement": kappas_table},
    ),
)
