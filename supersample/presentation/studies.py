"""Tables of results that are not rankings: Scores, intervals, hybrids, samples, predictions."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
import xarray as xr

from supersample.errors import listed, plural
from supersample.presentation.labels import (
    DIGITS,
    alpha_of,
    compared_with,
    legend,
    level_of,
    marked_labels,
    metric_labels,
    names_of,
    part_of,
    segments_of,
    turned,
)
from supersample.presentation.registry import Figure, Forms, Kind, Rows, register_kind
from supersample.presentation.table import Column, Table, limit, number_table, spread

MOST_NAMES = 8
_OF_WIDTH = (
    *("metric", "systems", Column("value", "r", ".3f")),
    *(Column("lower", "from", ".3f"), Column("upper", "to", ".3f")),
    Column("systems_needed", number=".0f"),
)
FEWEST_ITEMS, MOST_ITEMS = 10, 100_000  # that a plan of a judge tries
REAL_NOISE = 0.6, 1.9  # % of the variance of systems, in real sets (experiments/honest_inference)
NOISE_NOTE = (
    "Noise of a segment: {:.3g} standard deviations of systems; with {:,} segments that is {:.2g} "
    "% of the variance of systems, in real test sets {:g} to {:g} %."
)
FURTHER = "The further r is from 0, the fewer systems the same difference needs."
UNNAMED = {"metric-1", "metric-2"}  # in a population that was chosen by numbers
PAPER = ("metric", "systems_r", "r", "moved", "within_part", "pdp")
"""Columns of exact correlations for a page of a paper."""
EXACT = (
    *(Column("metric"), Column("systems_r", "r, systems", ".4f")),
    *(Column("r", "r, all hybrids", ".4f"), Column("moved", "difference", "+.4f")),
    *(Column("between_part", "between", ".4f"), Column("share_part", "share", ".4f")),
    *(Column("within_part", "within", ".4f"), Column("pdp", "PDP", ".4f")),
    Column("systems_weight", "weight of r, systems", ".4f"),
    *(Column("pdp_weight", "weight of PDP", ".4f"), Column("balance", "equal at", ".1f")),
)
OF_SYSTEMS = "system", Column("rated", "segments rated")
OF_METRICS = (
    *("metric", "higher_is_better", "missing"),
    *(Column("lowest", number=".4g"), Column("highest", number=".4g")),
    *(Column("r", "r, systems", ".3f"), Column("seems_reversed", "reversed?")),
)
PARTS_NOTE = (
    "r over infinitely many hybrids is the sum of its parts: between (midpoints of pairs, which "
    "alone give r over the systems), share (unequal shares) and within (choice of units)."
)
MIX_NOTE = (
    "r over hybrids is also the sum of r over systems and PDP (r of differences within a unit), "
    "each times its weight. equal at: the number of units in a hybrid that makes the weights equal."
)
RESCALING_NOTE = (
    "To gold: predictions get the mean of the gold labels and {share:g} of their standard "
    "deviation. To own: predictions keep their mean and get {share:g} of their own standard "
    "deviation. Standard deviations have the divisor n - 1."
)
ROWS = {
    "exact": ("r of samples", "exact"),
    "simulated": ("r of samples", "simulated"),
    "fisher": ("population's r", "Fisher"),
    "symmetric": ("population's r", "symmetric"),
}
"""The quantity and the method of each interval of r."""
_READING = (
    *("systems_left_out", "metrics_left_out", "segments_left_out"),
    *("names_matched", "segment_order", "added_notes", "ratings_left_out"),
)


def inspection_lines(inspected: xr.Dataset) -> list[str]:
    """Sum up what `inspect_scores` gave: sizes, what is missing or left out, and what looks odd."""
    facts, mask = inspected.attrs, str(inspected.attrs["mask"])
    names, labels = (np.array(f) for f in (names_of(inspected, "metric"), metric_labels(inspected)))
    sizes = f"{plural(inspected.sizes['system'], 'systems')}, {plural(names.size, 'metrics')}"
    used = mask if mask.startswith("no ") else segments_of(mask)
    constant = (inspected["lowest"] == inspected["highest"]).to_numpy()
    lower = labels[~inspected["higher_is_better"].to_numpy()]
    missing = _counts(inspected["missing"], 0)
    read_as = str(facts.get("read_as") or "")
    guessed = read_as.startswith("guessed: ")
    reading = "layout (guessed)" if guessed else "read as"
    people = "supersample raters DATA --rater NAME --rater NAME" if guessed else ""
    told = {
        facts.get("source", "scores"): f"{sizes}, human scores '{facts.get('human', 'human')}', "
        f"{used}",
        "metrics": listed(labels.tolist(), MOST_NAMES),
        "if some of these are people": people,
        "declared as lower is better": ", ".join(lower) or "none",
        "missing metric scores": f"{missing or 'none'} (each metric: {facts['scores']} in all)",
        "segments rated": _counts(inspected["rated"], int(inspected["rated"].max())),
        reading: read_as.removeprefix("guessed: "),
        **{name.replace("_", " "): facts.get(name) for name in _READING},
        "corpus metrics, with lowest and highest scores of systems": ", ".join(
            names[inspected["of_corpus"].to_numpy()]
        ),
        "no r, since all scores are the same": ", ".join(labels[constant]),
    }
    notes = [f"{name}: {text}" for name, text in told.items() if text]
    reversed_ = inspected.isel(metric=inspected["seems_reversed"].to_numpy())
    if reversed_.sizes["metric"]:
        odd = np.array(names_of(reversed_, "metric"))
        r = ", ".join(f"{x:.3f}" for x in reversed_["r"].to_numpy())
        higher = reversed_["higher_is_better"].to_numpy()
        notes.append(
            f"r with people is negative for {', '.join(odd)} ({r}): it agrees badly, or its "
            f"orientation is wrong; {turned(odd, higher)}"
        )
    return notes


def _counts(counts: xr.DataArray, usual: int) -> str:
    """Name the labels whose count differs from the usual one: 'BLEU 3, chrF 1'."""
    unlike = counts[counts != usual]
    named = zip(unlike[unlike.dims[0]].to_numpy(), unlike.to_numpy(), strict=True)
    told = listed([f"{name} {count}" for name, count in named], MOST_NAMES)
    return f"{told}, others {usual}" if told and usual else told


def metrics_table(inspected: xr.Dataset) -> Table:
    """One row for each metric, from what `inspect_scores` gave."""
    labelled = inspected.assign_coords(metric=metric_labels(inspected))
    return number_table([labelled], ["metric"], OF_METRICS)


def exact_table(exact: xr.Dataset, chosen: Sequence[str] = ()) -> Table:
    """One row for each metric, highest r first: r of systems and hybrids, its parts, precision.

    All columns, or those that are chosen, for a page: with marks of metrics.
    """
    error = Column("standard_error", f"error of {exact.attrs['n']:,}", ".5f")
    order = np.argsort(-exact["r"].to_numpy(), kind="stable")  # NaN last
    ordered = exact.assign(moved=exact["r"] - exact["systems_r"]).isel(metric=order)
    shown = [x for x in (*EXACT, error) if not chosen or x.field in chosen]
    told = [*legend(ordered), PARTS_NOTE, MIX_NOTE] if chosen else [PARTS_NOTE, MIX_NOTE]
    ordered = ordered.assign_coords(metric=marked_labels(ordered)) if chosen else ordered
    caption = f"Correlations of infinitely many hybrids, {exact.attrs.get('source', 'scores')}"
    return number_table([ordered], ["metric"], shown, caption, told)


def numbers_table(result: xr.Dataset) -> Table:
    """Compare two correlations that were entered as numbers: one row for each test."""
    limits = Column("lower", "from", ".4f"), Column("upper", "to", ".4f")
    of, named = Column("scale", "difference of"), {"r": "r", "z": "Fisher's z"}
    alternative = result.attrs["alternative"]
    sides = "two-sided" if alternative == "two-sided" else f"one-sided ({alternative})"
    caption = f"Difference of two correlations, {sides} p, {level_of(result)} intervals"
    scales = [named.get(name, "") for name in result["scale"].to_numpy()]
    shown = result.assign(scale=("test", scales))
    columns = ("test", "statistic", "p_value", *limits, of)
    blank = result["test"].to_numpy()[np.isnan(result["p_value"].to_numpy())]
    why = "the variance in its formula is negative or undefined for these correlations"
    notes = [f"{name} has no value: {why}." for name in blank]
    return number_table([shown], ["test"], columns, caption, notes)


def recommended_lines(result: xr.Dataset) -> list[str]:
    """Sum up a comparison of two metrics, and say which test and interval to report, and why."""
    if not {"williams1959", "zou2007"} <= {*result["test"].to_numpy()}:
        return []
    r, other, n = (result.attrs[name] for name in ("r12", "r13", "n"))
    lower, upper = (float(result[x].sel(test="zou2007")) for x in ("lower", "upper"))
    p = float(result["p_value"].sel(test="williams1959"))
    told = "Undecided whether metric a or metric b agrees better with people"
    if p <= alpha_of(result) and not lower < 0 < upper:
        told = f"Metric a agrees {'better' if r > other else 'worse'} with people than metric b"
    lines = [
        f"{told} (r = {r:.3f} and {other:.3f}; difference {r - other:.3f}, p = {p:.3g}, "
        f"{level_of(result)} interval {limit(lower)} to {limit(upper)} over systems; n = {n}).",
        "Recommended: williams1959, which keeps its level best with few systems, and the interval "
        "of zou2007, which is of r itself. Both take scores as normal; from the scores themselves, "
        "compare DATA --metrics A,B allows for outliers, too.",
        "r12: people with metric a; r13: people with metric b; r23: a with b.",
    ]
    return lines[result.attrs["alternative"] != "two-sided" :]  # the interval has two sides


def single_line(result: xr.Dataset, limits: Mapping[str, Sequence[np.ndarray]]) -> str:
    """Give the interval of each correlation alone."""
    each = ", ".join(f"{name} {low:.3f} to {high:.3f}" for name, (low, high) in limits.items())
    return f"Each r alone, {level_of(result)} by Fisher: {each}. With outliers use rank DATA."


def sampling_table(result: xr.Dataset) -> Table:
    """One row for each interval: its quantity, its limits, and how far they are from r."""
    columns = (
        Column("of", "interval of"),
        Column("interval", "method", of="method"),
        Column("lower", "from", ".4f"),
        Column("upper", "to", ".4f"),
        Column("below", "below r", ".4f"),
        Column("above", "above r", ".4f"),
    )
    r, level = float(result.attrs["r"]), level_of(result)
    of, named = zip(*ROWS.values(), strict=True)
    shown = result.sel(interval=list(ROWS)).assign(
        of=("interval", list(of)), method=("interval", list(named))
    )
    shown = shown.assign(below=r - shown["lower"], above=shown["upper"] - r)
    caption = f"r = {r:g} over n = {result.attrs['n']} systems, {level} intervals"
    notes = [
        f"r of samples: range of {level} of samples' r if the population's is {r:g}; simulated: "
        f"{result.attrs['draws']:,} samples of {result.attrs['population']}.",
        f"population's r: where it could be if a sample's is {r:g}.",
    ]
    if float(result["upper"].sel(interval="symmetric")) > 1:
        notes.append("symmetric: assumes that r is normal, so it exceeds 1, although r cannot.")
    return number_table([shown], ["interval"], columns, caption, notes)


def sampling_lines(result: xr.Dataset) -> list[str]:
    """Say where r of samples lies, and where a population's r may lie."""
    r, n, level = result.attrs["r"], result.attrs["n"], level_of(result)
    names = {"skew": "skewness", "mean": "mean", "sd": "standard_deviation"}
    samples, population = (
        " to ".join(f"{float(result[side].sel(interval=name)):.3f}" for side in ("lower", "upper"))
        for name in ("exact", "fisher")
    )
    return [
        f"If the population's r is {r:g}, {level} of samples of {n} systems have r of {samples}.",
        f"If the r of such a sample is {r:g}, the population's r could be {population}.",
        "; ".join(exact_and_simulated(word, result, name, 4) for word, name in names.items()),
    ]


def exact_and_simulated(heading: str, result: xr.Dataset, name: str, digits: int) -> str:
    """Write an exact and a simulated value: 'skew -3.84 exact, -3.79 simulated'."""
    exact, simulated = (float(value) for value in result[name])
    if math.isnan(exact):
        return f"no {heading}"
    return f"{heading} {exact:.{digits}f} exact, {simulated:.{digits}f} simulated"


def plan_lines(result: xr.Dataset) -> list[str]:
    """Say how many systems are needed with so many segments as the data, or the most tried."""
    facts = result.attrs
    sizes, tried = result["systems"].to_numpy(), result["segments"].to_numpy().tolist()
    lead = tried.index(facts["segments"]) if facts.get("segments") in tried else len(tried) - 1
    difference = float(result["difference"][lead])
    lengths = [f"with {length:,} segments" for length in tried]
    needed = [_needed(systems, sizes) for systems in result["systems_needed"].to_numpy()]
    others = [f"{at}: {systems}" for at, systems in zip(lengths, needed, strict=True)]
    del others[lead]
    ahead, behind = facts["metrics"][:: -1 if difference < 0 else 1]
    case = f"{ahead}'s r is {abs(difference):.2g} above {behind}'s"
    noise = []
    if {ahead, behind} == UNNAMED:
        first, second = facts["true_r"]
        case = f"one true r is {abs(first - second):.2g} above the other ({first:g} and {second:g} "
        case += f"with people), and the metrics correlate with each other by {facts['metric_r']:g}"
        noise = _noise_lines(facts["segment_deviation"], tried[lead])
    count, teams = facts["comparisons"], facts.get("teams")
    return [
        f"If {case}, {needed[lead]} in all, {lengths[lead]}, would show it "
        f"({100 * facts['power']:g} % probability, by simulation{compared_with(count)}).",
        *([f"{'; '.join(others[::-1]).capitalize()}."] if others else []),
        *noise,
        *([f"Assumed: independent systems; there are {teams}."] if teams else []),
    ]


def _noise_lines(deviations: Sequence[float], segments: int) -> list[str]:
    """Say what r and the noise of segments, which is assumed, mean for the number of systems."""
    share = round(100 * float(np.square(deviations).mean()) / segments, 1)
    least, most = REAL_NOISE
    how = ("less noisy than", "as noisy as", "noisier than")[(share >= least) + (share > most)]
    told = f"Assumed: with {segments:,} segments, scores of systems are {how} in real test sets"
    return [FURTHER, f"{told}. Other noise: --segment-deviation."]


def _needed(systems: float, tried: np.ndarray) -> str:
    if np.isnan(systems):
        return f"more than {tried[-1]} systems"
    return f"{'at most' if systems == tried[0] else 'about'} {systems:.0f} systems"


def plan_table(result: xr.Dataset) -> Table:
    """One row for each number of segments: difference, systems needed, power by systems."""
    facts = result.attrs
    flat, powers = spread(result, ["systems"], ["power"])
    flat, of_sets = spread(flat, ["sets"], ["systems_of_sets"])
    columns = (
        Column("segments"),
        Column("difference", "difference of r", "+.4f"),
        Column("systems_needed", number=".0f"),
        *(
            Column(name, name.replace("systems_of_sets_", "in each\nof "), ".0f")
            for name in of_sets[1:]
        ),
        *(Column(name, name.removeprefix("power_"), ".2f") for name in powers),
    )
    caption = f"Systems needed to show it with power {facts['power']:g}; power by number of systems"
    worst, most_tried = float(result["power_error"].max()), int(result["segments"].max())
    variance = np.mean(np.square(noise := facts["segment_deviation"]))
    notes = [
        f"{facts['replicates']:,} samples of each size from {facts['population']}; the standard "
        f"error of a power is at most {worst:.3f}.",
        NOISE_NOTE.format(np.mean(noise), most_tried, 100 * variance / most_tried, *REAL_NOISE),
    ]
    if result.sizes["sets"] > 1:
        notes.append(
            "The sets have the same systems; errors are assumed to correlate by "
            f"{facts['error_correlation']:g} between sets."
        )
    if np.isnan(result["systems_needed"].to_numpy()).any():
        most = int(result["systems"][-1])
        notes.append(f"An empty cell means that more than {most} systems are needed.")
    return number_table([flat], ["segments"], columns, caption, notes)


def judge_plan_lines(result: xr.Dataset) -> list[str]:
    """Say how many items show how well a judge agrees with people, and what that assumes."""
    facts, main = result.attrs, result.isel(statistic=0)
    judge, of, value = facts["judge"], main["statistic"].item(), float(main["value"])
    each = facts["items_of_a_unit"]
    unit = facts["unit"] if facts["unit"] == "items" else f"segments ({each:.3g} items each)"
    raters = result["raters"].to_numpy().tolist()
    units = [_units_needed(x, unit) for x in main["units_needed"].to_numpy()]
    own = raters.index(facts["people"]) if facts["people"] in raters else 0
    seen, there = f"these {facts['answered']:,} items", f"there are {facts['units']:,}"
    needed = float(main["units_needed"][own])
    if unit != "items" and np.isfinite(needed):
        there = f"{needed * each:,.0f} items; {there} segments"
    assumed = f"Assumed: {unit} are independent, and ratings vary as in {seen}"
    if facts["width"] is None and not value:
        told = f"By {of}, {judge} agrees with people here exactly as people do with each other"
        return [f"{told}: no number of items would show a difference."]
    if facts["width"] is not None and np.isnan(main["noise_error"]):
        told = f"By {of} ({value:.3f}), these items do not show how much {judge}'s agreement varies"
        return [f"{told}, so no number can be planned."]
    if facts["width"] is None:
        how, other = ("better", "worse") if value > 0 else ("worse", "better")
        turned = result["statistic"].to_numpy()[(result["value"] * value < 0).to_numpy()]
        told = f"by {listed(turned)}; the table says how many items would show it"
        return [
            f"By {of}: if {judge} agrees {how} with people than people do with each other, by as "
            f"much as in {seen} ({abs(value):.3f}), {units[own]} in all ({there}) would show it "
            f"({100 * facts['power']:g} % probability).",
            *([f"In these items {judge} agrees {other} {told}."] if turned.size else []),
            f"{assumed}; the same people judge. The true difference may be another one: `raters` "
            f"gives its interval. For {judge}'s agreement itself, add --width 0.1.",
        ]
    others = [
        f"with {_people(k)}: {units[i].removesuffix(f' {unit}')}"
        for i, k in enumerate(raters)
        if i != own and np.isfinite(main["units_needed"][i])
    ]
    half = " About half of such samples give a wider one." * (needed > FEWEST_ITEMS)
    error = f"{200 * float(main['noise_error']):.0f} %"
    return [
        f"{units[own].capitalize()} in all ({there}), judged by {judge} and "
        f"{_people(raters[own])} each, are needed for a {level_of(result)} interval of width "
        f"{facts['width']:g} (±{facts['width'] / 2:g}) of {judge}'s agreement with people "
        f"({of}; {value:.3f} in {seen}).{half}",
        *([f"{'; '.join(others).capitalize()}."] if others else []),
        f"{assumed}, so the number may be off by up to {error} (at 95 %); agreement is as "
        "here, and all judge every item.",
        *([f"Does {judge} agree better than people do? Leave --width out."] if raters[1:] else []),
    ]


def width_plan_lines(result: xr.Dataset) -> list[str]:
    """Say how many systems give r of a metric an interval of some width."""
    row = result.isel(metric=0)
    needed, name = float(row["systems_needed"]), row["metric"].item()
    many = "More than 10,000" if np.isnan(needed) else f"About {needed:,.0f}"
    lower, upper = (float(row[x]) for x in ("lower", "upper"))
    there = f" (there are {result.attrs['teams']})" if "teams" in result.attrs else ""
    return [
        f"{many} systems in all are needed for a {level_of(result)} interval of width "
        f"{result.attrs['width']:g} of {name}'s r (here r = {float(row['value']):.3f}, "
        f"{lower:.3f} to {upper:.3f}, {int(row['systems'])} systems).",
        f"Assumed: independent systems{there} with normal scores, r as here, as many segments, and "
        "an average sample.",
    ]


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"


def _units_needed(count: float, unit: str) -> str:
    about = "at most" if count <= FEWEST_ITEMS else "about"
    return f"more than {MOST_ITEMS:,} {unit}" if np.isnan(count) else f"{about} {count:,.0f} {unit}"


def judge_plan_table(result: xr.Dataset) -> Table:
    """One row for each statistic: its value here, and units needed by numbers of people."""
    flat, names = spread(result, ["raters"], ["units_needed"])
    unit, judge = result.attrs["unit"], result.attrs["judge"]
    heading, sign = ("here", "") if result.attrs["width"] else (f"{judge} minus people, here", "+")
    columns: list[Column | str] = ["statistic", Column("value", heading, f"{sign}.3f")]
    each = zip(names, result["raters"].to_numpy().tolist(), strict=True)
    columns += [Column(name, _people(k), ",.0f") for name, k in each]
    many = result["units_needed"].isnull().any()
    notes = [f"An empty cell: more than {MOST_ITEMS:,} {unit}, or not known."] if many else []
    caption = f"{unit.capitalize()} needed if so many people judge each"
    return number_table([flat], ["statistic"], columns, caption, notes)


def sweep_lines(result: xr.Dataset) -> list[str]:
    """Say in how many ways super-samples of different seeds rank metrics, and which pairs swap."""
    lines = []
    over = result[["value"]].sel(basis="hybrids").isel(comparison=0)
    for place in product(*(over[dim].to_numpy() for dim in ("input", "n", "design"))):
        part = over.sel(dict(zip(("input", "n", "design"), place, strict=True)))
        part = part.dropna("seed", how="all").dropna("metric")
        r, names = part["value"].transpose("seed", "metric").to_numpy(), names_of(part, "metric")
        if len(r) < 2 or len(names) < 2:
            continue
        r = r.round(DIGITS)  # as ranks are: copies share theirs
        ahead = r[:, :, np.newaxis] > r[:, np.newaxis]
        orders = np.unique(ahead, axis=0)
        swapped = np.argwhere(np.triu(ahead.any(axis=0) & ahead.any(axis=0).T, 1))
        pairs = [f"{names[i]} and {names[j]}" for i, j in swapped]
        count = f"{plural(len(orders), 'rankings')} in {len(r)} super-samples"
        name, n, design = place
        swaps = f"; these pairs swap places: {listed(pairs)}" if pairs else "; no pair swaps places"
        lines.append(f"{name}, {n:,} hybrids, {design}: {count}{swaps}")
    return lines


def leading_systems(evaluation: xr.Dataset, gold: str, most: int | None = None) -> list[str]:
    """Names of the systems, or of at most `most`, by their r, highest first."""
    return names_of(part_of(evaluation[["value"]], {"gold": gold}), "system")[:most]


def source_line(data: xr.Dataset, evaluation: xr.Dataset) -> str:
    """Describe the input: source, sizes, and the segments with gold labels."""
    return (
        f"{data.attrs.get('source', 'predictions')}: {data.sizes['system']} systems, "
        f"{data.sizes['segment']} segments; judged by {evaluation.attrs['mask']}"
    )


def rescaling_table(study: xr.Dataset) -> Table:
    """One row for each gold standard and system: errors as predicted and rescaled, and r.

    ``change_of_r`` is the largest change of r, in absolute value; what only rounding leaves is 0.
    """
    r = study["r"].isel(rescaling=0, drop=True)
    moved = abs(study["r"].isel(rescaling=slice(1, None)) - r).round(12)
    change = moved.max("rescaling", skipna=False)
    flat, _ = spread(study.assign(change_of_r=change), ["rescaling"], ["r", "mae", "rmse"])
    parts = [
        flat.sel(gold=gold, system=leading_systems(study.assign(value=r), gold))
        for gold in names_of(study, "gold")
    ]
    rescalings = names_of(study, "rescaling")[1:]
    columns: list[Column | str] = ["gold", "system"]
    columns += [Column("r", number=".3f", of="r_original")]
    for measure in ("mae", "rmse"):
        columns += [Column(measure, measure.upper(), ".3f", of=f"{measure}_original")]
        columns += [Column(f"{measure}_{x.replace(' ', '_')}", x, ".3f") for x in rescalings]
    columns += [Column("change_of_r", number=".1g")]
    note = RESCALING_NOTE.format(share=study.attrs["share"])
    caption = "Errors of predictions, original and rescaled; r does not change"
    return number_table(parts, ["system"], columns, caption, [note])


register_kind(
    Kind(
        name="inspection",
        title="What scores have and lack",
        answer=inspection_lines,
        tables={"systems": Rows(["system"], OF_SYSTEMS), "metrics": metrics_table},
        brief=lambda inspected: [],
    ),
    Kind(
        name="exact",
        title="Correlations of infinitely many hybrids",
        tables={"exact": Forms(exact_table, exact_table, partial(exact_table, chosen=PAPER))},
    ),
    Kind(
        name="tests",
        title="Tests of correlations as numbers",
        answer=recommended_lines,
        tables={"tests": numbers_table},
    ),
    Kind(
        name="sampling",
        file="sampling",
        title="The sampling distribution of r",
        answer=sampling_lines,
        tables={"intervals": sampling_table},
        figures={"sampling": Figure("studies.sampling_figure")},
    ),
    Kind(
        name="plan",
        file="plan",
        title="How many systems tell two metrics apart",
        answer=plan_lines,
        tables={"plan": plan_table},
        figures={"plan": Figure("studies.plot_power")},
        brief=lambda result: [],
    ),
    Kind(
        name="judge-plan",
        file="judge-plan",
        title="How many items show how well a judge agrees with people",
        answer=judge_plan_lines,
        tables={"judge-plan": judge_plan_table},
        brief=lambda result: [judge_plan_table(result)],
    ),
    Kind(
        name="width-plan",
        file="width-plan",
        title="How many systems give r an interval of some width",
        answer=width_plan_lines,
        tables={"width-plan": Rows(["metric"], _OF_WIDTH)},
        brief=lambda result: [],
    ),
    Kind(name="sweep", title="Rankings for combinations of inputs", answer=sweep_lines),
)
