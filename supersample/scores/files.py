"""Write Scores in the layouts that can be read, and read Zarr stores (.zarr)."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import xarray as xr

from supersample.errors import (
    CsvRows,
    InputError,
    UncheckedWarning,
    check_names,
    in_one_line,
    printable,
    quoted,
)
from supersample.execution.stores import place_of
from supersample.execution.zarr_files import INPUTS, load_zarr, run_facts, write_zarr
from supersample.scores.alignment import labels_of
from supersample.scores.schema import HUMAN, SCORE, validate_start
from supersample.scores.system_level import check_system_scores

LAYOUTS = (".csv", ".parquet", ".zarr")


def write_scores(scores: xr.Dataset, path: str | Path, *, overwrite: bool = False) -> str:
    """Write Scores as a long table, or as a store of Zarr, which holds all that they have.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; .zarr also takes system-level scores.
    path : str or Path
        The suffix decides the layout: .csv, .parquet or .zarr.
    overwrite : bool, default False
        Replace an existing file or .zarr; other folders are never replaced.

    Returns
    -------
    str
        Names of the parts that the layout cannot hold; empty if none.

    Raises
    ------
    InputError
        If the file exists, or the layout is unknown or cannot hold these scores.

    Examples
    --------
    >>> from supersample import load_example
    >>> write_scores(load_example(), "example.xlsx")
    Traceback (most recent call last):
    supersample.errors.InputError: example.xlsx: scores are written to .csv, .parquet, .zarr
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in LAYOUTS:
        raise InputError(f"{path}: scores are written to {', '.join(LAYOUTS)}")
    is_zarr = any((path / name).is_file() for name in (".zgroup", "zarr.json"))
    is_scores = is_zarr and run_facts(place_of(path)) is None  # a run is never replaced
    is_folder = path.is_dir() and not is_scores
    if path.exists() and (is_folder or not overwrite):
        way = "" if is_folder else ", or use --overwrite (overwrite) to replace it"
        raise InputError(f"{path} already exists; name another{way}")
    if suffix != ".zarr":
        if "system_score" in scores:
            raise InputError("system-level scores can only be written to .zarr")
        validate_start(scores)
    partial = path.with_name(f".{uuid4().hex[:8]}-{path.name}")
    with in_one_line(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lost = _write(scores, partial)
            if path.is_dir():
                shutil.rmtree(path)
            partial.replace(path)
        except OSError as error:
            error.filename = None  # the name of a temporary file means nothing to users
            raise
        finally:
            shutil.rmtree(partial) if partial.is_dir() else partial.unlink(missing_ok=True)
    return lost


def _write(scores: xr.Dataset, path: Path) -> str:
    """Write Scores to a path that does not exist; return what the layout cannot hold."""
    if path.suffix.lower() == ".zarr":
        write_zarr(scores, path)
        return ""
    _write_long(scores, path)
    human = str(scores.attrs.get("human") or "human")
    lower = [str(name) for name in scores["metric"].values[~scores["higher_is_better"].values]]
    if not scores[HUMAN.name].attrs.get("higher_is_better", 1):
        lower.append(human)
    lost = [f"--human {human}"] if human != "human" else []
    lost += [f"--lower-is-better {' '.join(lower)}"] if lower else []
    lost += ["human_count"] if "human_count" in scores else []
    return ", ".join(lost)


def _write_long(scores: xr.Dataset, path: Path) -> None:
    table = long_table(scores)
    if path.suffix.lower() == ".parquet":
        pyarrow.parquet.write_table(table, path)
        return
    names = table.column_names
    rows = zip(*(table.column(name).to_pylist() for name in names), strict=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        CsvRows(file).add(names, rows)


def long_table(scores: xr.Dataset) -> Any:
    """Make an Arrow table of Scores: system, segment, scorer, score; document and domain if any.

    Missing scores have rows, too, so that every segment keeps its place.
    """
    human = str(scores.attrs.get("human") or "human")
    scorers = [human, *labels_of(scores, "metric")]
    if human in scorers[1:]:
        raise InputError(f"{quoted(human)} names both the human scores and a metric")
    cube = np.concatenate([HUMAN.of(scores)[np.newaxis], SCORE.of(scores)])
    names = [scorers, *(labels_of(scores, dim) for dim in ("system", "segment"))]
    rows = pd.MultiIndex.from_product(names, names=["scorer", "system", "segment"])
    frame = rows.to_frame(index=False)[["system", "segment", "scorer"]].astype("category")
    frame["score"] = cube.ravel()
    for name in ("document", "domain"):
        if name in scores.coords:
            of_segments = scores[name].to_numpy()
            frame[name] = pd.Categorical(np.tile(of_segments, len(frame) // of_segments.size))
    if "team" in scores.coords:
        team = dict(zip(names[1], labels_of(scores, "team"), strict=True))
        frame["team"] = frame["system"].map(team).astype("category")
    return pa.Table.from_pandas(frame, preserve_index=False)


def read_dataset(path: str | Path, *, lower_is_better: Sequence[str] = ()) -> xr.Dataset:
    """Read Scores, or system-level scores, from a Zarr store.

    Parameters
    ----------
    path : str or Path
        Must end in .zarr. The store of a run (see `run_hybrids`) gives the run's Scores.
    lower_is_better : sequence of str
        Metrics for which higher scores mean worse translations, in addition to the file's own.

    Returns
    -------
    xarray.Dataset
        The Scores, in memory, as from `make_scores` or `make_system_scores`.

    Raises
    ------
    InputError
        If the file does not exist, cannot be read, was changed after writing, has another format
        than this version reads, or contains something else; or if a metric of a given name does not
        exist.

    Warns
    -----
    UncheckedWarning
        If the file has no checksum, because other software wrote it.

    Examples
    --------
    >>> read_dataset("nowhere.zarr")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no folder nowhere.zarr
    """
    place = place_of(path)
    if place.suffix != ".zarr":
        raise InputError(f"{place}: a store of Scores ends in .zarr")
    if not place.names():
        raise InputError(f"there is no folder {place}")
    try:
        data = load_zarr(place if run_facts(place) is None else place.within(INPUTS))
    except (InputError, MemoryError, UncheckedWarning):
        raise
    except Exception as error:  # other packages do not document what they raise on damaged files
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{place} cannot be read as zarr: {reason}") from error
    system_level = "system_score" in data and "segment" not in data.dims
    try:
        check = check_system_scores if system_level else validate_start
        check(data)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
    if not system_level:
        data = data.assign_attrs(source=data.attrs.get("source", printable(place)))
    if lower_is_better:
        metrics, higher = data["metric"].to_numpy().astype(str), data["higher_is_better"]
        check_names("metric", lower_is_better, metrics, str(place))
        declared = higher.to_numpy() & ~np.isin(metrics, lower_is_better)
        data = data.assign(higher_is_better=higher.copy(data=declared))
    return data
