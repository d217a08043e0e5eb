"""Inspect Scores: sizes, gaps, reversed metrics, and scorers that are parts of the human scores."""

import re
import shlex
from collections.abc import Iterable, Sequence

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import InputError, listed
from supersample.inference.coefficients import pearson
from supersample.scores.schema import HUMAN, SCORE, all_metrics, corpus_metrics, validate_start
from supersample.scores.selection import select_segments
from supersample.scores.system_level import (
    SYSTEM_HUMAN,
    SYSTEM_SCORE,
    corpus_part,
    oriented_scores,
    system_level_scores,
)
from supersample.tolerances import SUM_TIE


def inspect_scores(scores: xr.Dataset) -> xr.Dataset:
    """Summarise Scores before ranking: sizes, missing scores, orientation.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, or system-level scores.

    Returns
    -------
    xarray.Dataset
        Dim (metric): ``higher_is_better``, as declared; ``missing``, the number of missing scores;
        ``lowest`` and ``highest`` score; ``of_corpus``, whether it is a corpus metric, whose lowest
        and highest are those of systems on all segments; ``r`` with the human scores over the
        systems, after orientation, NaN if undefined; ``seems_reversed``, whether that r is
        negative. Dim (system): ``rated``, the number of rated segments. Attributes: ``mask``, the
        segments rated for all systems, and the attributes of the Scores.

    Raises
    ------
    InputError
        If `scores` is not a Scores Dataset.

    Examples
    --------
    >>> from supersample import load_example
    >>> inspect_scores(load_example()).attrs["mask"]
    'common 463/500'
    """
    systems: xr.Dataset | None = None
    if "system_score" in scores and "segment" not in scores.dims:
        people, values = SYSTEM_HUMAN.of(scores)[:, np.newaxis], [*SYSTEM_SCORE.of(scores).T]
        corpora, mask, systems = [], "no segments: no hybrids", scores
    else:
        validate_start(scores)
        people, corpora = HUMAN.of(scores), corpus_metrics(scores)
        try:
            mask = select_segments(scores).attrs["mask"]
            if scores.sizes["metric"] or corpora:
                systems = system_level_scores(scores, human_mean="segments")
        except InputError:
            rated = int((~np.isnan(people)).all(axis=0).sum())
            mask = f"common {rated}/{scores.sizes['segment']}, too few"
        parts = (corpus_part(scores, name) for name in corpora)
        values = [*SCORE.of(scores), *(finalize(sums.sum(axis=1)) for sums, finalize in parts)]
    metrics = all_metrics(scores)
    r = np.full(len(values), np.nan)
    if systems is not None and systems.sizes["system"] > 2:
        r = pearson(oriented_scores(systems))[0, 1:]
    names = metrics["metric"].to_numpy()
    return xr.Dataset(
        {
            "higher_is_better": ("metric", metrics["higher_is_better"].to_numpy()),
            "missing": ("metric", [int(np.isnan(whole).sum()) for whole in values]),
            "lowest": ("metric", [np.nanmin(whole) for whole in values]),
            "highest": ("metric", [np.nanmax(whole) for whole in values]),
            "of_corpus": ("metric", np.isin(names, corpora)),
            "r": ("metric", r),
            "seems_reversed": ("metric", r < 0),
            "rated": ("system", (~np.isnan(people)).sum(axis=1)),
        },
        coords={"metric": names, "system": scores["system"].to_numpy()},
        attrs={**scores.attrs, "kind": "inspection", "mask": mask, "scores": people.size},
    )


_EXACT = 1e-9  # largest share of the variance due to rounding
_FEWEST = 20  # fewest translations for a conclusion
_PEOPLE = re.compile(
    r"(?:^|[\W_])(?:human|annotators?|raters?|assessors?|experts?|turkers?|fluency|adequacy|"
    r"coherence|consistency|relevance|informativeness)(?:$|[\W_]|\d)",
    re.IGNORECASE,
)
_JUDGES = re.compile(r"judge|llm|gpt|claude|gemini|llama|mistral|qwen|gemma", re.IGNORECASE)


def parts_of_human(scores: xr.Dataset) -> dict[str, str]:
    """Find scorers that are the human scores or a part of them, and say how this is known.

    A scorer is named if the human scores are an exact linear function of it, or of it and other
    scorers. A part is not found if other parts are unknown.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.

    Returns
    -------
    dict of str to str
        Reason, by scorer.

    Examples
    --------
    >>> from supersample import load_example
    >>> scores = load_example()
    >>> parts_of_human(scores)
    {}
    >>> mean = scores["score"].sel(metric=["good-90", "good-85"]).mean("metric")
    >>> sorted(parts_of_human(scores.assign(human=mean)))
    ['good-85', 'good-90']
    """
    names, human = [str(name) for name in scores["metric"].to_numpy()], HUMAN.of(scores).ravel()
    values = SCORE.of(scores).reshape(len(names), human.size)
    rated = np.isfinite(human)
    if not names or rated.sum() < _FEWEST or np.ptp(human[rated]) == 0:
        return {}
    human, values = human[rated], values[:, rated]
    parts, whole = {}, np.isfinite(values)
    for name, scorer, given in zip(names, values, whole, strict=True):
        enough = given.sum() >= _FEWEST
        if enough and _unexplained(human[given], scorer[np.newaxis, given])[0] < _EXACT:
            parts[name] = "is a linear function of them"
    usable = whole.mean(axis=1) > 0.5
    every = whole[usable].all(axis=0)
    if parts or every.sum() < 10 * usable.sum() + _FEWEST:
        return parts
    rest, weights = _unexplained(human[every], values[usable][:, every])
    if rest < _EXACT:
        chosen = np.array(names)[usable][np.abs(weights) > 1e-4]
        parts = {str(name): "is a part of them, exactly" for name in chosen}
    return parts


def _made_of(golds: Sequence[xr.Dataset]) -> dict[str, str]:
    """Find scorers that are a linear function of several gold standards, such as their mean."""
    people = np.stack([HUMAN.of(each).ravel() for each in golds])
    rated, parts = np.isfinite(people).all(axis=0), {}
    for name, values in zip(golds[0]["metric"].to_numpy(), SCORE.of(golds[0]), strict=True):
        given = rated & np.isfinite(values.ravel())
        if len(golds) > 1 and given.sum() >= _FEWEST:
            rest, _ = _unexplained(values.ravel()[given], people[:, given])
            if rest < _EXACT:
                parts[str(name)] = "is made of several gold standards"
    return parts


def _unexplained(human: Floats, values: Floats) -> tuple[float, Floats]:
    """Share of the human scores' variance that scorers do not explain, and standardised weights."""
    deviation = values.std(axis=1, keepdims=True)
    spread = human.std()
    if spread <= SUM_TIE * np.abs(human).max():
        return 1.0, np.zeros(len(values))
    steady = deviation[:, 0] <= SUM_TIE * np.abs(values).max(axis=1)
    z = (values - values.mean(axis=1, keepdims=True)) / np.where(deviation > 0, deviation, 1.0)
    z[steady] = 0.0
    y = (human - human.mean()) / spread
    weights = np.linalg.lstsq(z @ z.T, z @ y, rcond=1e-10)[0]
    return float(((y - weights @ z) ** 2).mean()), weights


def named_as_people(names: Sequence[str]) -> list[str]:
    """Find names that say that people gave the scores, or that are aspects which people judge.

    Names of judges that are models are left out.

    Examples
    --------
    >>> named_as_people(["COMET", "annotator_1", "gpt_annotator"])
    ['annotator_1']
    """
    return [name for name in names if _PEOPLE.search(name) and not _JUDGES.search(name)]


def refuse_parts(
    golds: Iterable[xr.Dataset], allowed: tuple[str, ...] = (), *, some_elsewhere: bool = False
) -> None:
    """Refuse scorers that are the human scores or a part of them, unless they are allowed.

    The Scores differ only in their human scores. An allowed scorer that is not a part is refused,
    too, unless it may be a part in other test sets (`some_elsewhere`).
    """
    idle, golds = [] if some_elsewhere else list(allowed), list(golds)
    for scores in golds:
        parts = _made_of(golds) | parts_of_human(scores)
        refused = {name: why for name, why in parts.items() if name not in allowed}
        if refused:
            [(first, why), *others] = refused.items()
            like = f", like {listed((name for name, _ in others), 5)}" if others else ""
            human = " ".join(filter(None, ["the human scores", scores.attrs.get("human")]))
            allow = " ".join(f"--allow-part {shlex.quote(name)}" for name in refused)
            raise InputError(
                f"{human}: {first} {why}{like}; agreement with a part is meaningless. Leave it out "
                f"(--metrics names those to keep), or allow it by {allow}"
            )
        idle = [name for name in idle if name not in parts]
    if idle:
        raise InputError(f"{listed(idle, 5)} is not a part of the human scores: do not allow it")
