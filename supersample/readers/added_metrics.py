"""Add metrics from a file to existing Scores; read texts, on which corpus metrics are counted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from supersample.engine import Floats
from supersample.errors import (
    InputError,
    OrientationWarning,
    WholeSystemsError,
    check_choice,
    check_names,
    listed,
    quoted,
    warn,
)
from supersample.inference.coefficients import pearson
from supersample.readers.cells import Columns, SystemScores, labelled, lowered, scores_by_system
from supersample.readers.table_files import TABLES, TEXTS, Text, read_columns
from supersample.readers.tables import json_files, score_columns, systems_wanted
from supersample.readers.text import (
    MISSING,
    by_name,
    data_suffix,
    first_line,
    is_number,
    json_object,
    number,
    read_lines,
    read_raw,
)
from supersample.readers.wmt import SEGMENT_LAYOUTS, read_pairs, read_score_file
from supersample.scores.alignment import OF_WHOLE, align, labels_of, lines_of_segments
from supersample.scores.corpus.metrics import Texts, check_lengths
from supersample.scores.schema import validate_start
from supersample.scores.system_level import check_system_scores, oriented_scores

Orientation = Literal["infer", "higher-is-better", "lower-is-better"]


def add_metric(
    scores: xr.Dataset,
    name: str,
    path: str | Path | ArrayLike | pd.Series | pd.DataFrame,
    *,
    orientation: Orientation = "infer",
    missing: Sequence[str] = (),
) -> xr.Dataset:
    """Add a metric to Scores, or to system-level scores, from a file or from Python.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, or system-level scores as `make_system_scores` gives.
    name : str
        Name of the metric; if the file has several metrics, the one to read.
    path : str or Path
        A long table with the columns system, segment and score (and optionally scorer); a
        ``.seg.score`` file of the metrics task; lines with a system and a score (in .csv and .tsv
        without a header); or a folder with one file per system, with one score per line or rows in
        JSON. Lines without a segment are
        matched by the numbers in the labels of the segments (see `lines_of_segments`). For
        system-level scores: one line per system, with the system and its score, or a table of them.
        Or the scores themselves: a data frame with these columns, or with systems in rows and
        segments in columns; a series with both in its index; or an array (system, segment) in the
        order of the Scores. For system-level scores, a series by system, or an array.
    orientation : {"infer", "higher-is-better", "lower-is-better"}, default "infer"
        "infer" uses the sign of the metric's correlation with the human scores over the systems,
        and warns, because it reverses a metric that is merely bad.
    missing : sequence of str
        Texts that stand for a missing score, such as "-", in addition to None, NA and NaN.

    Returns
    -------
    xarray.Dataset
        The scores with this metric as the last one. The attribute ``added_metrics`` has its name
        (one line per metric), and ``added_notes`` its file, how lines without a segment were
        matched, its orientation and missing scores.

    Raises
    ------
    InputError
        With file and line, if the file is malformed; or if a metric of this name exists, the file
        has none of the systems, its lines fit the segments in no way or in several ways, or no
        sign can be inferred. `WholeSystemsError` if it has one score of each system, and the Scores
        have segments; `system_level_scores` of these take it.

    Warns
    -----
    OrientationWarning
        If the orientation was inferred.

    Examples
    --------
    >>> from supersample import load_example
    >>> add_metric(load_example(), "mine", "nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    check_choice("orientation", orientation, get_args(Orientation))
    of_systems = "system_score" in scores
    if not of_systems:
        validate_start(scores)
    if not name or name in scores["metric"]:
        raise InputError(f"a metric {quoted(name)} exists already; give yours another name")
    source = str(path) if isinstance(path, str | Path) else type(path).__name__
    absent = (*MISSING, *lowered(missing))
    if isinstance(path, str | Path):
        read = _of_systems if of_systems else _of_segments
        placed_scores, placed = read(name, Path(path), scores, absent)
    else:
        placed_scores, placed = _in_memory(name, path, scores, absent), ""
    values, aligned = align(placed_scores, scores, source)
    without = scores["system"].to_numpy()[np.isnan(values).reshape(len(values), -1).all(axis=1)]
    lacking = f"no score of {listed(without)}: leave systems out by --exclude"
    if of_systems and without.size:
        raise InputError(f"{source}: {lacking}{aligned}")
    note = ", ".join(filter(None, [f"{name}: {source}", placed]))
    higher = orientation != "lower-is-better"
    if orientation == "infer":
        r = _r_with_human(with_metric(scores, name, values, True), name)
        if np.isnan(r) or r == 0:
            raise InputError(
                f"the orientation of {quoted(name)} cannot be inferred (r = {r:g} with the human "
                "scores); say whether higher or lower scores are better"
            )
        higher = bool(r > 0)
        kind = "higher" if higher else "lower"
        note += f", {kind}-is-better inferred from r = {r:.3f}"
        warn(
            f"{quoted(name)} was taken as {kind}-is-better, since r with the human scores over "
            f"{scores.sizes['system']} systems is {r:.3f}; declare its orientation to be sure",
            OrientationWarning,
            stacklevel=2,
        )
    result = with_metric(scores, name, values, higher)
    empty = int(np.isnan(values).sum())
    note += aligned
    note += f"; {empty} of {values.size} scores missing" if empty else ""
    note += f"; {lacking}" if without.size else ""
    return result.assign_attrs(
        added_metrics="\n".join(filter(None, [scores.attrs.get("added_metrics"), name])),
        added_notes="\n".join(filter(None, [scores.attrs.get("added_notes"), note])),
    )


def _in_memory(name: str, given: Any, scores: xr.Dataset, missing: tuple[str, ...]) -> xr.DataArray:
    """Label scores that are no file: an array, a series or a data frame."""
    dims = ["system", "segment"][: 1 if "system_score" in scores else 2]
    if isinstance(given, pd.Series) and given.index.nlevels == len(dims):
        given = given.rename("score").rename_axis(dims).reset_index()
    if isinstance(given, pd.DataFrame) and {*dims, "score"} <= {*given.columns}:
        if len(dims) == 2:
            return _cube(name, _of_scorer(name, score_columns(given, missing)))
        given = given.set_index("system")["score"]
    labelled_axes = isinstance(given, pd.Series | pd.DataFrame)
    axes = [list(map(str, axis)) for axis in given.axes] if labelled_axes else []
    axes = axes or [labels_of(scores, dim) for dim in dims]
    try:
        values = np.asarray(given, float)
    except (TypeError, ValueError):
        raise InputError(f"scores of {quoted(name)} are no numbers") from None
    if len(axes) != len(dims) or values.shape != tuple(map(len, axes)):
        sizes = tuple(scores.sizes[dim] for dim in dims)
        raise InputError(f"scores of {quoted(name)} have shape {values.shape}, not {sizes}")
    if any(len({*axis}) < len(axis) for axis in axes):
        raise InputError(f"scores of {quoted(name)} have a {' or '.join(dims)} twice")
    return labelled(values, dict(zip(dims, axes, strict=True)))


# scores (system) or (system, segment), how the file was read and how its lines were matched
_Added = tuple[xr.DataArray, str]


def _of_segments(name: str, path: Path, scores: xr.Dataset, missing: tuple[str, ...]) -> _Added:
    """Read a table, a file of the metrics task, lines of systems and scores, or a folder."""
    if path.is_dir():
        return _folder(name, path, scores, missing)
    text = _bare(path, missing)
    if text is None:
        try:
            rows = _of_scorer(name, score_columns(path, missing))
        except WholeSystemsError as error:
            rows = read_columns(path, systems_wanted, missing=missing)
            if not rows.is_unique(("scorer", "system")):
                raise InputError(str(error)) from None
            raise WholeSystemsError(f"{path}: {OF_WHOLE}") from None
        if rows.positional:
            return _placed_lines(scores, scores_by_system(rows), path)
        return _cube(name, rows), rows.read_as
    if len(text.first()) > 2:
        rows = _of_scorer(name, read_score_file(path, SEGMENT_LAYOUTS, missing))
        for label in ("language pair", "test set", "reference"):
            if label in rows.frame and len(rows.names(label)) > 1:
                raise InputError(f"{rows.source} has several {label}s; keep the rows of one")
        return _cube(name, rows.join_labels("document")), ""
    if len(text.first()) < 2:
        raise InputError(
            f"{text.source}: scores without a system; write a system before each, or give a folder "
            "with such a file for each system"
        )
    values, placed = _placed_lines(scores, read_pairs(text, missing=missing), path)
    return values, ", ".join(filter(None, [_HEADLESS * (data_suffix(path) in TEXTS), placed]))


_HEADLESS = "without a header"


def _bare(path: Path, missing: tuple[str, ...]) -> Text | None:
    """Text of a file without a header; None of a table.

    A .csv or .tsv file has no header if its first line is a name and a score.
    """
    if data_suffix(path) not in TEXTS:
        return None if data_suffix(path) in TABLES else Text.bare(*read_raw(path))
    _, *scores = Text.bare(str(path), first_line(path).encode(), "\t,").first() or [""]
    if len(scores) == 1 and (is_number(scores[0]) or scores[0].lower() in missing):
        return Text.bare(*read_raw(path), "\t,")
    return None


def _of_systems(name: str, path: Path, scores: xr.Dataset, missing: tuple[str, ...]) -> _Added:
    """Read a row or a line per system, with the system and its score."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give one file of system-level scores")
    text = _bare(path, missing)
    if text is None:
        rows = _of_scorer(name, read_columns(path, systems_wanted, missing=missing))
        cube = rows.with_one("scorer", name).cube(("scorer", "system"))
        return cube[0], rows.read_as
    by_system = read_pairs(text, 1, missing)
    values = np.array([values[0] for values in by_system.values()])
    said = _HEADLESS * (data_suffix(path) in TEXTS)
    return labelled(values, {"system": list(by_system)}), said


def _folder(name: str, folder: Path, scores: xr.Dataset, missing: tuple[str, ...]) -> _Added:
    """Read one file per system, with one score per line or JSON lines."""
    if json_files(folder):
        return _cube(name, _of_scorer(name, score_columns(folder, missing))), ""
    # the file's name begins with the system
    inside = sorted(path for path in folder.iterdir() if path.is_file())
    files = by_name(inside, lambda path: path.name.split(".txt")[0].split(".score")[0])
    if not files:
        raise InputError(f"{folder} has no files; give one for each system, one score per line")
    by_system: SystemScores = {}
    for system, path in sorted(files.items()):
        lines = enumerate(read_lines(path), start=1)
        values = [number(f"{path}, line {i}", text.strip(), missing) for i, text in lines]
        by_system[system] = np.array(values)
    if len({values.size for values in by_system.values()}) > 1:
        counts = listed(f"{system} has {values.size}" for system, values in by_system.items())
        raise InputError(f"{folder}: {counts} lines; give a line for each segment, or None")
    return _placed_lines(scores, by_system, folder)


def _of_scorer(name: str, columns: Columns) -> Columns:
    """Rows of the metric; a single metric may have another name."""
    return columns.rows_with("scorer", name) if len(columns.names("scorer")) > 1 else columns


def _cube(name: str, columns: Columns) -> xr.DataArray:
    return columns.with_one("scorer", name).cube()[0]


def _placed_lines(scores: xr.Dataset, lines: SystemScores, path: Path) -> _Added:
    """Assign each system's lines (equally many) to the segments of the Scores."""
    values = np.stack(list(lines.values()))
    chosen, placed = lines_of_segments(scores, values.shape[1], str(path))
    unused = values.shape[1] - scores.sizes["segment"]
    placed += f" ({unused} lines of no segment)" if unused else ""
    names = {"system": list(lines), "segment": labels_of(scores, "segment")}
    return labelled(values[:, chosen], names), placed


def with_metric(scores: xr.Dataset, name: str, values: Floats, higher: bool) -> xr.Dataset:
    """Add a metric, as the last one, to segment-level or system-level scores."""
    variable, check = "score", validate_start
    if values.ndim == 1:
        variable, check = "system_score", check_system_scores
    dims = ("metric", "system", "segment")[: 1 + values.ndim]
    metric = xr.Dataset({variable: (dims, values[np.newaxis])}).assign_coords(metric=[name])
    metric["higher_is_better"] = ("metric", [higher])
    if "reference" in scores.coords:
        metric = metric.assign_coords(reference=("metric", ["unknown"]))
    made = xr.concat(
        [scores, metric], "metric", data_vars="minimal", coords="minimal", compat="override"
    )
    check(made)
    return made


def _r_with_human(scores: xr.Dataset, name: str) -> float:
    """Pearson's r over the systems, with human scores oriented so that higher is better."""
    both = oriented_scores(scores.sel(metric=[name]))[:, :2]
    both = both[~np.isnan(both).any(axis=1)]
    return float(pearson(both)[0, 1]) if both.shape[0] > 2 else float("nan")


def read_texts(hypotheses: Mapping[str, str | Path], references: Sequence[str | Path]) -> Texts:
    """Read files of texts with one segment per line, in UTF-8: plain text or JSON lines.

    In JSON lines, an object has the text of an output as "hypothesis", the text of a reference as
    "target" (as in mt-metrics-eval), or either as "text".

    Parameters
    ----------
    hypotheses : mapping of str to path
        The file of each system's output.
    references : sequence of path
        The file of each reference.

    Raises
    ------
    InputError
        If a file is missing, empty or not UTF-8, an object has no text (with the line), or files
        have unequal numbers of lines (with the numbers).

    Examples
    --------
    >>> read_texts({"A": "nowhere.txt"}, [])
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.txt
    """
    outputs = {name: _read(path, "hypothesis") for name, path in hypotheses.items()}
    refs = [_read(path, "target") for path in references]
    paths = [*hypotheses.values(), *references]
    texts = [*outputs.values(), *refs]
    check_lengths({str(p): len(lines) for p, lines in zip(paths, texts, strict=True)})
    return Texts(outputs, refs, ",".join(Path(path).name for path in references))


def read_mtme_texts(
    directory: str | Path,
    test_set: str,
    language_pair: str,
    *,
    systems: Sequence[str],
    references: Sequence[str] = ("refA",),
) -> Texts:
    """Read texts from the layout of mt-metrics-eval v2.

    Parameters
    ----------
    directory, test_set, language_pair
        As in `read_mtme`.
    systems : sequence of str
        Systems to read, from ``system-outputs/<language pair>/<system>.txt`` or ``.jsonl``.
    references : sequence of str, default ("refA",)
        References to read, from ``references/<language pair>.<reference>.txt`` or ``.jsonl``.

    Raises
    ------
    InputError
        If a file does not exist (lists the existing ones); and as `read_texts`.
    """
    root = Path(directory) / test_set
    files = _by_stem(root / "system-outputs" / language_pair, "")
    refs = _by_stem(root / "references", f"{language_pair}.")
    for what, wanted, found in (("output of", systems, files), ("reference", references, refs)):
        check_names(f"{language_pair} {what}", wanted, found, str(root))
    texts = read_texts({name: files[name] for name in systems}, [refs[name] for name in references])
    return Texts(texts.hypotheses, texts.references, ",".join(references))


def _by_stem(folder: Path, prefix: str) -> dict[str, Path]:
    files = sorted(folder.glob(f"{prefix}*"))
    texts = (path for path in files if path.suffix in (".txt", ".jsonl"))
    return by_name(texts, lambda path: path.stem.removeprefix(prefix))


def _read(path: str | Path, field: str) -> tuple[str, ...]:
    path = Path(path)
    lines = read_lines(path)
    if not lines:
        raise InputError(f"{path} is empty; a text file has one segment per line")
    if path.suffix.lower() != ".jsonl":
        return tuple(lines)
    return tuple(_text(f"{path}, line {i}", line, field) for i, line in enumerate(lines, start=1))


def _text(where: str, line: str, field: str) -> str:
    record = json_object(where, line)
    text = record.get(field, record.get("text"))
    if not isinstance(text, str):
        raise InputError(f"{where}: no text {field!r}; there are {listed(record)}")
    return text
