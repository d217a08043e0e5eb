"""Texts: the outputs of systems and their references, a line a segment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from supersample.errors import InputError, listed
from supersample.readers.text import read_lines


@dataclass(frozen=True)
class Texts:
    """Outputs of systems, and one or several references of each segment.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str
        Each system's output, a text a segment.
    references : sequence of sequence of str
        Each reference, a text a segment.
    reference : str, optional
        What to call the references in results.

    Raises
    ------
    InputError
        If there is no system or no reference, or their numbers of lines differ.

    Examples
    --------
    >>> Texts({"A": ["a b"], "B": ["b"]}, [["a c"]]).segments
    1
    >>> Texts({"A": ["a b"], "B": ["b", "c"]}, [["a c"]])
    Traceback (most recent call last):
    supersample.errors.InputError: texts of different lengths: 1 lines in system A, reference 1; 2
    lines in system B
    """

    hypotheses: Mapping[str, Sequence[str]]
    references: Sequence[Sequence[str]]
    reference: str = ""

    def __post_init__(self) -> None:
        if not self.hypotheses:
            raise InputError("there are no texts of systems")
        if not self.references:
            raise InputError("there is no reference text; name at least one")
        systems = {f"system {name}": len(lines) for name, lines in self.hypotheses.items()}
        references = {f"reference {i}": len(r) for i, r in enumerate(self.references, start=1)}
        _check_lengths({**systems, **references})

    @property
    def segments(self) -> int:
        """How many lines each text has."""
        return len(self.references[0])


def read_texts(hypotheses: Mapping[str, str | Path], references: Sequence[str | Path]) -> Texts:
    """Read plain text files, a line a segment, in UTF-8.

    Parameters
    ----------
    hypotheses : mapping of str to path
        The file of each system's output.
    references : sequence of path
        The file of each reference.

    Raises
    ------
    InputError
        If a file is missing, empty or not UTF-8 (with the line), or the files differ in their
        number of lines (with the number of each).

    Examples
    --------
    >>> read_texts({"A": "nowhere.txt"}, [])
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.txt
    """
    outputs = {name: _read(Path(path)) for name, path in hypotheses.items()}
    refs = [_read(Path(path)) for path in references]
    paths = [*hypotheses.values(), *references]
    _check_lengths(
        {str(p): len(own) for p, own in zip(paths, [*outputs.values(), *refs], strict=True)}
    )
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
        As for `read_mtme`.
    systems : sequence of str
        Systems to read, from ``system-outputs/<language pair>/<system>.txt``.
    references : sequence of str, default ("refA",)
        References to read, from ``references/<language pair>.<reference>.txt``.

    Raises
    ------
    InputError
        If a file is not there (with what there is), and as `read_texts`.
    """
    root = Path(directory) / test_set
    outputs = root / "system-outputs" / language_pair
    own = {path.stem: path for path in sorted(outputs.glob("*.txt"))}
    prefix = f"{language_pair}."
    refs = {
        path.stem.removeprefix(prefix): path
        for path in sorted((root / "references").glob(f"{prefix}*.txt"))
    }
    for what, wanted, there in (("output of", systems, own), ("reference", references, refs)):
        for name in wanted:
            if name not in there:
                raise InputError(
                    f"no {what} '{name}' for {language_pair} in {root}; there is "
                    f"{listed(list(there)) or 'none'}"
                )
    texts = read_texts({name: own[name] for name in systems}, [refs[name] for name in references])
    return Texts(texts.hypotheses, texts.references, ",".join(references))


def _read(path: Path) -> tuple[str, ...]:
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a text file with a line a segment")
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty; a text file has a line a segment")
    return tuple(read_lines(path))


def _check_lengths(lengths: Mapping[str, int]) -> None:
    """Refuse texts of different lengths, saying which have how many lines."""
    by_length: dict[int, list[str]] = {}
    for name, length in lengths.items():
        by_length.setdefault(length, []).append(name)
    if len(by_length) > 1:
        found = [f"{length} lines in {_in_a_row(own)}" for length, own in by_length.items()]
        raise InputError(f"texts of different lengths: {'; '.join(found)}")


def _in_a_row(names: Sequence[str], most: int = 5) -> str:
    """Names in a row, uncut, as paths must be; the first ones where there are many."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
