"""Public evaluation sets: standard settings of shared tasks, and files, which `fetch` fetches.

``wmt.toml`` has the facts, the meaning of its fields and their sources; ``files.toml`` has the
files of other sets. Whatever is kept in a folder was opened first.
"""

import os
import tarfile
import tomllib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urljoin

from supersample.errors import InputError, check_names, listed, printable, shortened
from supersample.execution.progress import Meter
from supersample.execution.stores import user_cache
from supersample.execution.workers import installed
from supersample.readers.text import check_unpacked

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


def _stay_encrypted(response: Any, **_: Any) -> None:
    """Refuse redirections from https to anything else."""
    target = urljoin(response.url, response.headers.get("Location", ""))
    if response.url.startswith("https://") and not target.startswith("https://"):
        raise InputError(
            f"it redirects to {target}, without encryption, and no checksum of the file is known; "
            "write the one that it should have to FILE.sha256"
        )


def _download(url: str, path: Path, expected: str, *, progress: bool) -> None:
    """Download to a file; refuse one with an unexpected checksum."""
    if not url.startswith(("http://", "https://")):
        raise InputError("it is not a web address; it must begin with https:// or http://")
    pooch, requests = installed("pooch", "fetch"), installed("requests", "fetch")
    # anybody can change data sent over http; only a known checksum detects this
    hooks = {} if expected else {"hooks": {"response": _stay_encrypted}}
    with _Received("bytes of the download" if progress else None, 0) as received:
        receive = pooch.HTTPDownloader(
            progressbar=received,
            chunk_size=_BLOCK,
            timeout=TIMEOUT,
            headers={"Accept-Encoding": "identity"},
            **hooks,
        )
        try:
            receive(url, str(path), None)
        except requests.RequestException as error:
            why = shortened(error, 100)
            raise InputError(f"the download failed ({type(error).__name__}: {why})") from error
    if expected and pooch.file_hash(str(path)) != expected:
        raise InputError(f"its checksum is not {expected}")


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
    name: str | PublicSet,
    *,
    directory: str | Path | None = None,
    progress: bool = False,
) -> Fetched:
    """Fetch a public set, unless the folder already has it; nothing is overwritten.

    If no checksum of a file is registered, that of the first download that could be opened is
    stored beside the file (``FILE.sha256``), and later ones are compared with it: this detects
    changes, but not whether the first download was genuine. A checksum that you know may be written
    there before.

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
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror or error}") from error
    target = folder / wanted.member
    if wanted.member and target.is_dir():
        return Fetched(folder, (target,), (f"{target} already exists",))
    paths, notes = [], []
    for file in wanted.files:

        def opened(path: Path) -> None:
            _refuse_page(path)
            if wanted.member:
                _unpack(path, wanted.member, target)

        path, note = _fetch_file(file, folder, opened, progress=progress)
        paths.append(path)
        notes.append(note)
    if wanted.by_hand:
        notes.append(f"not fetched, made by hand: {wanted.by_hand}")
    if not wanted.member:
        return Fetched(folder, tuple(paths), tuple(notes))
    return Fetched(folder, (target,), (*notes, f"{paths[0]} is kept, for its other sets"))


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


def _fetch_file(
    file: RemoteFile, folder: Path, opened: Callable[[Path], None], *, progress: bool
) -> tuple[Path, str]:
    """Fetch a file, unless it is there; return its path and a checksum note.

    Its checksum is recorded when `opened` has opened it.
    """
    file_hash = installed("pooch", "fetch").file_hash
    path, record = folder / file.name, folder / f"{file.name}.sha256"
    expected = file.sha256.lower() or _recorded(record)
    origin = "registered" if file.sha256 else "recorded at the first download"
    if path.exists():
        checksum = file_hash(str(path))
        if expected and checksum != expected:
            raise InputError(
                f"{path} has the checksum {checksum}, but the one {origin} is {expected}; "
                "move it away to fetch it again"
            )
        try:
            opened(path)
        except InputError as error:
            advice = f"to fetch it again, move it and {record.name} away"
            raise InputError(f"{path}: {error}; {advice}") from error
        _record(record, checksum, file.name)
        return path, f"{path} already exists, sha256 {checksum}"
    try:
        with TemporaryDirectory(prefix=".", dir=folder) as beside:
            part = Path(beside) / file.name
            _download(file.url, part, expected, progress=progress)
            opened(part)
            part.replace(path)
    except InputError as error:
        raise InputError(
            f"{file.name} could not be fetched ({file.url}: {error}); no part of it is kept. If "
            f"this machine is offline, fetch it elsewhere and put it at {path}"
        ) from error
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
    checksum = file_hash(str(path))
    _record(record, checksum, file.name)
    checked = f"as {origin}" if expected else "recorded now; no earlier one to compare with"
    return path, f"{path} from {file.url}, sha256 {checksum} ({checked})"


def _recorded(record: Path) -> str:
    """Checksum in a file written like sha256sum, or ""."""
    try:
        words = record.read_text(encoding="utf-8").split()
    except OSError:
        return ""
    except UnicodeDecodeError as error:
        raise InputError(f"{record} is damaged: it is not UTF-8 text; remove it") from error
    return words[0].lower() if words else ""


def _record(record: Path, checksum: str, name: str) -> None:
    if not record.exists():
        record.write_text(f"{checksum}  {name}\n", encoding="utf-8")


def _refuse_page(file: Path) -> None:
    """Refuse a page that a server sends in place of a file, for instance to ask for a login."""
    with file.open("rb") as stream:
        begin = stream.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if begin.startswith((b"<!doctype html", b"<html")):
        raise InputError("it is a web page in place of the file; perhaps it asks for a login")


def _unpack(archive: Path, member: str, target: Path) -> None:
    """Unpack one folder of an archive, completely or not at all; only plain files inside it."""
    seen: set[str] = set()

    def inside(packed: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
        size = 0
        for entry in packed:
            size += max(entry.size, tarfile.BLOCKSIZE)
            check_unpacked(Path(archive.name), size, archive.stat().st_size)
            name = entry.name.removeprefix("./")
            seen.add("/".join(name.split("/")[:2]))
            safe = entry.isfile() and name.isprintable() and ".." not in name.split("/")
            if safe and name.startswith(f"{member}/"):
                yield entry

    with TemporaryDirectory(prefix=".", dir=archive.parent) as beside:
        try:
            with tarfile.open(archive) as packed:
                packed.extractall(beside, inside(packed), filter="data")
            if (Path(beside) / member).exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                (Path(beside) / member).rename(target)
                return
        except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
            why = printable(str(error).partition(":\n")[0])
            raise InputError(f"it cannot be unpacked: {why}") from error
    raise InputError(f"it has no {member}; there is {listed(sorted(seen), 20) or 'nothing'}")
