"""Readers of texts: outputs of systems and references, a line a segment."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from supersample.errors import InputError, check_names
from supersample.readers.text import read_lines
from supersample.scores.corpus.metrics import Texts, check_lengths


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
    outputs = {name: _read(path) for name, path in hypotheses.items()}
    refs = [_read(path) for path in references]
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
        As for `read_mtme`.
    systems : sequence of str
        Systems to read, from ``system-outputs/<language pair>/<system>.txt``.
    references : sequence of str, default ("refA",)
        References to read, from ``references/<language pair>.<reference>.txt``.

    Raises
    ------
    InputError
        If a file does not exist (with those that do), and as `read_texts`.
    """
    root = Path(directory) / test_set
    outputs = root / "system-outputs" / language_pair
    files = {path.stem: path for path in sorted(outputs.glob("*.txt"))}
    prefix = f"{language_pair}."
    refs = {
        path.stem.removeprefix(prefix): path
        for path in sorted((root / "references").glob(f"{prefix}*.txt"))
    }
    for what, wanted, found in (("output of", systems, files), ("reference", references, refs)):
        check_names(f"{language_pair} {what}", wanted, found, str(root))
    texts = read_texts({name: files[name] for name in systems}, [refs[name] for name in references])
    return Texts(texts.hypotheses, texts.references, ",".join(references))


def _read(path: str | Path) -> tuple[str, ...]:
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a text file with a line a segment")
    if path.is_file() and path.stat().st_size == 0:
        raise InputError(f"{path} is empty; a text file has a line a segment")
    return tuple(read_lines(path))
