"""Texts: the outputs of systems and their references, a line a segment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from supersample.errors import InputError


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
        check_lengths({**systems, **references})

    @property
    def segments(self) -> int:
        """How many lines each text has."""
        return len(self.references[0])


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Refuse texts of different lengths, saying which have how many lines."""
    by_length: dict[int, list[str]] = {}
    for name, length in lengths.items():
        by_length.setdefault(length, []).append(name)
    if len(by_length) > 1:
        found = [f"{length} lines in {_in_a_row(same)}" for length, same in by_length.items()]
        raise InputError(f"texts of different lengths: {'; '.join(found)}")


def _in_a_row(names: Sequence[str], most: int = 5) -> str:
    """Names in a row, uncut, as paths must be; the first ones where there are many."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
