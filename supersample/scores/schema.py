"""Scores and Predictions: each variable is declared once, made and checked by that; simulated ones.

A corpus metric has no segment-level score. Its statistics are a variable of their own,
``<metric>_statistics``, whose attributes say how their sums give a score:

- ``finalizer`` and ``options``: the name of a finalizer and its options as JSON;
- ``higher_is_better``: 1 or 0;
- ``signature``: how the statistics were counted; ``reference``: what the metric compares with.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.errors import InputError, check_alike, check_names, plural, quoted
from supersample.inference.arguments import ABSENT, numbers_of
from supersample.inference.teams import FEWEST_TEAMS

# Largest score, and inverse of the smallest, so that sums of fourth powers stay finite.
LARGEST = 1e60

GOLD = "gold standard"

# Scores above the first limit may be at most this many times their range.
SMALL, FURTHEST = 1e6, 2.0**40


@dataclass(frozen=True)
class Variable:
    """Declaration of one variable: name, dims, dtype kinds, units and meaning."""

    name: str
    dims: tuple[str, ...]
    kinds: str
    units: str
    doc: str
    optional: bool = False

    def of(self, data: xr.Dataset) -> NDArray[Any]:
        """Values in a Dataset, along the declared dimensions in their order."""
        return data.variables[self.name].transpose(*self.dims).to_numpy()


def check_declared(scores: xr.Dataset, variable: Variable, what: str = "Scores") -> None:
    """Check that a variable exists, unless it is optional, with its dimensions and dtype."""
    name = quoted(variable.name)
    if variable.name not in scores:
        if variable.optional:
            return
        raise InputError(f"{what} lack {name} {variable.dims}: {variable.doc}")
    array = scores.variables[variable.name]
    if set(array.dims) != set(variable.dims):
        raise InputError(f"{name} has dimensions {array.dims}; {what} declare {variable.dims}")
    if array.size and array.dtype.kind not in variable.kinds:  # a store keeps none of an empty one
        raise InputError(
            f"{name} has dtype {array.dtype}; {what} declare kind '{variable.kinds}' "
            f"({variable.doc})"
        )


def check_dataset(
    data: xr.Dataset, what: str, variables: Iterable[Variable], fewest: Mapping[str, int]
) -> None:
    """Check variables and texts, and that each dimension has enough labels without duplicates."""
    _check_alike(data, what)
    for variable in variables:
        check_declared(data, variable, what)
    for dimension, number in fewest.items():
        if dimension not in data.coords:
            raise InputError(f"{what} lack labels for the dimension '{dimension}'")
        index = data.indexes[dimension]
        name = GOLD if dimension == "gold" else dimension
        if not index.is_unique:
            repeated = quoted(index[index.duplicated()][0])
            raise InputError(f"the {name} {repeated} occurs more than once")
        if len(index) < number:
            raise InputError(f"at least {number} {name}s are needed, there are {len(index)}")


def _check_alike(data: xr.Dataset, what: str) -> None:
    """Refuse labels that look the same."""
    source = str(data.attrs.get("source", what))
    for name in data.coords:
        labels = np.ascontiguousarray(data[name].to_numpy()).ravel()
        if labels.dtype.kind == "U":  # fast for millions of labels
            codes = labels.astype(labels.dtype.newbyteorder("=")).view(np.uint32)
            if codes.max(initial=0) < 128:
                continue
        check_alike(f"{source}, the {name}", labels)


def check_numbers(what: str, values: Floats, data: xr.Dataset, *dims: str) -> None:
    """Refuse numbers whose sums of powers overflow or underflow, and values that are all missing.

    `data` labels the dimensions.
    """
    if np.isnan(values).all():
        raise InputError(f"there is no number in {what}; leave it out or supply some")
    lowest, highest = np.nanmin(values), np.nanmax(values)
    largest = max(-lowest, highest)
    if largest > LARGEST:
        place = np.unravel_index(np.nanargmax(np.abs(values)), values.shape)
        at = ", ".join(
            f"{name} {quoted(data[name].values[i])}" for name, i in zip(dims, place, strict=True)
        )
        kind = "an infinite value" if np.isinf(largest) else f"a value beyond {LARGEST:g}"
        raise InputError(f"{kind} in {what}: {at}")
    spread = highest - lowest
    if spread and largest > max(SMALL, spread * FURTHEST):
        raise InputError(
            f"{what} differ by {spread:g} at {largest:g}, and sums of numbers this large lose the "
            "differences; subtract the same number from all"
        )
    if 0 < largest < 1 / LARGEST:
        raise InputError(f"no value in {what} reaches {1 / LARGEST:g}; rescale them")


def switches_of(what: str, values: object) -> NDArray[np.bool_]:
    """Convert answers to yes or no; texts and missing ones are refused."""
    array = numbers_of(what, values)
    if not np.isin(array, (0, 1)).all():
        raise InputError(f"{what} must be True or False, not {quoted(values)}")
    return np.asarray(array == 1)


def make_declared(
    what: str,
    variables: Iterable[Variable],
    values: Mapping[str, Any],
    labels: Mapping[str, Sequence[Any] | None],
    attrs: Mapping[str, Hashable] | None = None,
) -> xr.Dataset:
    """Make a Dataset of the declared variables with values; texts become coordinates.

    `labels` are by dimension; None numbers the last dimension of the first variable.

    Raises
    ------
    InputError
        If values are not numbers, a label is missing, or shapes and labels do not fit together.
    """
    arrays: dict[str, Any] = {}
    coordinates: dict[str, Any] = {}
    for variable in variables:
        name, given = variable.name, values.get(variable.name)
        about = {"units": variable.units, "long_name": variable.doc}
        if given is not None and variable.kinds == "UOT":
            coordinates[name] = (variable.dims, checked_labels(name, given), about)
        elif given is not None:
            whole = (switches_of if variable.kinds == "b" else numbers_of)(name, given)
            arrays[name] = (variable.dims, whole, about)
    shape = next(iter(arrays.values()))[1].shape
    numbered = [str(i) for i in range(shape[-1] if shape else 0)]
    for dim, names in labels.items():
        coordinates[dim] = (dim, checked_labels(dim, numbered if names is None else names))
    try:
        return xr.Dataset(arrays, coordinates, dict(attrs or {}))
    except ValueError as error:
        raise InputError(f"{what} and labels do not fit together: {error}") from error


def checked_labels(what: str, labels: Iterable[Any]) -> Any:
    """List labels; refuse masked and missing ones (None, NA, NaN)."""
    found = list(labels)
    kinds = {type(label) for label in found}
    absent = {kind for kind in kinds if kind.__name__ in ABSENT or issubclass(kind, float)}
    for number, label in enumerate(found if absent else ()):
        if type(label).__name__ in ABSENT or label != label:
            raise InputError(f"label {number + 1} of '{what}' is missing")
    return found or np.empty(0, dtype=str)  # an empty list would become floats


SUFFIX = "_statistics"
SEGMENT_MEAN = " (segment mean)"
OF_STATISTICS = ("finalizer", "options", "signature", "higher_is_better")


def statistics_variable(metric: str) -> Variable:
    """Declare the variable that holds a corpus metric's statistics."""
    return Variable(
        f"{metric}{SUFFIX}",
        ("system", "segment", f"{metric}_statistic"),
        "f",
        "counts",
        f"additive statistics of {metric}, without gaps; their sums over segments give its score",
    )


def corpus_metrics(scores: xr.Dataset) -> list[str]:
    """Names of the corpus metrics in Scores, in their order."""
    return [str(n).removesuffix(SUFFIX) for n in scores.data_vars if str(n).endswith(SUFFIX)]


def all_metrics(scores: xr.Dataset) -> xr.Dataset:
    """Orientation of all metrics, segment-level metrics first, and their reference if known."""
    corpus = corpus_metrics(scores)
    if not corpus:
        return scores[["higher_is_better"]]
    attrs = [scores[name + SUFFIX].attrs for name in corpus]
    declared = scores["higher_is_better"]
    higher = [*declared.to_numpy().tolist(), *(bool(a["higher_is_better"]) for a in attrs)]
    metrics = xr.Dataset(
        {"higher_is_better": ("metric", higher, declared.attrs)},
        coords={"metric": [*scores["metric"].to_numpy().tolist(), *corpus]},
    )
    if "reference" in scores.coords:
        of_segments = [str(name) for name in scores["reference"].to_numpy()]
        of_corpora = [str(a.get("reference", "")) for a in attrs]
        metrics = metrics.assign_coords(reference=("metric", [*of_segments, *of_corpora]))
    return metrics


def with_metrics(scores: xr.Dataset, names: Sequence[str]) -> xr.Dataset:
    """Keep only these metrics, segment-level (in this order) and corpus metrics."""
    left_out = [name + SUFFIX for name in corpus_metrics(scores) if name not in names]
    of_segments = [name for name in names if name in scores["metric"].to_numpy()]
    return scores.drop_vars(left_out).sel(metric=of_segments)


def validate_corpus_statistics(scores: xr.Dataset) -> None:
    """Check the corpus metrics of Scores."""
    for metric in corpus_metrics(scores):
        variable = statistics_variable(metric)
        check_declared(scores, variable)
        array = scores[variable.name]
        where = quoted(variable.name)
        lacking = [name for name in OF_STATISTICS if name not in array.attrs]
        if lacking:
            raise InputError(f"{where} lacks the attribute '{lacking[0]}'")
        if metric in scores["metric"].to_numpy():
            raise InputError(
                f"{quoted(metric)} is a corpus metric and a segment-level metric; call the latter "
                f"{quoted(metric + SEGMENT_MEAN)}"
            )
        values = array.transpose(*variable.dims).to_numpy()
        wrong = np.argwhere(~((values >= 0) & (values <= LARGEST)))
        if wrong.size:
            system, segment, column = wrong[0]
            raise InputError(
                f"{where} is negative, missing or beyond {LARGEST:g}: system "
                f"{quoted(scores['system'].values[system])}, segment "
                f"{quoted(scores['segment'].values[segment])}, statistic {column}"
            )


BOTH = ("system", "segment")
TEXT = "UOT"  # kinds of texts
HUMAN = Variable("human", BOTH, "f", "human score", "mean human score, NaN where nobody rated")
HUMAN_COUNT = Variable(
    "human_count", BOTH, "fiu", "ratings", "ratings of the human score; 1 where absent", True
)
SCORE = Variable("score", ("metric", *BOTH), "f", "metric score", "score, NaN where missing")
HIGHER_IS_BETTER = Variable(
    "higher_is_better", ("metric",), "b", "1", "whether larger scores mean better translations"
)
DOCUMENT = Variable("document", ("segment",), TEXT, "1", "the segment's document", True)
DOMAIN = Variable("domain", ("segment",), TEXT, "1", "the segment's domain", True)
REFERENCE_FREE = "src"
"""Reference of a metric that uses only the source."""
REFERENCE = Variable("reference", ("metric",), TEXT, "1", "what the metric compares with", True)

TEAMS = "teams"
"""Attribute: how many systems are in how many teams."""
_NO_SYSTEMS = "no_new_systems"  # as presentation.labels has it, which is no room below
TEAM = Variable("team", ("system",), TEXT, "1", "the system's team; its name where alone", True)

SCORES = (HUMAN, HUMAN_COUNT, SCORE, HIGHER_IS_BETTER, DOCUMENT, DOMAIN, REFERENCE, TEAM)
FEWEST = {"system": 2, "segment": 2, "metric": 0}


def make_scores(
    human: ArrayLike,
    score: ArrayLike,
    *,
    systems: Sequence[str],
    metrics: Sequence[str],
    segments: Sequence[str] | None = None,
    higher_is_better: Sequence[bool] | None = None,
    human_higher_is_better: bool = True,
    human_count: ArrayLike | None = None,
    document: Sequence[str] | None = None,
    domain: Sequence[str] | None = None,
    reference: Sequence[str] | None = None,
    attrs: Mapping[str, Hashable] | None = None,
) -> xr.Dataset:
    """Make a Scores Dataset from arrays, and validate it.

    Parameters
    ----------
    human : array_like, shape (systems, segments)
        Mean human scores; NaN, None, NA or masked where nobody rated.
    score : array_like, shape (metrics, systems, segments)
        Segment-level metric scores, NaN where missing; empty if there are no metrics yet.
    systems, metrics : sequence of str
        Labels, without duplicates. Without metrics, add some by `add_metric` or
        `add_corpus_metrics` before using the Scores.
    segments : sequence of str, optional
        Labels; default "0", "1", ...
    higher_is_better : sequence of bool, optional
        Declared orientation of each metric; all True by default.
    human_higher_is_better : bool, default True
        Declared orientation of the human scores.
    human_count : array_like, shape (systems, segments), optional
        Number of ratings in each human score; 1 by default.
    document, domain : sequence of str, optional
        Labels of each segment's document and domain.
    reference : sequence of str, optional
        Name of the reference with which each metric compares.
    attrs : mapping, optional
        Attributes, such as the source; they are copied into results.

    Returns
    -------
    xarray.Dataset
        Scores that `validate_scores` accepts.

    Raises
    ------
    InputError
        If shapes or labels do not fit, a score is not a number or is infinite, a metric or the
        human scores have no value at all, or there are fewer than two systems or segments.

    Examples
    --------
    >>> scores = make_scores(
    ...     [[1.0, 2.0], [3.0, 5.0]], [[[0.1, 0.2], [0.4, 0.3]]], systems=["A", "B"], metrics=["m"]
    ... )
    >>> dict(scores.sizes)
    {'system': 2, 'segment': 2, 'metric': 1}
    """
    if not len(metrics) and not np.size(score):
        score = np.empty((0, *np.shape(human)))
    values = {
        "human": human,
        "human_count": human_count,
        "score": score,
        "higher_is_better": [True] * len(metrics) if higher_is_better is None else higher_is_better,
        "document": document,
        "domain": domain,
        "reference": reference,
    }
    labels = {"system": systems, "segment": segments, "metric": metrics}
    scores = make_declared("scores", SCORES, values, labels, attrs)
    is_higher = switches_of("human_higher_is_better", human_higher_is_better)
    scores[HUMAN.name].attrs["higher_is_better"] = int(is_higher)
    validate_start(scores)
    return scores


def teams_of_systems(scores: xr.Dataset) -> NDArray[np.str_]:
    """Name the team of each system; a system without a team is its own team."""
    return scores["team" if TEAM.name in scores.coords else "system"].to_numpy().astype(str)


def with_teams_named(scores: xr.Dataset) -> xr.Dataset:
    """Say in the attribute ``teams`` how many teams there are, or why too few for new systems."""
    if TEAM.name not in scores.coords:
        return scores
    names, counts = np.unique(teams_of_systems(scores), return_counts=True)
    kept = {name: x for name, x in scores.attrs.items() if name not in (TEAMS, _NO_SYSTEMS)}
    if counts.max() > 1:
        large = (
            f"{name} has {count}" for name, count in zip(names, counts, strict=True) if count > 1
        )
        kept[TEAMS] = f"{counts.sum()} systems in {plural(len(names), 'teams')}: {', '.join(large)}"
        if of_set := scores["team"].attrs.get("declared"):
            kept[TEAMS] += f" (as listed for {of_set})"
        if len(names) < FEWEST_TEAMS:
            kept[_NO_SYSTEMS] = f"{plural(len(names), 'teams')}; at least {FEWEST_TEAMS} are needed"
    return scores.drop_attrs(deep=False).assign_attrs(kept)


def team_numbers(scores: xr.Dataset) -> NDArray[np.int64] | None:
    """Give each system the number of its team; None if no teams are declared."""
    if TEAM.name not in scores.coords:
        return None
    return np.unique(teams_of_systems(scores), return_inverse=True)[1].astype(np.int64)


def validate_scores(scores: xr.Dataset) -> None:
    """Check a Dataset against the declaration of Scores.

    Raises
    ------
    InputError
        With one line that says what is wrong, where, and what is expected.
    """
    validate_start(scores)
    if not scores.sizes["metric"] and not corpus_metrics(scores):
        raise InputError(
            "these Scores have no metric: add_metric (--add-metric) or add_corpus_metrics "
            "(inspect --corpus-metric) adds one"
        )


def validate_start(scores: xr.Dataset) -> None:
    """Check Scores like `validate_scores`, but allow that there are no metrics yet."""
    if "system_score" in scores and "segment" not in scores.dims:
        raise InputError(
            "this needs segments, which system-level scores do not have; compare and rank "
            "(supersample compare) take them"
        )
    check_dataset(scores, "Scores", SCORES, FEWEST)
    _check_values(scores)
    validate_corpus_statistics(scores)


def _check_values(scores: xr.Dataset) -> None:
    human = HUMAN.of(scores)
    check_numbers("the human scores", human, scores, *HUMAN.dims)
    for name, values in zip(scores.variables["metric"].to_numpy(), SCORE.of(scores), strict=True):
        check_numbers(f"the metric {quoted(name)}", values, scores, *HUMAN.dims)
    if HUMAN_COUNT.name in scores:
        counts = HUMAN_COUNT.of(scores)
        rated = ~np.isnan(human)
        if not ((counts[rated] > 0) & (counts[rated] <= LARGEST)).all():
            raise InputError("'human_count' must be a positive number wherever 'human' has one")


PREDICTION = Variable(
    "prediction", ("system", "segment"), "f", "label", "predicted quality, NaN where missing"
)
LABEL = Variable(
    "label", ("gold", "segment"), "f", "label", "label of the gold standard, NaN where missing"
)
LENGTH = Variable("length", ("segment",), "f", "words", "length of the translation", optional=True)
TRAINED_ON = Variable(
    "trained_on", ("system",), "UOT", "1", "labels the system was trained on", optional=True
)
PREDICTS = Variable(
    "predicts",
    ("system",),
    "UOT",
    "1",
    "gold standard whose units the predictions have; empty if unknown",
)

PREDICTIONS = (PREDICTION, LABEL, LENGTH, TRAINED_ON, PREDICTS)


def make_predictions(
    prediction: ArrayLike,
    label: ArrayLike,
    *,
    systems: Sequence[str],
    gold: Sequence[str],
    segments: Sequence[str] | None = None,
    length: ArrayLike | None = None,
    trained_on: Sequence[str] | None = None,
    attrs: Mapping[str, Hashable] | None = None,
) -> xr.Dataset:
    """Make a Predictions Dataset from arrays, and validate it.

    Parameters
    ----------
    prediction : array_like, shape (systems, segments)
        Prediction of each system for each segment, NaN where missing.
    label : array_like, shape (gold standards, segments)
        Labels of each gold standard, such as HTER or post-edit time, NaN where missing.
    systems, gold : sequence of str
        Names, without duplicates.
    segments : sequence of str, optional
        Labels; "0", "1", ... by default.
    length : array_like, shape (segments,), optional
        Number of words of each translation, for post-edit rates.
    trained_on : sequence of str, optional
        Labels that each system was trained on, perhaps those of another gold standard. They are
        the units of its predictions, so its errors are meaningful only against that gold standard.
        By default, with one gold standard, all systems predict that one.
    attrs : mapping, optional
        Attributes, such as the source; they are copied into results.

    Returns
    -------
    xarray.Dataset
        ``prediction`` (system, segment), ``label`` (gold, segment), optionally ``length``
        (segment), and the coordinates ``predicts`` (system) and optionally ``trained_on`` (system).

    Raises
    ------
    InputError
        If shapes do not fit the names, names repeat, a number is infinite, a system or gold
        standard has no number, a length is not positive, or there are fewer than two segments.

    Examples
    --------
    >>> data = make_predictions([[0.2, 0.4]], [[0.1, 0.5]], systems=["A"], gold=["HTER"])
    >>> dict(data.sizes)
    {'system': 1, 'segment': 2, 'gold': 1}
    """
    units = [gold[0] if len(gold) == 1 else ""] * len(systems)
    values = {
        "prediction": prediction,
        "label": label,
        "length": length,
        "trained_on": trained_on,
        "predicts": units if trained_on is None else trained_on,
    }
    labels = {"system": systems, "segment": segments, "gold": gold}
    named = {**(attrs or {}), "kind": "predictions"}
    data = make_declared("predictions", PREDICTIONS, values, labels, named)
    validate_predictions(data)
    return data


def validate_predictions(data: xr.Dataset) -> None:
    """Check a Dataset against the declaration of Predictions."""
    check_dataset(data, "Predictions", PREDICTIONS, {"system": 1, "gold": 1, "segment": 2})
    for variable, what in ((PREDICTION, "system"), (LABEL, "gold standard")):
        names = data[variable.dims[0]].to_numpy()
        for name, numbers in zip(names, variable.of(data), strict=True):
            check_numbers(f"the {what} {quoted(name)}", numbers, data, "segment")
    if LENGTH.name in data:
        lengths = data[LENGTH.name].to_numpy()
        wrong = np.flatnonzero(np.isinf(lengths) | (lengths <= 0))
        if wrong.size:
            raise InputError(
                f"the length of segment {quoted(data['segment'].values[wrong[0]])} is "
                f"{lengths[wrong[0]]:g}; a length must be a positive number of words"
            )


# Metrics of the embedded example, and their correlations with quality in the population.
EXAMPLE_CORRELATIONS = {
    "strong-98": 0.98,
    "strong-95": 0.95,
    "good-90": 0.90,
    "good-85": 0.85,
    "errors-85": 0.85,
    "fair-70": 0.70,
    "weak-40": 0.40,
    "useless-00": 0.0,
}


def simulate_scores(
    *,
    systems: int = 12,
    segments: int = 500,
    correlations: Mapping[str, float] | None = None,
    lower_is_better: tuple[str, ...] = (),
    segment_deviation: float = 3.0,
    shared_noise: float = 0.3,
    document_length: int = 10,
    unrated_segments: float = 0.0,
    missing_ratings: float = 0.0,
    seed: int = 0,
) -> xr.Dataset:
    r"""Simulate segment-level human and metric scores of systems.

    All symbols are standard normal and independent. System s has the true quality :math:`q_s`, and
    metric m has the true score :math:`\rho_m q_s + \sqrt{1 - \rho_m^2}\, e_{ms}`. So over a
    population of systems, the true scores of m have exactly the correlation :math:`\rho_m` with
    quality. The scores of segment l are::

        human   50 + 10 (q_s + t (c_l + u_sl))
        metric  50 + 10 (rho_m q_s + sqrt(1 - rho_m^2) e_ms + t (c_l + w_msl))

    where t is `segment_deviation`, c the difficulty of a segment (half of its variance belongs to
    the document), u the human score's deviation at a segment, and
    ``w = k u_sl + sqrt(1 - k^2) v_msl`` the metric's deviation, which shares k = `shared_noise`
    with the human one. A metric in `lower_is_better` is negated.

    Parameters
    ----------
    systems, segments : int
        At least 2 of each.
    correlations : mapping of str to float, optional
        Population correlation of each metric, in [-1, 1]; default: those of the example.
    lower_is_better : tuple of str, default ()
        Metrics whose scores are negated, as if they counted errors.
    segment_deviation : float, default 3.0
        Standard deviation of segments, in units of the standard deviation of systems.
    shared_noise : float, default 0.3
        Weight k, in [-1, 1], of the human score's deviation in the metric's deviation.
    document_length : int, default 10
        Segments per document.
    unrated_segments : float, default 0.0
        Share of segments that nobody rated for any system.
    missing_ratings : float, default 0.0
        Share of the other (system, segment) pairs that nobody rated.
    seed : int, default 0
        Seed of NumPy's PCG64, which draws all random numbers.

    Returns
    -------
    xarray.Dataset
        Scores.

    Raises
    ------
    InputError
        If a parameter is out of range, or `lower_is_better` names an unknown metric.

    Examples
    --------
    >>> scores = simulate_scores(systems=5, segments=100, correlations={"m": 0.9}, seed=1)
    >>> scores["score"].sizes
    Frozen({'metric': 1, 'system': 5, 'segment': 100})
    """
    chosen = dict(EXAMPLE_CORRELATIONS if correlations is None else correlations)
    if not chosen:
        raise InputError("at least 1 metric is needed")
    check_names("metric", lower_is_better, chosen)
    if systems < 2 or segments < 2 or document_length < 1:
        raise InputError("at least 2 systems, 2 segments and documents of 1 segment are needed")
    if not all(-1 <= rho <= 1 for rho in [*chosen.values(), shared_noise]):
        raise InputError("correlations and shared_noise lie in [-1, 1]")
    if not (0 <= unrated_segments < 1 and 0 <= missing_ratings < 1):
        raise InputError("unrated_segments and missing_ratings are shares in [0, 1)")
    if seed < 0:
        raise InputError(f"a seed must be an integer of at least 0, not {seed}")
    rng = np.random.default_rng(seed)
    rho = np.array(list(chosen.values()))[:, np.newaxis, np.newaxis]
    documents = np.arange(segments) // document_length
    quality = rng.normal(size=systems)[:, np.newaxis]
    difficulty = rng.normal(size=documents[-1] + 1)[documents] + rng.normal(size=segments)
    difficulty /= np.sqrt(2.0)
    deviation = rng.normal(size=(systems, segments))
    metric_error = rng.normal(size=(len(chosen), systems, 1))
    metric_deviation = rng.normal(size=(len(chosen), systems, segments))
    human = quality + segment_deviation * (difficulty + deviation)
    seen = shared_noise * deviation + np.sqrt(1 - shared_noise**2) * metric_deviation
    score = rho * quality + np.sqrt(1 - rho**2) * metric_error
    score = score + segment_deviation * (difficulty + seen)
    unrated = rng.random(segments) < unrated_segments
    missing = rng.random((systems, segments)) < missing_ratings
    human[unrated | missing] = np.nan
    higher = [name not in lower_is_better for name in chosen]
    score *= np.where(higher, 1.0, -1.0)[:, np.newaxis, np.newaxis]
    return make_scores(
        50 + 10 * human,
        50 + 10 * score,
        systems=[f"system-{s + 1:0{len(str(systems))}d}" for s in range(systems)],
        metrics=list(chosen),
        segments=[f"segment-{i + 1:0{len(str(segments))}d}" for i in range(segments)],
        higher_is_better=higher,
        document=[f"document-{d + 1:0{len(str(documents[-1] + 1))}d}" for d in documents],
        attrs={"source": f"simulated, seed {seed}", "human": "simulated"},
    )


def load_example() -> xr.Dataset:
    """Return the embedded example: 12 systems, 500 segments, 8 metrics from strong to useless.

    `simulate_scores` made it with a fixed seed. For "errors-85" lower is better. Some segments were
    not rated at all, and a few other ratings are missing.

    Examples
    --------
    >>> load_example().sizes["metric"]
    8
    """
    example = simulate_scores(
        lower_is_better=("errors-85",), unrated_segments=0.04, missing_ratings=0.003, seed=2016
    )
    example.attrs["source"] = "embedded example"
    return example
