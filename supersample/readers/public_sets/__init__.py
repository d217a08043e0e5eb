"""Public evaluation sets: where their files are, and the standard settings of shared tasks.

``wmt.toml`` in this folder has the facts, the meaning of its fields and their sources.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from supersample.errors import check_names

_FILE = Path(__file__).with_name("wmt.toml")
_NAMES = ("references", "outliers", "primary", "baselines", "reference_free")


@dataclass(frozen=True)
class SetFacts:
    """Facts of a language pair of a public test set.

    Parameters
    ----------
    test_set, language_pair : str
    reference : str
        The standard reference.
    gold : mapping of str to str
        Names of the standard human scores, by level: "system", "domain", "document" and "segment",
        if they exist.
    references : tuple of str
        The known references, including the standard one.
    outliers : tuple of str
        Systems that the standard results leave out.
    primary : tuple of str
        Base names of primary submissions and baselines; empty if the task has no such list.
    baselines : tuple of str
        Members of `primary` that are the organizers' baselines; empty if unknown.
    reference_free : tuple of str
        Members of `primary` that are known to use only the source.
    """

    test_set: str
    language_pair: str
    reference: str
    gold: Mapping[str, str]
    references: tuple[str, ...] = ()
    outliers: tuple[str, ...] = ()
    primary: tuple[str, ...] = ()
    baselines: tuple[str, ...] = ()
    reference_free: tuple[str, ...] = ()

    @property
    def human_systems(self) -> tuple[str, ...]:
        """Human translations that are not the standard reference, so metrics can score them."""
        others = (self.reference, *self.outliers)
        return tuple(name for name in self.references if name not in others)


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def set_names() -> tuple[str, ...]:
    """List the test sets with known facts, from the oldest to the newest.

    Examples
    --------
    >>> set_names()[-1]
    'wmt25'
    """
    return tuple(_tables())


def language_pairs(test_set: str) -> tuple[str, ...]:
    """List the language pairs of a test set.

    Raises
    ------
    InputError
        If the facts of the set are unknown.

    Examples
    --------
    >>> language_pairs("wmt21.tedtalks")
    ('en-de', 'en-ru', 'zh-en')
    """
    check_names("public test set", [test_set], _tables())
    return tuple(_tables()[test_set]["pairs"])


def set_facts(test_set: str, language_pair: str) -> SetFacts | None:
    """Get the facts of a language pair of a test set; None if they are unknown.

    Examples
    --------
    >>> set_facts("wmt23", "he-en").reference
    'refB'
    """
    table = _tables().get(test_set, {"pairs": ()})
    if language_pair not in table["pairs"]:
        return None
    facts = table | table.get("exceptions", {}).get(language_pair, {})
    facts["primary"] = [*facts.get("primary", ()), *facts.get("further_primary", ())]
    facts.setdefault("references", [facts["reference"]])
    names = {name: tuple(facts.get(name, ())) for name in _NAMES}
    return SetFacts(test_set, language_pair, facts["reference"], facts["gold"], **names)


def standard_options(test_set: str, language_pair: str) -> dict[str, str]:
    """Name the standard reference and segment-level human scores of a language pair.

    Unknown sets have "refA" and "mqm"; language pairs that people did not rate have no human
    scores.

    Examples
    --------
    >>> standard_options("wmt24", "en-de")
    {'reference': 'refB', 'human': 'mqm'}
    """
    facts = set_facts(test_set, language_pair)
    if facts is None:
        return {"reference": "refA", "human": "mqm"}
    gold = facts.gold.get("segment")
    return {"reference": facts.reference, **({"human": gold} if gold else {})}


_ARCHIVES = (  # the second one has refused requests since March 2026
    "https://data.statmt.org/wmt26/mt-metrics-eval-v2.tgz",
    "https://storage.googleapis.com/mt-metrics-eval/mt-metrics-eval-v2.tgz",
)


@dataclass(frozen=True)
class RemoteFile:
    """A file on a server and its mirrors.

    Attributes
    ----------
    sha256
        Checksum; empty if the publisher gives none.
    """

    name: str
    urls: tuple[str, ...]
    sha256: str = ""


@dataclass(frozen=True)
class PublicSet:
    """A public set of human and metric scores, of ratings, or of predictions.

    Attributes
    ----------
    page
        Page of its publishers, with its terms of use.
    folder
        Folder for its files, in that of all sets.
    member
        Folder to extract from the archive, if the only file is an archive.
    by_hand
        Files of the set that no server has.
    """

    what: str
    page: str
    files: tuple[RemoteFile, ...]
    folder: str = ""
    member: str = ""
    read_with: str = ""
    by_hand: str = ""


@cache
def public_sets() -> Mapping[str, PublicSet]:
    """Public sets for `fetch`, by name.

    Examples
    --------
    >>> public_sets()["wmt23"].page
    'https://github.com/google-research/mt-metrics-eval'
    >>> [file.name for file in public_sets()["wmt14-qe"].files]
    ['task-1.2.csv']
    """
    tables = tomllib.loads(_FILE.with_name("files.toml").read_text(encoding="utf-8"))
    of_repositories = {name: _of_repository(name, **table) for name, table in tables.items()}
    return {name: _of_archive(name) for name in set_names()} | of_repositories


def _of_archive(name: str) -> PublicSet:
    return PublicSet(
        f"{name} of the WMT metrics task in the layout of mt-metrics-eval v2",
        "https://github.com/google-research/mt-metrics-eval",
        (RemoteFile("mt-metrics-eval-v2.tgz", _ARCHIVES),),
        member=f"mt-metrics-eval-v2/{name}",
        read_with=f"rank FOLDER/mt-metrics-eval-v2/{name} --language-pair all",
    )


def _of_repository(name: str, page: str, files: list[list[str]], **facts: str) -> PublicSet:
    raw = page.replace("https://github.com", "https://raw.githubusercontent.com")
    remote = tuple(RemoteFile(file, (f"{raw}/{at}",), sha256) for file, at, sha256 in files)
    return PublicSet(page=page, files=remote, folder=name, **facts)
