"""Sentences and tables about people among the metrics, and how well people agree."""

from dataclasses import replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import listed, plural
from supersample.presentation.answer import SCOPES, short
from supersample.presentation.labels import level_of, names_of, part_of
from supersample.presentation.rankings import pair_table
from supersample.presentation.registry import Figure, Forms, Kind, Rows, register_kind
from supersample.presentation.table import Column, Filled, Table, number_table, table_of
from supersample.tolerances import VALUE_TIE

PERSON = "◆"
_R = Column("r", number=".3f")
_LIMITS = Column("lower", "from", ".3f"), Column("upper", "to", ".3f")
MOST_NAMED = 4  # in a sentence
LEGEND = f"People ({PERSON}) and metrics; better than 2: significantly better than 2 people"
UNSHOWN = "  Corrected by Holm's method; where this is undecided, a difference may still exist."
EXPLAINED = (
    "A difference is significant if its p-value, corrected by Holm's method for all scorers and "
    "people, is at most 1 minus the confidence level.",
    "A perfect metric knows the true quality of every translation. Its r is below 1, because "
    "people disagree. Its expected r is the ceiling.",
)
REPLACING = (
    "may replace a person: with each person left out in turn, the judge must fit the other people "
    "as well as that person does (alternative annotator test, {} sure, corrected for all of them): "
    "yes if it does for half of them or more."
)
ALLOWING = (
    " Allowance of {1:g} % (--epsilon {0:g}), as a judge is cheaper: of 100 items, those where it "
    "fits worse may be up to {1:g} more than those where it fits better (as {2:g} and {3:g})."
)
DIFFERENCE = (
    "difference: over items that the judge and two people all rated, so it is not exactly the "
    "first row minus the second."
)
_SIDES = "too lenient (above people's ratings)", "too strict (below people's ratings)"
KAPPA = "kappa: agreement beyond chance, at most 1 (weighted: near ratings agree in part). "
EXPLAINED_OF_JUDGES = (
    "Kappa: agreement beyond chance, 1 at most and 0 if ratings agree as often as by chance; "
    "weighted kappa counts squared distances of ratings. Exact agreement: the share of equal "
    "ratings.",
    "As well as people do: the judge's agreement with a person, minus another person's with that "
    "person.",
    "Biased: the judge's ratings minus the people's mean, by more than chance explains (Holm).",
)


def best_first(found: xr.Dataset, measure: str | None = None) -> xr.Dataset:
    """Select one measure of a result of `rank_raters` (default: the first), best scorer first."""
    return part_of(found, {"measure": measure} if measure else None)


def raters_lines(found: xr.Dataset, measure: str | None = None) -> list[str]:
    """Say how metrics stand among people, and which differ significantly from them."""
    part = best_first(found, measure)
    person = part["is_person"].to_numpy()
    people, metrics = part.isel(scorer=person), part.isel(scorer=~person)
    lines = [_lead(part, people, metrics)]
    for scope in names_of(found, "scope") if metrics.sizes["scorer"] else ():
        at = metrics.sel(scope=scope)
        told = [*filter(None, (_significant(at, how) for how in ("better", "worse")))]
        told.append(f"no {'other ' * bool(told)}difference from a person is shown")
        lines.append(f"  {SCOPES[scope][0]}: {'; '.join(told)}.")
    return lines


def _significant(metrics: xr.Dataset, how: str) -> str:
    """Name metrics that are significantly better or worse than people, and than how many."""
    counts = metrics[f"{how}_than"].sum("person").to_numpy()
    names, people = names_of(metrics, "scorer"), metrics.sizes["person"]
    rows = [
        f"{names[k]} (than {counts[k]} of {people})" for k in np.argsort(-counts, kind="stable")
    ]
    count = int((counts > 0).sum())
    return f"significantly {how} than people: {listed(rows[:count], MOST_NAMED)}" if count else ""


def _lead(part: xr.Dataset, people: xr.Dataset, metrics: xr.Dataset) -> str:
    """Name the best metric, or the only one with its interval, and the best people."""
    symbol, values, names = _symbol(part), people["value"].to_numpy(), names_of(people, "scorer")
    rows = [f"{name} {value:.3f}" for name, value in zip(names, values, strict=True)]
    each = f"{symbol} of each person with {gold_of(people)}: {listed(rows, MOST_NAMED)}."
    if not metrics.sizes["scorer"]:
        return each
    best = marked_scorers(metrics)[0]
    value, lower, upper = (float(metrics[name][0]) for name in ("value", "lower", "upper"))
    if metrics.sizes["scorer"] > 1:
        best = f"Of the metrics, {best} agrees best with people here"
        return f"{best} ({symbol} = {value:.3f}). {each}"
    interval = f"interval over new systems {lower:.3f} to {upper:.3f}"
    if np.isnan(lower):
        interval = f"these {int(part['systems'])} give no interval over new systems"
    return f"{best} agrees with people here by {symbol} = {value:.3f} ({interval}). {each}"


def raters_answer(found: xr.Dataset) -> list[str]:
    """Say by each measure where people stand among the metrics."""
    lines = [line for name in names_of(found, "measure") for line in raters_lines(found, name)]
    return [*lines, *([] if found["is_person"].all() else [UNSHOWN])]


def raters_table(found: xr.Dataset, measure: str | None = None, most: int | None = None) -> Table:
    """Lay out people and metrics, best first: everybody, and the best metrics up to `most` rows."""
    part = best_first(found, measure)
    person = part["is_person"].to_numpy()
    own = person & (len(golds_in(found)) > 1)  # each person has a gold standard
    unknown = own | part["value"].isnull().to_numpy()
    columns: list[Filled] = [
        (Column("rank", "#", ".0f"), _ranks(part["value"].to_numpy())),
        (Column("scorer"), [*map(short, marked_scorers(part))]),
        (Column("value", _symbol(part), ".3f"), part["value"]),
    ]
    for scope in names_of(found, "scope"):
        at, title = part.sel(scope=scope), f"new {SCOPES[scope][1]}"
        counts = (at[name].sum("person").to_numpy() for name in ("better_than", "worse_than"))
        cells = [
            None if x else _told(better, worse)
            for x, better, worse in zip(person | unknown, *counts, strict=True)
        ]
        columns.append((Column(f"over_{scope}", title, missing="–"), cells))
    counted = any("than" in str(cell) for _, cells in columns[3:] for cell in cells)
    table = table_of(columns, LEGEND if counted else LEGEND.partition(";")[0])
    if most is None:
        return table
    kept = person & (np.cumsum(person) <= most // 2)
    kept |= ~person & (np.cumsum(~person) <= max(most - int(kept.sum()), 1))
    return replace(table, rows=tuple(table.rows[k] for k in np.flatnonzero(kept)))


def _told(better: int, worse: int) -> str:
    """Say than how many people a scorer is significantly better or worse."""
    counts = (("better", better), ("worse", worse))
    return ", ".join(f"{how} than {n}" for how, n in counts if n) or "undecided"


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
    k = count - 1  # people beside each one; Spearman and Brown's formula
    some = np.sqrt(k * one**2 / (1 + (k - 1) * one**2))
    between = f", {some:.3f} with the mean of {k} others" * (k > 1)
    told = (
        "By an estimate of people's noise, a perfect metric, which knows the quality of every "
        f"translation, would have r = {one:.3f} with one person{between} and {many:.3f} with the "
        f"mean of all {count}; with {int(measured['systems'])} systems this is rough, and r can be "
        "above it."
    )
    if not many > 0:
        told = "People do not agree on systems beyond noise, so no r of a metric can be expected."
    pair = "The two people" if count == 2 else "Any two people"
    return [f"{pair}: r = {of_systems} over systems, {of_translations} on single items.", told]


def components_table(measured: xr.Dataset) -> Table:
    """One row for each variance component of ratings, with its share."""
    known = np.maximum(measured["component"], 0)
    columns = "effect", Column("component", number=".4f"), Column("share", number=".3f")
    shown = measured.assign(share=known / known.sum())
    return number_table([shown], ["effect"], columns, "Variance components of ratings")


def people_table(measured: xr.Dataset) -> Table:
    """One row for each two people: r between them."""
    pairs = ["person", "other_person", "system_r", "translation_r"]
    return pair_table([measured], pairs, dim="person")


def noise_table(measured: xr.Dataset) -> Table:
    """One row for each metric, highest r first: r, and r corrected for noise."""
    columns = "metric", _R, Column("true_r", "r corrected for noise", ".3f"), *_LIMITS
    title = "r corrected for the noise of raters and segments"
    return number_table([measured.sortby("r", ascending=False)], ["metric"], columns, title)


def campaign_table(plan: xr.Dataset) -> Table:
    """Lay out a result of `plan_campaign`, one row for each number of raters and segments."""
    first, second = str(plan["first"].item()), str(plan["second"].item())
    ceiling = Column("ceiling", number=".3f")
    columns = (
        *("raters", Column("segments", number=",.0f"), ceiling, "systems_needed"),
        *(Column("first_r", f"r of {first}", ".3f"), Column("second_r", f"r of {second}", ".3f")),
    )
    caption = (
        f"Systems needed to tell {first} from {second} with power {plan.attrs['power']:g}. "
        "Ceiling: r of a metric that knows each system's quality"
    )
    return number_table([plan], ("raters", "segments"), columns, caption)


def judge_source(found: xr.Dataset, *, guessed: bool = False) -> str:
    """Say what a judge is compared on, and whether the people were named."""
    n, units = int(found["answered"]), int(found["units"])
    systems = plural(int(found["systems"]), "systems")
    of = "" if n == units else f" ({systems}, {plural(units, 'segments')})"
    people, levels = str(found.attrs["human"]).split(", "), str(found.attrs["levels"]).split(", ")
    kind = {"ordinal": "ordered levels from ", "interval": "numbers from "}
    if "Cohen's kappa" in found["statistic"]:
        answers = listed(levels, 5)
    else:
        answers = kind[found.attrs["scale"]] + " to ".join(levels)
    told = " (as no --rater names them)" if guessed else ""
    return f"{n:,} items{of}; people: {listed(people, 5)}{told}; ratings are {answers}"


def judge_lines(found: xr.Dataset) -> list[str]:
    """Answer how well a judge agrees with people, if it may replace one, and where it is biased."""
    judge, level = str(found.attrs["judge"]), float(found.attrs["confidence_level"])
    main = found.isel(statistic=0)
    value, lower, upper = (main[x].to_numpy() for x in ("value", "lower", "upper"))
    interval = f"{level_of(found)}: {lower[0]:.3f} to {upper[0]:.3f}"
    units, alike = int(found["units"]), f"{judge}, or each person, gave one rating to all items"
    if np.isnan(lower[0]):
        few = f"fewer than ten {'items' if units == int(found['answered']) else 'segments'}"
        one = alike if value[0] == 0 else "without one item, a rater's ratings are all equal"
        interval = f"no interval: {few if units < 10 else one}"
    how = "agrees with people" if lower[0] > 0 else "is not shown to agree with people"
    of = "items"
    if abs(value[0]) >= 1 - VALUE_TIE:
        interval = f"no interval: at {value[0]:g} exactly, items do not show how much it varies"
        how, of = "agrees with people" if value[0] > 0 else how, "these items"
    lines = [f"{judge} {how} on {of}: {main['statistic'].item()} {value[0]:.3f} ({interval})."]
    beside = "needs two people who answered the same items"
    if ", " in found.attrs["human"]:
        beside = "people share under ten items, or rated all alike"
    if np.isfinite(value[2]):
        side = "better" if lower[2] > 0 else "worse" if upper[2] < 0 else "undecided"
        beside = f"{side}, difference {value[2]:+.3f} ({lower[2]:.3f} to {upper[2]:.3f})"
        if np.isnan(lower[2]):
            beside = f"here {value[2]:+.3f}; no interval: too few items bear on it"
    lines.append(f"  as well as people do?   {beside}")
    lines.append(f"  may replace a person?   {_replacing(found)}")
    lines.append(f"  is biased?              {_bias(found, level)}")
    if (count := int(found["systems"])) > 1:
        r, low, high = (float(found[f"system_r{end}"]) for end in ("", "_lower", "_upper"))
        told = f"{level_of(found)}: {low:.3f} to {high:.3f} over new systems; {count} here"
        told = f"no interval; {count} systems" if np.isnan(low) else told
        how = "yes: " if low > 0 else "no: " if high < 0 else "undecided (r may be 0): "
        how *= low <= high  # without an interval nothing is decided
        why = f" with {count} systems; only from 5 on" if count < 5 else ": their means are equal"
        if found.attrs["scale"] == "nominal" and found.sizes["place"] > 2:
            why = ": these ratings have no order"
        why, of_r = f"cannot be answered{why}", f"{how}r = {r:.3f} with people's mean ({told})"
        lines.append(f"  ranks systems?          {why if np.isnan(r) else of_r}")
    return lines


def _replacing(found: xr.Dataset) -> str:
    """Say whether a judge may replace any one person, and whether it may without an allowance."""
    if "wins" not in found:
        return f"not tested: {found.attrs['untested']}"
    few = "items" + " or segments" * (int(found["units"]) < int(found["answered"]))
    few = f"; too few {few}: {found.attrs['untested']}" if found.attrs["untested"] else ""
    both, allowance = (found["wins"], found["strict_wins"]), found.attrs["epsilon"]
    names = names_of(found, "annotator")
    every, nobody = ("each", "none") if names[1:] else (names[0], f"not {names[0]}")
    each, strict = (str(every if x.all() else int(x.sum()) or nobody) for x in both)
    of = f"{each} of the {len(names)} people{' tested' * bool(few)}" if names[1:] else each
    if allowance and each != strict:
        passed = "yes, for" if found["passes"] else "no, shown for"
        most = "yes, for" if both[1].mean() >= 0.5 else "shown for"
        shown = f"{most} {int(both[1].sum()) or 'none'} of them" if names[1:] else "not shown"
        allowed = f"with an allowance of {100 * allowance:g} % (see below)"
        return f"{allowed}: {passed} {of}; without it: {shown}{few}"
    how = f" (with and without the allowance of {100 * allowance:g} %)" * (allowance > 0)
    return f"{'yes' if found['passes'] else 'no'}: {of}{how}{few}"


def _bias(found: xr.Dataset, level: float) -> str:
    """Say where a judge's ratings are higher or lower than people's, beyond chance."""
    if "place" not in found.dims:
        return "cannot be answered on two scales"
    shown = found.isel(place=found["bias_p_holm"].to_numpy() <= round(1 - level, 12))
    columns = [shown[x].to_numpy() for x in ("bias", "bias_lower", "bias_upper")]
    words = _SIDES, "on {} by {:.2f} points ({})"
    if found.attrs["scale"] == "nominal":
        words = ("too often", "too seldom"), '"{}" by {:.2f} of the items ({})'
    told = list[tuple[str, int, int]]()
    for word, sign in zip(words[0], (1, -1), strict=True):
        signed = zip(names_of(shown, "place"), *(sign * x for x in columns), strict=True)
        at = sorted((row for row in signed if row[1] > 0), key=lambda row: -row[1])
        every = [row for row in at if row[0] == "all items"]
        others = [row for row in at if row not in every]
        ahead = others[:1] if not every or np.nanmin(at[0][1:]) > every[0][1] else []
        first = [*ahead, *every, *others[len(ahead) :]][:MOST_NAMED]
        each = [words[1].format(*row[:2], _between(*sorted(row[2:]))) for row in first]
        intervals = [row for row in first if np.isfinite(row[2])]
        told += [(f"{word} {', '.join(each)}", len(first), len(intervals))] * bool(each)
    told = told[: 1 if found.sizes["place"] == 2 else 2]  # one too often is another too seldom
    if not told:
        return "no bias beyond chance was found (by item and system: --full)"
    text = "; ".join(each for each, _, _ in told).replace("on all items", "on average")
    named, limits = sum(n for _, n, _ in told), sum(n for _, _, n in told)
    if found.sizes["place"] > 1 + (found.attrs["scale"] == "nominal"):  # of two words one is told
        rest = shown.sizes["place"] - named
        text += f"; {rest} more: --full" if rest else "; none shown elsewhere"
    return f"yes: {text}" + f"; {100 * level:g} % for each interval alone" * (limits > 1)


def _between(lower: float, upper: float) -> str:
    return "always the same" if np.isnan(lower) else f"{lower:.2f} to {upper:.2f}"


def agreed_table(found: xr.Dataset) -> Table:
    """One row for each statistic, and for what is compared by it and has a value."""
    columns = ("statistic", Column("compared", ""), Column("value", "value", ".3f"), *_LIMITS)
    shown = found.dropna("compared", how="all", subset=["value"])
    systems = " and systems" if int(found["systems"]) > 1 else ""
    units = "segments" if int(found["units"]) < int(found["answered"]) else "items"
    notes = [f"from, to: over new {units}, for these people{systems}."]
    kappa = KAPPA if "kappa" in str(shown["statistic"][0]) else ""
    if "wins" in found:
        share = 100 * float(found.attrs["epsilon"])
        allowed = ALLOWING.format(share / 100, share, 50 + share / 2, 50 - share / 2) * (share > 0)
        notes.append(REPLACING.format(level_of(found)) + allowed)
    judge, people, difference = found["value"].transpose("compared", "statistic").to_numpy()
    if (np.abs(judge - people - difference) > 0.0005).any():
        notes.append(DIFFERENCE)
    aim = "How many items would show which agrees better: plan DATA --judge NAME"
    if np.isnan(difference).all():
        aim = "For a narrower interval: plan DATA --judge NAME --width W"
    notes += [f"{kappa}{aim}. Terms: --explain."]
    title = "Agreement of the judge with people"
    return number_table([shown], ["statistic", "compared"], columns, title, notes)


def bias_table(found: xr.Dataset) -> Table | None:
    """One row for each place where a judge may be biased; none if its scale is another one."""
    if "place" not in found.dims:
        return None
    return number_table([found], ["place"], _BIASES, "The judge's ratings minus people's")


def annotators_table(found: xr.Dataset, rates: tuple[Column, ...] = ()) -> Table | None:
    """One row for each annotator whom a judge may replace, or not; none without a test."""
    if "wins" not in found:
        return None
    columns: tuple[Column | str, ...] = ("annotator", "items", _ADVANTAGE_OVER, "p_value", _P_BY)
    told = [f"{x.title}: {float(found[x.field]):.3f}." for x in _RATES]
    title = "The judge against each annotator"
    return number_table([found], ["annotator"], (*columns, _WINS, *rates), title, told)


def source_of_raters(found: xr.Dataset) -> str:
    """Name the data, and what people are compared with."""
    gold, count = f"each person is compared with {gold_of(found)}", len(golds_in(found))
    if count > 1 and not found["is_person"].all():
        each = "each person" if count == 2 else "each of these means"
        gold += f"; r of a metric is the average of its r with {each}"
    source = str(found.attrs.get("source", "scores"))
    systems, segments = int(found["systems"][0]), int(found["segments"][0])
    left_out = found.attrs.get("ratings_left_out")
    gold += f"; ratings left out: {left_out}" if left_out else ""
    there = str(found.attrs["mask"]).partition("/")[2].partition(",")[0]
    return f"{source}: {systems} systems, {segments} of {there} segments (rated by all); {gold}"


def gold_of(people: xr.Dataset) -> str:
    """Name what people are compared with."""
    golds = golds_in(people)
    if len(golds) == 1:
        return golds[0]
    return "the other person" if len(golds) == 2 else "the mean of the others' standardised scores"


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
_ADVANTAGE_OVER = Column("annotator_advantage", "not worse", ".2f")
_RATES = (
    Column("winning_rate", "winning rate (omega), the share of people whom it may replace"),
    Column("advantage", "average advantage probability (rho), the mean of 'not worse'"),
)
_P_BY, _WINS = Column("p_by", "p (Benjamini-Yekutieli)", ".4g"), Column("wins", "may replace")
_BIASES = (
    *(Column("place", "bias on"), Column("bias_items", "items")),
    *(Column("bias", "judge - people", "+.3f"), Column("bias_lower", "from", "+.3f")),
    *(Column("bias_upper", "to", "+.3f"), Column("bias_p_holm", "p (Holm)", ".4g")),
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
        name="judge",
        file="judge",
        title="A judge beside people",
        answer=judge_lines,
        tables={
            "judge": agreed_table,
            "bias": bias_table,
            "annotators": Forms(annotators_table, lambda found: annotators_table(found, _RATES)),
        },
        brief=lambda found: [agreed_table(found)],
    ),
)
