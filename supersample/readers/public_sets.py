"""Public evaluation sets: standard settings of shared tasks, and files, which `fetch` fetches.

``wmt.toml`` has the facts, the meaning of its fields and their sources; ``files.toml`` has the
files of other sets. Whatever is kept in a folder was opened first.
"""

import os
import tarfile
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from supersample.errors import InputError, check_names, in_one_line, printable, shortened
from supersample.execution.progress import Meter
from supersample.execution.stores import user_cache
from supersample.execution.workers import installed

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
    teams : mapping of str to sequence of str
        Systems that are versions of one, by team.
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
    teams: Mapping[str, Sequence[str]] = field(default_factory=dict)

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
    teams = facts.get("teams", {})
    return SetFacts(
        test_set, language_pair, facts["reference"], facts["gold"], **names, teams=teams
    )


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


_ARCHIVE = "https://data.statmt.org/wmt26/mt-metrics-eval-v2.tgz"


@dataclass(frozen=True)
class RemoteFile:
    """A file on a server.

    Attributes
    ----------
    sha256
        Checksum; empty if the publisher gives none.
    """

    name: str
    url: str
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
        (RemoteFile("mt-metrics-eval-v2.tgz", _ARCHIVE),),
        member=f"mt-metrics-eval-v2/{name}",
        read_with=f"rank FOLDER/mt-metrics-eval-v2/{name} --language-pair all",
    )


def _of_repository(name: str, page: str, files: list[list[str]], **facts: str) -> PublicSet:
    raw = page.replace("https://github.com", "https://raw.githubusercontent.com")
    remote = tuple(RemoteFile(file, f"{raw}/{at}", sha256) for file, at, sha256 in files)
    return PublicSet(page=page, files=remote, folder=name, **facts)


CACHE = "SUPERSAMPLE_CACHE"
SETS = "SUPERSAMPLE_SETS"

TIMEOUT = 30.0  # seconds without any data
_BLOCK = 2**20


class _Received(Meter):
    """Counts what comes in, as pooch tells it, which sets `total` to the size announced."""

    total = 0

    def update(self, size: int) -> None:
        """Count bytes, up to a whole block more than came in."""
        self.amount = max(self.total, self.done + size)
        self.add(size)

    def reset(self) -> None:
        """Begin again, as pooch does at the end."""
        self.done = 0

    def close(self) -> None:
        """End, which the context does, too."""


class Fetched(NamedTuple):
    """Result of `fetch`.

    Attributes
    ----------
    folder
        Folder of the set, or of its files.
    notes
        Notes on what was checked or could not be checked.
    """

    folder: Path
    files: tuple[Path, ...]
    notes: tuple[str, ...]


def fetch(
    name: str | PublicSet, *, directory: str | Path | None = None, progress: bool = False
) -> Fetched:
    """Fetch a public set, unless the folder already has it; nothing is overwritten.

    A file is compared with its registered checksum, and the notes have the checksum of each file.
    If none is registered, compare that one with the checksum of another download.

    Parameters
    ----------
    name : str or PublicSet
        For instance "wmt23"; `public_sets` lists all sets. Or the description of a set.
    directory : str or Path, optional
        Folder to keep it in; by default the folder in the environment variable SUPERSAMPLE_CACHE,
        or the user's cache folder.
    progress : bool, default False
        Whether to show a progress bar on a terminal.

    Returns
    -------
    Fetched
        ``folder``, ``files`` and ``notes``.

    Raises
    ------
    InputError
        If the set is unknown, the server cannot be reached, or a file has a wrong checksum; an
        existing file is not changed.

    Examples
    --------
    >>> fetch("nothing-like-it")
    Traceback (most recent call last):
    supersample.errors.InputError: no public set 'nothing-like-it'; there are ...
    """
    if isinstance(name, str):
        check_names("public set", [name], sorted(public_sets()))
    wanted = public_sets()[name] if isinstance(name, str) else name
    folder = (Path(directory) if directory is not None else cache_folder()) / wanted.folder
    target = folder / wanted.member
    if wanted.member and target.is_dir():
        return Fetched(folder, (target,), (f"{target} already exists",))
    with in_one_line(folder):
        folder.mkdir(parents=True, exist_ok=True)
        notes = [_fetch_file(file, folder, progress=progress) for file in wanted.files]
        paths = tuple(folder / file.name for file in wanted.files)
        if wanted.member:
            _unpack(paths[0], wanted.member, target)
            return Fetched(folder, (target,), (*notes, f"{paths[0]} is kept, for its other sets"))
    if wanted.by_hand:
        notes.append(f"not fetched, made by hand: {wanted.by_hand}")
    return Fetched(folder, paths, tuple(notes))


def sets_folder(test_set: str) -> Path:
    """Folder of test sets (mt-metrics-eval v2): from SUPERSAMPLE_SETS, or the folder of `fetch`.

    Raises
    ------
    InputError
        If it lacks the test set.
    """
    named = os.environ.get(SETS)
    folder = Path(named) if named else cache_folder() / "mt-metrics-eval-v2"
    if not (folder / test_set).is_dir():
        raise InputError(
            f"there is no folder {folder / test_set}: run supersample fetch {test_set}, or set the "
            f"environment variable {SETS} to the folder of test sets"
        )
    return folder


def cache_folder() -> Path:
    """Folder that keeps fetched sets, unless another one is named."""
    named = os.environ.get(CACHE)
    return Path(named) / "sets" if named else user_cache("sets", extra="fetch")


def _fetch_file(file: RemoteFile, folder: Path, *, progress: bool) -> str:
    """Fetch a file, unless it is there, and say what its checksum is."""
    pooch, requests = installed("pooch", "fetch"), installed("requests", "fetch")
    pooch.get_logger().setLevel("WARNING")  # the notes say what it would
    path, known = folder / file.name, file.sha256 or None
    origin = "already exists" if path.exists() else f"from {file.url}"
    if path.exists() and known not in (None, pooch.file_hash(str(path))):
        raise InputError(
            f"{path} has another checksum than the one registered, {known}; move it away to fetch "
            "it again"
        )
    if not path.exists():
        with _Received("bytes of the download" if progress else None, 0) as received:
            how = {"timeout": TIMEOUT, "headers": {"Accept-Encoding": "identity"}}
            receive = pooch.HTTPDownloader(progressbar=received, chunk_size=_BLOCK, **how)
            try:
                pooch.retrieve(file.url, known, file.name, folder, downloader=receive)
            except (requests.RequestException, ValueError) as error:
                raise InputError(
                    f"{file.name} could not be fetched ({file.url}: {shortened(error, 100)}); no "
                    f"part of it is kept. If this machine is offline, fetch it elsewhere and put "
                    f"it at {path}"
                ) from error
    checked = "as registered" if known else "none is registered"
    return f"{path} {origin}, sha256 {pooch.file_hash(str(path))} ({checked})"


def _unpack(archive: Path, member: str, target: Path) -> None:
    """Unpack one folder of an archive, completely or not at all; only plain files inside it."""
    again = "move it away to fetch it again"
    with TemporaryDirectory(prefix=".", dir=archive.parent) as beside:
        try:
            with tarfile.open(archive) as packed:
                files = (entry for entry in packed if entry.isfile())
                inside = (x for x in files if x.name.removeprefix("./").startswith(f"{member}/"))
                packed.extractall(beside, inside, filter="data")
                stream: Any = packed.fileobj  # tarfile stops at a bad header, and checks no sum
                if any(block.strip(b"\0") for block in iter(partial(stream.read, _BLOCK), b"")):
                    raise tarfile.ReadError("bad header")
        except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
            why = printable(str(error).partition(":\n")[0])
            raise InputError(f"{archive} cannot be unpacked: {why}; {again}") from error
        unpacked = Path(beside) / member
        if not unpacked.exists():
            raise InputError(f"{archive} has no {member}; {again}")
        target.parent.mkdir(parents=True, exist_ok=True)
        unpacked.rename(target)
