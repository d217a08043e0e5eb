"""Matching of names of one system that differ between files."""

import re
from collections.abc import Iterable, Sequence


def plain_name(name: str, around: Sequence[str] = ()) -> str:
    """Reduce a name to what files agree on: letters and digits, without case or number of a run.

    `around` names texts before or after it, divided by a dot: the test set and the language pair.

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
    names: Iterable[str], existing: Iterable[str], around: Sequence[str] = ()
) -> dict[str, str]:
    """Match each name that is not among the existing ones to the one existing name that fits it.

    A name without exactly one match, or an existing name with several, is left out.

    Examples
    --------
    >>> match_names(["Online-A", "new"], ["Online-A.1574", "Online-B.1590"])
    {'Online-A': 'Online-A.1574'}
    """
    targets = set(existing)
    free, foreign = targets - set(names), [name for name in names if name not in targets]
    by_plain: dict[str, tuple[list[str], list[str]]] = {}
    for side, group in enumerate((foreign, sorted(free))):
        for name in group:
            by_plain.setdefault(plain_name(name, around), ([], []))[side].append(name)
    return {
        ours[0]: theirs[0] for ours, theirs in by_plain.values() if len(ours) == len(theirs) == 1
    }
