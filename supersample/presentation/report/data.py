"""What the report's script and template need of a ranking: views and scatters."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.presentation import labels
from supersample.presentation.numbers import DIFFERENCES

MOST_DRAWN = 10_000  # hybrids or translations
EDGES = (0.01, 0.99)  # of translations, few of which lie far from the others
_NUMBERS = ("value", "lower", "upper", "rank", "wins", "cluster", "metric_r", *DIFFERENCES)
_LEVELS = 65_535  # of the scatter's coordinates, 16 bits each


def views(ranking: xr.Dataset) -> list[dict[str, Any]]:
    """Numbers of each basis, measure and group, metrics in the ranking's order.

    The leading view is the first: the original systems, where the ranking has them.
    """
    places = labels.places_of(ranking, group=labels.shown_groups(ranking))
    return [_view(ranking, at) for at in places]


def _view(ranking: xr.Dataset, at: dict[str, str]) -> dict[str, Any]:
    part = ranking.sel(at)
    found, (differs, means) = labels.adjusted_p(part), labels.differ(part)
    view: dict[str, Any] = {
        "label": labels.place(part),
        "basis": at.get("basis", ""),
        "test": labels.test_name(part),
        "means": means,
        "marks": labels.marks_of(part)[0].tolist(),
        "differs": differs.astype(int).tolist(),
        "scale": _scale(part["difference"].to_numpy()),
    }
    view |= {name: _rounded(part[name]) for name in _NUMBERS if name in part}
    if found is not None:
        view["p"] = _rounded(np.fmin(found[0], found[0].T), 6)
    return view


def _scale(differences: NDArray[np.float64]) -> float:
    """Difference that has the deepest shade: twice a usual one, whatever a few metrics are."""
    found = differences[differences > 0]
    return float(2 * np.median(found)) if found.size else 1.0


def _rounded(values: xr.DataArray | NDArray[np.float64], digits: int = 5) -> Any:
    """Numbers as nested lists, None for NaN."""
    array = np.asarray(values, np.float64).round(digits)
    return np.where(np.isfinite(array), array.astype(object), np.array(None)).tolist()


def scatters(
    sample: xr.Dataset | Mapping[str, xr.Dataset] | None, ranking: xr.Dataset
) -> list[dict[str, Any]]:
    """Scatter of one sample, or of each group's, which share what is drawn behind systems."""
    parts = {"": sample} if isinstance(sample, xr.Dataset) else sample or {}
    most = MOST_DRAWN // max(1, len(parts))
    return [{"label": name} | scatter(part, ranking, most) for name, part in parts.items()]


def _counted(sample: xr.Dataset) -> str:
    """Count systems, and name the segments that their scores rest on."""
    mask = sample.attrs.get("mask")
    return f"{sample.sizes['system']} systems" + (f", segments {mask}" if mask else "")


def scatter(sample: xr.Dataset, ranking: xr.Dataset, most: int = MOST_DRAWN) -> dict[str, Any]:
    """Scores of systems and, packed as 16-bit places in their range, of what is behind them.

    Those are the first hybrids, or translations evenly spaced over the systems.
    """
    order = ranking["metric"].to_numpy()
    chosen = sample.sel(metric=order)
    found: dict[str, Any] = {
        "systems": labels.names_of(sample, "system"),
        "counted": _counted(sample),
        "human": _rounded(chosen["system_human"]),
        "scores": _rounded(chosen["system_score"].transpose("metric", "system")),
        "higher": [bool(up) for up in chosen["higher_is_better"].to_numpy()],
        "behind": "",
    }
    for dim in (dim for dim in ("hybrid", "translation") if dim in sample.dims):
        count = sample.sizes[dim]
        drawn = np.arange(min(most, count))
        if dim == "translation":
            drawn = drawn * count // drawn.size
        chosen = chosen.isel({dim: drawn})
        arrays = [chosen["human"].to_numpy(), *chosen["score"].transpose("metric", dim).to_numpy()]
        of = f" of {count:,}" if drawn.size < count else ""
        found["behind"] = f"{drawn.size:,}{of} {dim}s behind them."
        if dim == "translation":
            arrays = [np.clip(each, *np.quantile(each, EDGES)) for each in arrays]
            found["behind"] += " The lowest and the highest 1 % of scores stand at the edge."
        found["packed"] = [_packed(each) for each in arrays]
    return found


def _packed(values: NDArray[np.float64]) -> list[Any]:
    """Lowest and highest value, and every value as a place between, in base 64."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    places = np.nan_to_num((values - low) / ((high - low) or 1.0)) * _LEVELS
    return [low, high, base64.b64encode(places.round().astype("<u2").tobytes()).decode("ascii")]


def script_json(data: Any) -> str:
    """JSON that can stand in a page's script: nothing in it ends the script or starts markup."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
