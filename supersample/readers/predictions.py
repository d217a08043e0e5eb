"""Read predictions of segments' quality and gold standards (quality estimation).

There are two layouts, text with tabs or commas; the header distinguishes them:

- WMT's shared task, ``METRIC SID SCORE RANK HUMAN``: system, segment, prediction, rank (not used),
  and the gold label, which is the same in the rows of every system;
- a long table, ``system segment score`` and optionally ``trained_on``: one row for each number.
  Some names in the column ``system`` are gold standards, and one may be the length in words. With
  a column ``scorer``, the scorers make the predictions for each translation of a system.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import xarray as xr

from supersample.errors import InputError, check_names, listed
from supersample.readers.columns import Columns, Header, Wanted, chooser
from supersample.readers.table_files import read_columns
from supersample.scores.predictions import make_predictions

_NAMES = "METRIC SID SCORE RANK HUMAN, or system segment score and optionally trained_on"


def read_predictions(
    path: str | Path, *, gold: Sequence[str] = (), length: str | None = None
) -> xr.Dataset:
    """Read Predictions from WMT's quality estimation layout or from a long table.

    Parameters
    ----------
    path : str or Path
        The file; "-" reads text from standard input. A name ending in .parquet is Parquet, any
        other is text: tabs in the first line are the delimiter, otherwise commas.
    gold : sequence of str, default ("human",)
        In a long table, the names of gold standards. In WMT's layout, a name for the only one.
    length : str, optional
        In a long table, the name of the length of translations, in words.

    Returns
    -------
    xarray.Dataset
        Predictions. Empty numbers, None, NA, NaN and absent rows are missing values.

    Raises
    ------
    InputError
        With file and line, if a column is missing or occurs twice, a row is too short or long, a
        name is empty, a number is invalid or infinite, a segment has two predictions of a system or
        two gold labels, or a system has two kinds of training labels; or if a gold standard does
        not exist.

    Examples
    --------
    >>> read_predictions("nowhere.tsv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.tsv
    """
    columns = read_columns(path, _choose, suffixes=())
    if "human" in columns.frame:
        if length is not None:
            raise InputError(f"{columns.source}: lengths need the columns system, segment, score")
        if len(gold) > 1:
            names = listed(gold)
            raise InputError(f"{columns.source}: this layout has one gold standard, not {names}")
        columns.labels_of("human", said="the gold label")
        columns = columns.with_people("system", [*gold, "human"][0], ["segment"])
    return _predictions(columns, list(gold or ["human"]), length)


def _choose(header: Header) -> Wanted:
    if "metric" in header.names or "sid" in header.names:
        chosen = chooser(("metric", "sid"), numbers=("score", "human"), names=_NAMES)(header)
        return replace(chosen, labels={"system": "metric", "segment": "sid"})
    labels = ("system", "segment", "scorer") if "scorer" in header.names else ("system", "segment")
    return chooser(labels, optional=("trained_on",), numbers=("score",), names=_NAMES)(header)


def _predictions(columns: Columns, gold: list[str], length: str | None) -> xr.Dataset:
    who = "scorer" if "scorer" in columns.frame else "system"
    names = columns.names(who)
    check_names(who, (*gold, *([] if length is None else [length])), names, columns.source)
    if len(set(gold)) < len(gold) or length in gold:
        raise InputError("a gold standard, or the length, is named twice; name each once")
    if who == "scorer":
        columns = columns.join_labels("system", between="/")
    cube = columns.cube((who, "segment"))
    columns.check_numbering(who, gold[0])
    systems = [name for name in names if name not in (*gold, length)]
    if not systems:
        raise InputError(f"{columns.source} has gold standards and no predictions; add some")
    try:
        trained_on = columns.labels_of("trained_on", who)
    except InputError as error:
        raise InputError(f"{error}; give two systems different names") from error
    return make_predictions(
        cube.loc[systems],
        cube.loc[gold],
        systems=systems,
        gold=gold,
        segments=columns.names("segment"),
        length=None if length is None else cube.loc[length],
        trained_on=trained_on and [trained_on[names.index(name)] for name in systems],
        attrs={"source": columns.source},
    )
