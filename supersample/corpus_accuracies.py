"""Pairwise accuracies of corpus metrics, their scores recomputed in every permutation."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.correlations import result_attrs
from supersample.data.corpus_statistics import all_metrics, corpus_metrics
from supersample.data.schema import HUMAN, validate_scores
from supersample.data.selection import select_segments
from supersample.engine.corpus_permutations import permuted_score_differences
from supersample.engine.statistics import mean_statistics
from supersample.errors import InputError
from supersample.hybrids import corpus_part
from supersample.inference.accuracies import mean_agreement, preferences
from supersample.inference.monte_carlo import p_values_of_counts

TIE = 1e-11  # differences of scores this close, in shares of the larger one, are equal


def corpus_accuracy(scores: xr.Dataset, *, permutations: int = 1_000, seed: int = 0) -> xr.Dataset:
    """Pairwise accuracy (PA) and soft pairwise accuracy (SPA) of the corpus metrics of Scores.

    In every paired permutation of two systems the metric scores the two permuted outputs as a
    corpus, where papers average its segment scores "for simplicity" (Thompson et al. 2024). Human
    scores are means over segments and see the same permutations.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores with corpus metrics (see `add_corpus_metrics`), read on the segments that every
        system was rated for.
    permutations : int, default 1_000
        B. Counts of ties go half to either side, and p is a share of B.
    seed : int, default 0
        Permutation i is a function of (seed, i) alone.

    Returns
    -------
    xarray.Dataset
        ``accuracy`` (meta_metric, metric), from 0 to 1, for the meta-metrics "PA" and "SPA";
        ``p_value`` (scorer, pair), the p-values of "system i is better than system j", the scorer
        "human" first, and ``higher_is_better`` (metric); coordinates ``first_system`` and
        ``second_system`` (pair).

    Raises
    ------
    InputError
        If there is no corpus metric, `permutations` < 1, or the Scores are invalid.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving statistical significance in human
    evaluation of automatic metrics via soft pairwise accuracy", WMT, equations 1 to 3.

    Examples
    --------
    >>> from supersample import Texts, add_corpus_metrics, make_scores
    >>> texts = Texts({"A": ["a b c"] * 9, "B": ["a d c"] * 9}, [["a b c"] * 9])
    >>> scores = make_scores(
    ...     [[1.0] * 9, [0.0] * 9], [[[1.0] * 9, [0.0] * 9]], systems=["A", "B"], metrics=["m"]
    ... )
    >>> scored = add_corpus_metrics(scores, texts, ["ter"], cache=None)
    >>> corpus_accuracy(scored)["accuracy"].sel(metric="TER").values
    array([1., 1.])
    """
    validate_scores(scores)
    metrics = corpus_metrics(scores)
    if not metrics:
        raise InputError("these Scores have no corpus metrics; add_corpus_metrics adds some")
    if permutations < 1:
        raise InputError(f"at least one permutation is needed, not {permutations}")
    selected = select_segments(scores)
    human = selected[HUMAN.name].transpose(*HUMAN.dims).to_numpy()
    if np.isnan(human).any():
        raise InputError("a human score is missing")
    everything = all_metrics(selected).sel(metric=metrics)
    parts = [mean_statistics(human), *(corpus_part(selected, metric) for metric in metrics)]
    higher = [
        bool(selected[HUMAN.name].attrs.get("higher_is_better", 1)),
        *everything["higher_is_better"].to_numpy(),
    ]
    p_values, hard = [], []
    for (values, finalizer), good in zip(parts, higher, strict=True):
        null, observed = permuted_score_differences(
            values, finalizer, seed=seed, replicates=permutations
        )
        sign = 1.0 if good else -1.0
        p_values.append(_p_values(sign * null, sign * observed))
        hard.append(preferences(sign * observed[:, np.newaxis]))
    accuracies = [mean_agreement(own[0], np.array(own[1:])) for own in (hard, p_values)]
    systems = selected["system"].to_numpy()
    first, second = np.triu_indices(systems.size, 1)
    facts: dict[Any, Any] = {**selected.attrs, "seed": seed, "resamples": permutations}
    return xr.Dataset(
        {
            "accuracy": (("meta_metric", "metric"), np.stack(accuracies)),
            "p_value": (("scorer", "pair"), np.stack(p_values)),
            "higher_is_better": ("metric", everything["higher_is_better"].to_numpy()),
        },
        coords={
            "meta_metric": ["PA", "SPA"],
            "metric": metrics,
            "scorer": ["human", *metrics],
            "first_system": ("pair", systems[first]),
            "second_system": ("pair", systems[second]),
        },
        attrs=result_attrs(
            facts, n=np.array([systems.size]), counted=["systems"], statistic="PA and SPA"
        ),
    )


def _p_values(null: NDArray[np.float64], observed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mid-p of each pair: the share of null differences above, and half of those equal."""
    room = TIE * np.maximum(np.abs(null).max(axis=0), np.abs(observed))
    above = (null > observed + room).sum(axis=0)
    equal = (null >= observed - room).sum(axis=0) - above
    return p_values_of_counts(above, equal, null.shape[0])
