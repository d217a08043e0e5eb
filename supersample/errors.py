"""Errors and warnings for users, and checks of options that all packages share."""

import csv
import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from difflib import SequenceMatcher
from functools import cache, wraps
from inspect import isfunction, signature
from itertools import chain
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, SupportsFloat, SupportsIndex, Union, get_args, get_origin

LONGEST_LABEL = 60
CLOSE = 0.7  # similarity (0 to 1) of a name that the user may have meant
FEW = 4  # most names that are listed without a suggestion
MOST_OTHERS = 10  # names listed after the closest one
MOST = 2**44  # most replicates in a stream of random numbers (engine/streams.py)


class InputError(ValueError):
    """The user's input cannot be used; the message says what, where and what to do.

    The command line prints the message as one line and exits with status 2.
    """


class WholeSystemsError(InputError):
    """A file has one score of each system, where scores of segments are needed."""


class DegenerateScoreWarning(UserWarning):
    """A statistic is undefined for a scorer, for instance r of scores that do not vary."""


class OrientationWarning(UserWarning):
    """A metric's orientation was inferred from its correlation, or contradicts it."""


class ApproximationWarning(UserWarning):
    """An approximation is inaccurate on these data; the message names an exact method."""


class LeftOutWarning(UserWarning):
    """A column may have scores, but cannot be read; the message names it and says why."""


class UncheckedWarning(UserWarning):
    """Data could not be checked: they have no checksums, or may come from other scores."""


_FILE = re.compile(r"/|\.(csv|tsv|jsonl?|ndjson|parquet|xlsx?|ods|score|txt|nc|zarr|gz)$")
"""A name that is meant as a file."""
_FIRST, _COMPUTED = "'=+-@\t\r", re.compile(r"'*[=+\-@\t\r]")
"""Beginning of texts that spreadsheets compute, also after apostrophes of `inert`."""
_LIKE_LATIN = str.maketrans(
    "АВЕКМНОРСТХЅІЈаеорсухѕіјԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧο\u2010\u2011",
    "ABEKMHOPCTXSIJaeopcyxsijdhqwABEZHIKMNOPTYXo--",
)
"""Cyrillic and Greek letters, and hyphens, that look like Latin ones."""
_HIDDEN = {*"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0", *map(chr, range(0xFE00, 0xFE10))}
"""Characters without a picture, besides those of the category Cf."""
TOLD = (
    ApproximationWarning,
    DegenerateScoreWarning,
    LeftOutWarning,
    OrientationWarning,
    UncheckedWarning,
)
"""Warnings for users, which the command line prints."""
_TOLD_ELSEWHERE: ContextVar[tuple[type[Warning], ...]] = ContextVar("told elsewhere", default=())
"""Categories of warnings that this thread does not give."""
FORMATS = {"Dataset": 1, "shared task": 1, "sweep": 1}
"""Formats that this version writes and reads, by what is in a file.

A file says its number where every later format has it, too: in an attribute of a Dataset, or under
the key ``format`` of a definition that people write, where 1 may be left out.
"""


def checked_names(
    package: str, load: Callable[[str], Any], *others: Any
) -> tuple[Callable[[str], Any], Any, Any]:
    """Let a package's public functions refuse arguments of a wrong type.

    Arguments are the results of `lazy_loader.attach_stub`. The checking function belongs to the
    package, where pickle finds it; the original in its module stays as it is.
    """

    @cache
    def load_checked(name: str) -> Any:
        found = load(name)
        if isfunction(found):
            found = _with_checked_arguments(found)
            found.__module__ = package
            vars(sys.modules[package]).pop(name, None)  # the original, which lazy_loader keeps
        return found

    names, listed_names = others
    return load_checked, names, listed_names


ALIKE: dict[Any, Any] = {
    Path: PathLike,
    float: SupportsFloat,
    int: SupportsIndex,
    bool: object,
    **dict.fromkeys((Sequence, list, tuple), (Sequence, Set)),
}
"""Types that are accepted in place of a type; arrays and columns become lists."""
PLAIN = {"int": "whole number", "float": "number", "str": "text"}
PLAIN |= dict.fromkeys(("Sequence", "Iterable", "list", "tuple"), "list")
"""What a type is called in messages."""
_LISTS = (Sequence, list, tuple, Iterable)


def _with_checked_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a public function refuse arguments whose types differ from their annotations."""
    taken = signature(function)
    parameters = taken.parameters.values()
    is_open = any(each.kind is each.VAR_KEYWORD for each in parameters)
    kinds = {
        each.name: _types_of(each.annotation)
        for each in parameters
        if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    }

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        try:
            given = taken.bind_partial(*arguments, **options)
            for name, value in given.arguments.items():
                if kinds.get(name) and value is not taken.parameters[name].default:
                    what = f"{function.__name__} takes {{}} as {name}, not {{}}"
                    given.arguments[name] = _of_types(value, kinds[name], what)
            taken.bind(*given.args, **given.kwargs)
        except TypeError as error:
            if not is_open:
                check_names("option", options, taken.parameters, function.__name__)
            raise InputError(f"{function.__name__}: {error}") from None
        return function(*given.args, **given.kwargs)

    return checked


def _of_types(given: Any, kinds: tuple[type, ...], what: str) -> Any:
    """Refuse a value of other types; convert an array or a column to a list where one is taken."""
    is_list = any(kind in kinds for kind in _LISTS)
    if isinstance(given, str):
        fits = isinstance(given, tuple(kind for kind in kinds if kind not in _LISTS))
    elif hasattr(given, "data_vars"):  # a Dataset is a Mapping, too
        fits = any(kind is object or kind.__name__ == "Dataset" for kind in kinds)
    else:
        if is_list and getattr(given, "ndim", 0) == 1:
            given = getattr(given, "values", given).tolist()
        alike = tuple(ALIKE[kind] for kind in kinds if kind in ALIKE)
        of_one = not getattr(given, "shape", ())
        fits = isinstance(given, kinds) or (of_one and isinstance(given, alike))
    if fits:
        return given
    names = (kind.__name__.removeprefix("Any") for kind in kinds if kind is not NoneType)
    wanted = " or ".join(dict.fromkeys(PLAIN.get(name, name) for name in names))
    if isinstance(given, str):
        shown = quoted(given)
        advice = f"; write [{shown}]" if is_list else ""
    elif given is None or isinstance(given, int | float | complex):
        shown, advice = shortened(given), ""
    else:
        kind = type(given)
        shown = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
        is_frame = kind.__name__ == "DataFrame"
        advice = "; read_table makes Scores from a data frame" if is_frame else ""
    article = "an" if wanted[0] in "AEIOUaeiou" else "a"
    raise InputError(what.format(f"{article} {wanted}", shown) + advice)


def _types_of(annotation: Any) -> tuple[type, ...]:
    """Find the types that `isinstance` can tell of an annotation; () if it names others, too."""
    several = get_origin(annotation) in (Union, UnionType)
    kinds: list[Any] = []
    for part in get_args(annotation) if several else (annotation,):
        origin = get_origin(part) or part
        if origin is Literal:
            kinds += map(type, get_args(part))
        else:  # of an alias, such as NDArray[...], what it stands for
            meant = getattr(origin, "__value__", origin)
            kinds.append(get_origin(meant) or meant)
    is_array = complex in kinds  # whose protocols are those of many types
    return () if is_array or not all(map(_is_checkable, kinds)) else tuple(kinds)


def _is_checkable(kind: Any) -> bool:
    """Whether `isinstance` can tell the type."""
    is_protocol = getattr(kind, "_is_protocol", False)
    is_known = isinstance(kind, type) and kind is not Any
    return is_known and (not is_protocol or getattr(kind, "_is_runtime_protocol", False))


@contextmanager
def in_one_line(place: object, advice: str = "") -> Iterator[None]:
    """Report errors of the operating system while writing in one line.

    Raises
    ------
    InputError
        With the file (or the place, if no file is named), the reason and any advice.
    """
    try:
        yield
    except OSError as error:
        file, reason = error.filename or place, error.strerror or error
        raise InputError(f"{file} cannot be written: {reason}{advice}") from error


def check_choice(what: str, chosen: object, choices: Iterable[str]) -> None:
    """Refuse a name that is not among the choices.

    Raises
    ------
    InputError
        With the choices, the most similar names first.
    """
    names = list(choices)
    if chosen not in names:
        raise InputError(f"no {what} {quoted(chosen)}{instead(str(chosen), names)}")


def warn(text: str, category: type[Warning], stacklevel: int = 1) -> None:
    """Warn as `warnings.warn` does, except within `told_elsewhere`."""
    if not issubclass(category, _TOLD_ELSEWHERE.get()):
        warnings.warn(text, category, stacklevel=stacklevel + 1)


@contextmanager
def told_elsewhere(*categories: type[Warning]) -> Iterator[None]:
    """Let this thread give no warnings that are given elsewhere; by default of odd scores.

    A filter of `warnings` would hold for all threads, and two threads that set and restore one at
    the same time could leave it in place.
    """
    told = categories or (DegenerateScoreWarning, OrientationWarning)
    before = _TOLD_ELSEWHERE.set((*_TOLD_ELSEWHERE.get(), *told))
    try:
        yield
    finally:
        _TOLD_ELSEWHERE.reset(before)


def check_confidence_level(confidence_level: float) -> float:
    """Give a confidence level back; refuse one that is not between 1e-9 and 1 - 1e-9.

    Raises
    ------
    InputError
        With the level.
    """
    if not 1e-9 <= confidence_level <= 1 - 1e-9:
        what = "the confidence level must be between 0 and 1, at least 1e-9 from both"
        percent = f"; write {confidence_level / 100:g}" if 1 < confidence_level < 100 else ""
        raise InputError(f"{what}, not {confidence_level:g}{percent}")
    return confidence_level


def check_format(where: object, what: str, found: object) -> None:
    """Refuse a file of another format than this version reads; None stands for no number.

    Raises
    ------
    InputError
        With the file, both numbers, and what to do.

    Examples
    --------
    >>> check_format("run.zarr", "Dataset", 1)
    >>> check_format("run.zarr", "Dataset", 2)
    Traceback (most recent call last):
    supersample.errors.InputError: run.zarr: a Dataset of format 2, and this version of supersample
    reads format 1; install a newer supersample
    """
    known, number = FORMATS[what], shortened(found)
    if number == str(known):
        return
    is_newer = number.isdecimal() and int(number) > known
    advice = "install a newer supersample" if is_newer else "write it again with this version"
    named = "without a format number" if found is None else f"of format {number}"
    read = f"this version of supersample reads format {known}"
    raise InputError(f"{where}: a {what} {named}, and {read}; {advice}")


def check_count(what: str, count: int) -> None:
    """Refuse more of something than can be numbered.

    Raises
    ------
    InputError
        With both numbers.
    """
    if abs(count) >= MOST:
        raise InputError(
            f"{what}: fewer than 2**44 = {MOST:,} are possible, not {shortened(count)}"
        )


def check_counted(what: str, *numbers: int) -> None:
    """Refuse an empty list, and numbers that are not whole, below 1 or too large.

    Raises
    ------
    InputError
        With the first such number.
    """
    if not numbers:
        raise InputError(f"{what} are counted from 1; name at least one number of them")
    for number in numbers:
        if not isinstance(number, SupportsIndex) or number < 1:
            raise InputError(f"{what} are counted from 1 in whole numbers, not {number}")
        check_count(what, number)


def printable(text: object) -> str:
    r"""Escape characters that control a terminal or cannot be shown, such as line ends.

    Examples
    --------
    >>> printable("a\x1b[2J")
    'a\\x1b[2J'
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text)
    )


def inert(text: str) -> str:
    """Add an apostrophe before a text that a spreadsheet would compute; `as_named` removes it.

    Examples
    --------
    >>> inert("=1+1"), inert("BLEU"), as_named(inert("'-x"))
    ("'=1+1", 'BLEU', "'-x")
    """
    return f"'{text}" if text[:1] in _FIRST and _COMPUTED.match(text) else text


def as_named(text: str) -> str:
    """Read a name that `inert` wrote."""
    return text[1:] if text.startswith("'") and _COMPUTED.match(text) else text


class CsvRows:
    """Writes rows of CSV with `inert` texts; None is empty, and lines end with a line feed."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        # the csv module quotes texts with a part of the line end
        self._writer = csv.writer(self, lineterminator="\r\n")

    def write(self, line: str) -> None:
        """Accept a line from the csv module."""
        self._stream.write(f"{line[:-2]}\n")

    def add(self, header: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
        """Write a header and rows."""
        for row in chain([header], rows):
            self._writer.writerow([inert(cell) if isinstance(cell, str) else cell for cell in row])


def visible(text: str) -> str:
    r"""Reduce a text to what people see: accents and spaces in one way, like letters as Latin ones.

    Examples
    --------
    >>> visible("cafe\u0301\u200b\xa0\u0410") == "caf\xe9 A"
    True
    """
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text).translate(_LIKE_LATIN)
    kinds = {c: unicodedata.category(c) for c in {*parts}}
    hidden = {c for c, kind in kinds.items() if kind == "Cf" or c in _HIDDEN}
    seen = (" " if kinds[c] == "Zs" else c for c in parts if c not in hidden)
    return unicodedata.normalize("NFC", "".join(seen)).strip()


def check_alike(where: str, texts: Iterable[object]) -> None:
    r"""Refuse different names that look the same.

    Raises
    ------
    InputError
        With the place and the first two such names, in ASCII.

    Examples
    --------
    >>> check_alike("x.csv, the system", ["caf\xe9", "cafe\u0301"])
    Traceback (most recent call last):
    supersample.errors.InputError: x.csv, the system: 'cafe\u0301' and 'caf\xe9' differ only in ...
    """
    names = {*map(str, texts)}
    if all(map(str.isascii, names)):
        return
    seen: dict[str, str] = {}
    for name in sorted(names):
        other = seen.setdefault(visible(name), name)
        if other != name:
            raise InputError(f"{where}: {_alike(other, name)}; write both alike, or rename one")


def _alike(name: str, other: str) -> str:
    what = "invisible characters or letters that look the same"
    return f"{name[:LONGEST_LABEL]!a} and {other[:LONGEST_LABEL]!a} differ only in {what}"


def shortened(text: object, most: int = LONGEST_LABEL) -> str:
    """Make a text printable, and cut it if it is too long for a message."""
    whole = printable(str(text)[: most + 1])
    return whole if len(whole) <= most else f"{whole[: most - 3]}..."


def quoted(label: object) -> str:
    """Quote a label for a message; labels longer than 60 characters are cut.

    Examples
    --------
    >>> quoted("x" * 100) == f"'{'x' * 57}...'"
    True
    """
    return f"'{shortened(label)}'"


def plural(count: int, words: str) -> str:
    """Write a count and its noun, given in the plural, perhaps with more words: '1 hybrid'."""
    first, space, more = words.partition(" ")
    return f"{count:,} {first.removesuffix('s') if count == 1 else first}{space}{more}"


def listed(labels: Iterable[object], most: int = 30) -> str:
    """Join labels with commas for a message; of many labels only the first.

    Examples
    --------
    >>> listed("abcd", 3)
    'a, b, c and 1 more'
    """
    names = list(labels)
    rest = len(names) - most
    return ", ".join(map(shortened, names[:most])) + (f" and {rest} more" if rest > 0 else "")


def as_option(names: Iterable[str]) -> str:
    """Join names as an option of the command line takes them, in quotes where they have a comma.

    Examples
    --------
    >>> as_option(["anna, PhD", "ben"])
    '"anna, PhD",ben'
    """
    return ",".join(map(_typed, names))


def _typed(name: str) -> str:
    return f'"{name}"' if "," in name else name


def options_of(text: str, what: str) -> tuple[str, dict[str, Any]]:
    """Take ``NAME:OPTION=VALUE,...`` apart: designs, measures, methods and sources are named so.

    Values are whole numbers, other numbers, or else texts, also with commas.

    Raises
    ------
    InputError
        If the text has another form, or names an option twice; it says `what` is named.

    Examples
    --------
    >>> options_of("pairs:share=0.3,pairs=random", "a design")
    ('pairs', {'share': 0.3, 'pairs': 'random'})
    >>> options_of("s3://bucket/scores.csv:system=A,B", "a source")
    ('s3://bucket/scores.csv', {'system': 'A,B'})
    """
    name, *rest = _OPTIONS.split(text, maxsplit=1)
    options: dict[str, Any] = {}
    for part in _NEXT_OPTION.split(rest[0]) if rest else []:
        option, equals, value = (each.strip() for each in part.partition("="))
        if not equals or not option or option in options:
            raise InputError(
                f"{what} is NAME or NAME:OPTION=VALUE,..., each option once, not {quoted(text)}"
            )
        options[option] = _number(value)
    return name.strip(), options


_OPTIONS, _NEXT_OPTION = re.compile(r":(?=\s*\w+\s*=)"), re.compile(r",(?=\s*\w+\s*=)")


def _number(text: str) -> Any:
    """Convert a text to a number, if it is one."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def check_names(what: str, asked: Iterable[str], existing: Iterable[str], where: str = "") -> None:
    """Refuse names that do not exist; `where` says in which file or folder.

    Raises
    ------
    InputError
        With the first name that does not exist, and the existing ones, the most similar first; or
        if one text is given in place of a list of names.
    """
    names = list(existing)
    if isinstance(asked, str):
        raise InputError(f"a list of {what}s is needed, such as [{names[0]!r}], not {asked!r}")
    for name in asked:
        if name not in names and _FILE.search(name) and not is_there(name):
            raise InputError(f"there is no file {quoted(name)}, and no {what} of this name")
        if name not in names:
            at = f" in {where}" if where else ""
            raise InputError(f"no {what} {quoted(name)}{at}{instead(name, names)}")


def load_plugins() -> None:
    """Import the modules that other packages name as entry points of the group "supersample".

    They register measures, readers, designs, commands and the like. The command line loads them
    first; in Python, they are loaded when a name is not registered yet, or all names are listed.

    Raises
    ------
    InputError
        If a module cannot be imported.
    """
    plugins = _plugins()
    while plugins:  # a module that is being loaded may ask for others
        plugin = plugins.pop()
        try:
            plugin.load()
        except Exception as error:
            why = f"{type(error).__name__}: {shortened(error, most=300)}"
            raise InputError(f"the plugin {plugin.value} cannot be loaded: {why}") from error


@cache
def _plugins() -> list[Any]:
    """Entry points that are not loaded yet."""
    from importlib.metadata import entry_points

    return [*entry_points(group="supersample")]


def is_there(path: str) -> bool:
    """Whether a text is the path of an existing file or folder."""
    with suppress(OSError, ValueError):  # too long, or not a path
        return bool(path) and Path(path).exists()
    return False


def is_close(name: str, other: str, least: float = CLOSE) -> bool:
    """Whether two names are so similar that the user may have meant the other."""
    return _likeness(name, other) >= least


def _likeness(name: str, other: str) -> float:
    return SequenceMatcher(None, name.casefold(), other.casefold()).ratio()


def instead(name: str, existing: Sequence[str]) -> str:
    """List the existing names; if there are many, the most similar first."""
    same = next((other for other in existing if visible(other) == visible(name)), None)
    if same is not None:
        return f": {_alike(same, name)}"
    same_letters = [sorted(visible(other)) == sorted(visible(name)) for other in existing]
    likeness = [
        _likeness(name, other) + turned
        for other, turned in zip(existing, same_letters, strict=True)
    ]
    if len(existing) <= FEW or max(likeness) < CLOSE:
        return f"; there are {listed(map(_typed, existing)) or 'none'}"
    begins = [other.casefold().startswith(name.casefold()) for other in existing]
    order = sorted(range(len(likeness)), key=lambda i: (not begins[i], -likeness[i]))
    closest, *others = (existing[i] for i in order)
    rest = f" There are also {listed(map(_typed, others), MOST_OTHERS)}" if others else ""
    return f": did you mean {quoted(closest)}?{rest}"
