"""What metrics are called in tables and figures."""

import xarray as xr

ADDED = "★"
ADDED_NOTE = f"{ADDED} added to the set by --add-metric or add_metric."


def added_metrics(result: xr.Dataset) -> list[str]:
    """Metrics of the user's own, beside those of the set."""
    return [name for name in str(result.attrs.get("added_metrics", "")).split("\n") if name]


def metric_labels(result: xr.Dataset) -> list[str]:
    """Names of the metrics, the user's own ones marked."""
    own = added_metrics(result)
    names = [str(name) for name in result["metric"].to_numpy()]
    return [f"{name} {ADDED}" if name in own else name for name in names]
