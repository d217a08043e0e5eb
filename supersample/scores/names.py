"""Names of the same thing that differ between files: matched where that is plain, and said."""

import re
from collections.abc import Iterable, Sequence


def plain_name(name: str, around: Sequence[str] = ()) -> str:
    """Reduce a name to what files agree on: letters and digits, without case or number of a run.

    Parameters
    ----------
    name : str
        For instance "newstest2020.Online-A.1574.en-de".
    around : sequence of str
        What may stand before or after it, divided by a dot: the test set and the language pair.

    Examples
    --------
    >>> plain_name("newstest2020.Online-A.1574.en-de", ["newstest2020", "en-de"])
    'onlinea'
    """
    for text in around:
        name = name.removeprefix(f"{text}.").removesuffix(f".{text}")
    name = re.sub(r"\.\d+$", "", name)
    return "".join(c for c in name.casefold() if c.isalnum()) or name


def match_names(
    names: Iterable[str], known: Iterable[str], around: Sequence[str] = ()
) -> dict[str, str]:
    """Known name for each name that is not known itself, where exactly one fits, and no other.

    Examples
    --------
    >>> match_names(["Online-A", "new"], ["Online-A.1574", "Online-B.1590"])
    {'Online-A': 'Online-A.1574'}
    """
    there = set(known)
    foreign = [name for name in names if name not in there]
    free = there - set(names)
    known_as: dict[str, list[str]] = {}
    for name in sorted(free):
        known_as.setdefault(plain_name(name, around), []).append(name)
    asking: dict[str, list[str]] = {}
    for name in foreign:
        asking.setdefault(plain_name(name, around), []).append(name)
    return {
        own[0]: known_as[plain][0]
        for plain, own in asking.items()
        if len(own) == 1 and len(known_as.get(plain, ())) == 1
    }
