"""Sources of Scores by name: for Python, for the options of the command line and for sweeps.

A reader is a function in a module and one `ScoreReader` here. `register_reader` adds readers of
other packages.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from supersample.errors import InputError, check_names, is_there, load_plugins, quoted

if TYPE_CHECKING:
    import xarray as xr

# options of sources; a reader takes some of them as keyword arguments
OPTIONS = (
    *("test_set", "language_pair", "human", "reference", "metrics", "lower_is_better"),
    *("include", "exclude", "only", "columns", "sheet", "missing"),
)

_OF_HEADERS = ("columns", "sheet", "missing")


@dataclass(frozen=True)
class ScoreReader:
    """A source of Scores, with its options.

    Parameters
    ----------
    name : str
        For instance "mtme": the source is ``DATA:reader=mtme`` on the command line, if its name
        does not tell, and has ``reader = "mtme"`` in the inputs of a sweep.
    read : callable or str
        Function of the argument and keyword arguments that returns Scores (also system-level), or
        its
        address "module:function", imported when first used.
    takes : tuple of str
        Names of the function's keyword arguments, from `OPTIONS`. ``metrics``, ``exclude`` and
        ``only`` are applied to the result of readers that do not take them.
    argument : {"path", "paths", "nothing"}, default "path"
        The function's first argument: a path, a list of paths, or none.
    needs : tuple of str
        Required options.
    suffixes : tuple of str
        Suffixes of files that need no option: their path is enough.
    pairs : str, optional
        Address of a function of the argument, a test set and human scores (None if not named). It
        returns the test set and language pair of everything that can be read.
    """

    name: str
    read: "Callable[..., xr.Dataset] | str"
    takes: tuple[str, ...] = ()
    argument: Literal["path", "paths", "nothing"] = "path"
    needs: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    pairs: str | None = None

    def __post_init__(self) -> None:
        check_names("option", (*self.takes, *self.needs), OPTIONS)

    def __call__(self, argument: object = None, **options: Any) -> "xr.Dataset":
        """Read Scores."""
        read = _function(self.read) if isinstance(self.read, str) else self.read
        return read(**options) if self.argument == "nothing" else read(argument, **options)

    def pairs_of(
        self, argument: object, test_set: str | None, human: str | None, **options: Any
    ) -> list[tuple[str, str]]:
        """Test set and language pair of everything readable; `options` say how to read headers."""
        named = (name for name in _OF_HEADERS if name in self.takes)
        taken = {name: options[name] for name in named if options[name]}
        return (
            [] if self.pairs is None else _function(self.pairs)(argument, test_set, human, **taken)
        )


def _function(address: str) -> Any:
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(module), name)


_READERS: dict[str, ScoreReader] = {}


def register_reader(reader: ScoreReader) -> None:
    """Add a source of Scores, or replace the source of the same name.

    Raises
    ------
    InputError
        If its name is the name of an option, or another reader has one of its suffixes.

    Examples
    --------
    >>> register_reader(ScoreReader("toy", "toy_package:read_toy", suffixes=(".toy",)))
    >>> reader_of("scores.toy").name
    'toy'
    >>> del _READERS["toy"]
    """
    if reader.name in OPTIONS or not reader.name.isidentifier():
        raise InputError(f"{quoted(reader.name)} cannot be the name of a reader")
    for other in _READERS.values():
        both = sorted(set(other.suffixes) & set(reader.suffixes))
        if both and other.name != reader.name:
            raise InputError(f"files that end in {both[0]} are read by {other.name}")
    _READERS[reader.name] = reader


def registered_readers() -> dict[str, ScoreReader]:
    """Readers by name; the dict is a copy."""
    load_plugins()
    return dict(_READERS)


def reader_of(path: str | Path) -> ScoreReader:
    """Reader of a file by its suffix or its header; that of tables if no other fits."""
    from supersample.readers.text import first_line

    if {"metric", "lp", "score"} <= {*first_line(path).casefold().split()}:
        return _READERS["system_scores"]
    name = str(path).lower().rstrip("/")  # a shell completes folders by a slash
    for readers in (_READERS, registered_readers()):
        for reader in readers.values():
            if name.endswith(reader.suffixes):
                return reader
    return _READERS["table"]


def test_sets_of(name: str) -> dict[str, Any]:
    """Folder, test sets and perhaps language pair of SET/PAIR or FOLDER/SET/PAIR; or nothing."""
    from supersample.readers.public_sets import set_names, sets_folder

    sets, _, pair = name.partition("/")
    named = sets.split(",")
    if not is_there(name) and set(named) <= set(set_names()):
        if "," in pair:
            parts = [each.rpartition("/") for each in pair.split(",")]
            several = f"several are read by {sets} --language-pair {','.join(x[2] for x in parts)}"
            if {x[0] for x in parts} - {"", sets}:
                several = "several sets are named with spaces between"
            raise InputError(f"no language pair {quoted(pair)}; {several}")
        return {"folder": sets_folder(named[0]), "test_set": sets, "language_pair": pair}
    path = Path(name)
    for of_sets, pair in ((path, ""), (path.parent, path.name)):
        names = of_sets.name.split(",")
        if all(each and (of_sets.parent / each / "documents").is_dir() for each in names):
            return {"folder": of_sets.parent, "test_set": of_sets.name, "language_pair": pair}
    return {}


def source_of(
    name: str | Path, reader: str | None = None
) -> tuple[ScoreReader, Any, dict[str, Any]]:
    """Reader of a file, a folder, a public set or "example", what it reads, and options."""
    if reader is not None:
        readers = _READERS if reader in _READERS else registered_readers()
        check_names("reader", [reader], readers)
        return readers[reader], name, {}
    if str(name) == "example":  # a file or folder of this name is ./example
        return _READERS["example"], name, {}
    if of_set := test_sets_of(str(name)):
        return _READERS["mtme"], of_set.pop("folder"), of_set
    return reader_of(name), name, {}


def read_scores(
    source: object = None, *, reader: str | None = None, **options: Any
) -> "xr.Dataset":
    """Read Scores with any registered reader.

    Parameters
    ----------
    source : path, paths or data frame
        Argument of the reader; or a set and its language pair, such as "wmt23/en-de"; or "example".
    reader : str, optional
        Name of the reader; by default the suffix of the path decides.
    **options
        Keyword arguments of the reader, for instance ``human="mqm"``.

    Returns
    -------
    xarray.Dataset
        Scores.

    Raises
    ------
    InputError
        If there is no such reader; and as the reader itself.

    Examples
    --------
    >>> read_scores(reader="example").sizes["system"]
    12
    """
    if reader is None and not isinstance(source, str | Path):
        return _READERS["table"](source, **options)
    named: Any = source
    chosen, read, of_set = source_of(named, reader)
    if not of_set.get("language_pair", "all") and "language_pair" not in options:
        raise InputError(f"{source} has several language pairs: name one, as in {source}/en-de")
    return chosen(read, **(of_set | options))


def _without(*options: str) -> tuple[str, ...]:
    """Options of sources that are not tables, except for these."""
    return tuple(x for x in OPTIONS if x not in (*options, *_OF_HEADERS))


for _reader in (
    ScoreReader(
        "table",
        "supersample.readers.tables:read_table",
        (*("human", "lower_is_better", "exclude", "language_pair"), *_OF_HEADERS),
        pairs="supersample.readers.tables:table_pairs",
        suffixes=(".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx"),
    ),
    ScoreReader(
        "xarray", "supersample.scores.files:read_dataset", ("lower_is_better",), suffixes=(".zarr",)
    ),
    ScoreReader("example", "supersample.scores.schema:load_example", argument="nothing"),
    ScoreReader(
        "mtme",
        "supersample.readers.wmt:read_mtme",
        _without("only"),
        needs=("test_set", "language_pair"),
        pairs="supersample.readers.wmt:mtme_pairs",
    ),
    ScoreReader(
        "system_scores",
        "supersample.readers.wmt:read_system_scores",
        _without("include", "metrics"),
        argument="paths",
        suffixes=(".sys.score", ".sys.score.gz"),
        pairs="supersample.readers.wmt:system_score_pairs",
    ),
):
    register_reader(_reader)
