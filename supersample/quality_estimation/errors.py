"""Compare MAE and RMSE by a paired bootstrap and a paired permutation test over segments."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.comparisons.compare import compare
from supersample.comparisons.question import DRAWS
from supersample.errors import InputError, told_elsewhere
from supersample.execution.checksums import content_code
from supersample.quality_estimation.evaluation import GoldStandard, common_predictions
from supersample.results.comparisons import is_significant
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables
from supersample.scores.system_level import make_system_scores

MEASURES = ("MAE", "RMSE")
_DRAWN = ("difference", "difference_lower", "difference_upper", "p_value", "p_simultaneous")


def compare_errors(
    data: xr.Dataset,
    *,
    resamples: int = DRAWS,
    seed: int = 0,
    confidence_level: float = 0.95,
    progress: bool = False,
) -> xr.Dataset:
    """Compare the MAE and RMSE of each pair of systems over the segments of each gold standard.

    Equal errors do not mean equal knowledge of segments: predictions that vary less have lower
    errors (`rescaling_study`), and unrounded predictions have lower errors than the labels that
    they round to (``experiments/error_tests``). Compare r, too (`evaluate_predictions`).

    Parameters
    ----------
    data : xarray.Dataset
        Predictions, from `read_predictions` or `make_predictions`.
    resamples : int, default 999
        Resamples of the bootstrap, and of the permutation test.
    seed : int, default 0
    confidence_level : float, default 0.95
        Level of intervals; a difference is tested at level 1 minus this.
    progress : bool, default False
        Whether to show the remaining time on standard error during long work.

    Returns
    -------
    xarray.Dataset
        Dims (gold, measure, system, other_system); NaN if either system does not predict in the
        units of the gold standard. ``difference`` of the errors, negative if `system` has the lower
        error. From the bootstrap (Student's t with the standard deviation of the replicates;
        segments are drawn for all systems at once): ``difference_lower``, ``difference_upper``,
        ``p_value``, ``p_simultaneous`` (corrected for all pairs) and, by it, ``differs_adjusted``.
        From the permutation test, in which two systems swap predictions of segments:
        ``p_swapped``. All tests are two-sided. ``n`` (gold): the number of segments.

    Raises
    ------
    InputError
        If `data` are not Predictions, no gold standard has two systems in its units, or the
        comparisons do not fit into memory.

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL, who tests
    only r. Efron and Tibshirani (1993), An Introduction to the Bootstrap.

    Examples
    --------
    >>> from supersample import make_predictions
    >>> hter = [0.1, 0.4, 0.2, 0.9, 0.5]
    >>> data = make_predictions(
    ...     [[1.1, 1.4, 1.2, 1.9, 1.5], [0.2, 0.3, 0.2, 0.4, 0.4]],
    ...     [hter], systems=["gold plus 1", "cautious"], gold=["HTER"],
    ... )
    >>> compared = compare_errors(data).sel(gold="HTER", measure="MAE")
    >>> compared["difference"].sel(system="cautious", other_system="gold plus 1").round(3).item()
    -0.84
    """
    systems = data["system"].to_numpy()
    golds = [gold for gold in common_predictions(data) if gold.same_units.sum() > 1]
    if not golds:
        raise InputError("errors need two systems that predict in the units of one gold standard")
    how: dict[str, Any] = {"confidence_level": confidence_level, "resamples": resamples}
    how["seed"] = seed
    found = [_compared(gold, systems, progress=progress, **how) for gold in golds]
    joined = xr.concat(found, xr.Variable("gold", [gold.name for gold in golds]))
    values = {name: joined[name].to_numpy() for name in (*_DRAWN, "p_swapped")}
    differs = is_significant(values["p_simultaneous"], 1.0 - confidence_level)
    n = np.array([gold.labels.size for gold in golds])
    lead = ("gold", "measure")
    return xr.Dataset(
        {
            **result_variables({"n": n}, ("gold",), item="system"),
            **result_variables({**values, "differs_adjusted": differs}, lead, item="system"),
        },
        coords=joined.coords,
        attrs=result_attrs(
            {**data.attrs, "scores": content_code(data)},
            kind="errors",
            statistic=f"difference of {','.join(MEASURES)}",
            method="bootstrap-student, and permutations, over segments",
            alternative="two-sided",
            n=n,
            counted=[f"segments of {gold.name}" for gold in golds],
            **how,
        ),
    )


def _compared(gold: GoldStandard, systems: NDArray[np.str_], **how: Any) -> xr.Dataset:
    """Compare the errors by one gold standard; its segments are the systems of `compare`."""
    own = systems[gold.same_units]
    scores = make_system_scores(
        gold.labels,
        gold.predictions[gold.same_units],
        systems=[str(number) for number in range(gold.labels.size)],
        metrics=list(own),
    )
    with told_elsewhere():  # correlating the predictions warns of constant ones
        drawn = compare(scores, MEASURES, random="systems", method="student", **how)
        swapped = compare(scores, MEASURES, method="systems", **how)
    found = drawn[list(_DRAWN)].assign(p_swapped=swapped["p_value"])
    found = found.rename(metric="system", other_metric="other_system")
    return found.reindex(system=systems, other_system=systems)
