"""Fetch public sets into a folder; an interrupted download resumes where it stopped."""

import hashlib
import os
import shutil
import socket
import tarfile
import threading
import time
import urllib.error
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import (
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    Request,
    build_opener,
)

from supersample.errors import InputError, check_names, listed, printable
from supersample.execution.progress import counting
from supersample.execution.stores.places import lock_file, user_cache
from supersample.readers.public_sets import PublicSet, RemoteFile, public_sets
from supersample.readers.text import check_unpacked

CACHE = "SUPERSAMPLE_CACHE"
SETS = "SUPERSAMPLE_SETS"

ATTEMPTS = 3
TIMEOUT = 30.0
SLOWEST = 1024  # bytes per second, on average
_BLOCK = 2**20


class CutOffError(ConnectionError):
    """The server sent less than announced, or not what was asked for."""


FAILURES = (urllib.error.URLError, HTTPException, ConnectionError, TimeoutError)


class _NeverLessSecure(HTTPRedirectHandler):
    """Refuses redirections from https to anything else."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        if req.full_url.startswith("https://") and not newurl.startswith("https://"):
            raise InputError(
                f"{req.full_url} redirects to {newurl}, without encryption, and no checksum of the "
                "file is known; pass the one that it should have"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _HeadersInTime(HTTPHandler, HTTPSHandler):
    """Gives up on a server that does not complete its headers in time."""

    def http_open(self, req: Any) -> HTTPResponse:
        """Open a web address."""
        return self.do_open(_limited(HTTPConnection), req)

    def https_open(self, req: Any) -> HTTPResponse:
        """Open a web address, with encryption."""
        return self.do_open(_limited(HTTPSConnection), req)


def _limited(kind: Any) -> Any:
    """Make connections that are closed if headers take longer than the timeout."""

    class Limited(kind):  # type: ignore[misc]
        def getresponse(self) -> Any:
            began = time.monotonic()

            def cut(connected: socket.socket) -> None:
                with suppress(OSError):
                    connected.shutdown(socket.SHUT_RDWR)

            timer = threading.Timer(TIMEOUT, cut, [self.sock])
            timer.daemon = True
            timer.start()
            try:
                return super().getresponse()
            finally:
                timer.cancel()
                if time.monotonic() - began >= TIMEOUT:
                    raise TimeoutError(f"no headers of an answer within {TIMEOUT:g} s")

    return Limited


def download(url: str, path: Path, expected: str = "", *, progress: bool = False) -> str:
    """Download to a file, and return its checksum; refuse a file with an unexpected checksum.

    The received part stays beside the file, and the next attempt continues it, also on another
    day. The ETag or the date shows whether the file is still the same (If-Range). If the server
    sends neither, or cannot send ranges, it sends everything again.
    """
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url} is not a web address; it must begin with https:// or http://")
    # anybody can change data sent over http; only a known checksum detects this
    secure = [] if expected else [_NeverLessSecure()]
    ask = partial(build_opener(_HeadersInTime(), *secure).open, timeout=TIMEOUT)
    part = path.with_name(f".{hashlib.sha256(url.encode()).hexdigest()[:12]}.part")
    lock = part.with_suffix(".lock")
    with lock_file(lock, exclusive=True) as free:
        if not free:
            raise InputError(f"another process is fetching {path}; wait for it, and run this again")
        try:
            _receive(ask, url, part, progress=progress)
            found = _sha256(part)
            if expected and found != expected:
                part.unlink()
                _tag_of(part).unlink(missing_ok=True)
                raise CutOffError(f"its checksum is not {expected}; no part of it is kept")
            part.rename(path)
            _tag_of(part).unlink(missing_ok=True)
        finally:
            lock.unlink(missing_ok=True)
    return found


def _receive(
    ask: Callable[[Request], HTTPResponse], url: str, part: Path, *, progress: bool
) -> None:
    """Receive the whole file into the part, in several attempts if the connection breaks."""
    for attempt in range(ATTEMPTS):
        try:
            _continue(ask, url, part, progress=progress)
            break
        except (CutOffError, HTTPException, ConnectionResetError, TimeoutError):
            if attempt == ATTEMPTS - 1:
                raise


def _continue(
    ask: Callable[[Request], HTTPResponse], url: str, part: Path, *, progress: bool
) -> None:
    """Ask for the missing bytes and add them to the part."""
    tag = _tag_of(part)
    kept = part.stat().st_size if part.exists() and tag.exists() else 0
    length, _, validator = tag.read_text().partition("\n") if kept else ("", "", "")
    if kept and str(kept) == length:  # it was whole, and not yet in its place
        return
    rest = {"Range": f"bytes={kept}-", "If-Range": validator} if kept else {}
    try:
        response = ask(Request(url, headers=rest))
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        part.unlink(missing_ok=True)  # the server has another file by now
        raise CutOffError("the server has not as much as came in before") from error
    with response:
        start, total = _extent(response)
        if start and (start, str(total)) != (kept, length):
            part.unlink(missing_ok=True)
            raise CutOffError("the server sends another part than was asked for")
        same = response.headers.get("ETag") or response.headers.get("Last-Modified")
        if same and not same.startswith("W/"):  # a weak one promises no equal bytes
            tag.write_text(f"{total}\n{same}")
        else:
            tag.unlink(missing_ok=True)
        with (
            part.open("ab" if start else "wb") as stream,
            counting("download" if progress else None) as show,
        ):
            began, received = time.monotonic(), start
            while block := _read(response):
                stream.write(block)
                received += len(block)
                show(received, total or received)
                seconds = time.monotonic() - began
                if seconds > TIMEOUT and received - start < SLOWEST * seconds:
                    raise TimeoutError(f"fewer than {SLOWEST} bytes a second come in")
        if total is not None and received != total:
            raise CutOffError(f"{received:,} of {total:,} bytes came in")


def _read(response: HTTPResponse) -> bytes:
    """Read the bytes that arrived; a network error is not reported as an error of the disk."""
    try:
        return response.read1(_BLOCK)
    except TimeoutError:
        raise
    except OSError as error:
        raise CutOffError(error.strerror or str(error)) from error


def _tag_of(part: Path) -> Path:
    """File beside a part, with the length of the whole file and its ETag or date."""
    return part.with_suffix(".tag")


def _extent(response: HTTPResponse) -> tuple[int, int | None]:
    """First byte of the response, and the length of the whole file."""
    length = response.headers.get("Content-Length")
    if response.status != 206:
        return 0, int(length) if length is not None and length.isdecimal() else None
    extent, _, total = response.headers.get("Content-Range", "").partition("/")
    start = extent.removeprefix("bytes ").partition("-")[0]
    if not start.isdigit():
        raise CutOffError("the server does not say which part it sends")
    return int(start), int(total) if total.isdigit() else None


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
    wanted: str | PublicSet,
    *,
    to: str | Path | None = None,
    mirrors: Sequence[str] = (),
    sha256: str | None = None,
    progress: bool = False,
) -> Fetched:
    """Fetch a public set, unless the folder already has it; nothing is overwritten.

    An interrupted download resumes where it stopped, also on another day. If a server fails, its
    mirrors are tried in turn.

    Parameters
    ----------
    wanted : str or PublicSet
        For instance "wmt23"; `public_sets` lists all sets. Or the description of a set.
    to : str or Path, optional
        Folder to keep it in; by default the folder in the environment variable SUPERSAMPLE_CACHE,
        or the user's cache folder.
    mirrors : sequence of str
        More addresses of the set's file, which are tried first.
    sha256 : str, optional
        Expected checksum of the file. If none is given or registered, the checksum of the first
        download is stored beside the file, and later ones are compared with it: this detects
        changes, but not whether the first download was genuine.
    progress : bool, default False
        Whether to show a progress bar on a terminal.

    Returns
    -------
    Fetched
        ``folder``, ``files`` and ``notes``.

    Raises
    ------
    InputError
        If the set is unknown, no server can be reached, or a file has a wrong checksum; an existing
        file is not changed.

    Examples
    --------
    >>> fetch("nothing-like-it")
    Traceback (most recent call last):
    supersample.errors.InputError: no public set 'nothing-like-it'; there are ...
    """
    if isinstance(wanted, str):
        check_names("public set", [wanted], sorted(public_sets()))
        wanted = public_sets()[wanted]
    if (mirrors or sha256) and len(wanted.files) > 1:
        raise InputError("this set has several files; leave out mirrors and the checksum")
    folder = (Path(to) if to is not None else cache_folder()) / wanted.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror or error}") from error
    target = folder / wanted.member
    if wanted.member and target.is_dir():
        return Fetched(folder, (target,), (f"{target} already exists",))
    paths, notes = [], []
    for file in wanted.files:
        asked = RemoteFile(file.name, (*mirrors, *file.urls), sha256 or file.sha256)
        path, note = _fetch_file(asked, folder, progress=progress)
        paths.append(path)
        notes.append(note)
    if wanted.by_hand:
        notes.append(f"not fetched, made by hand: {wanted.by_hand}")
    if not wanted.member:
        return Fetched(folder, tuple(paths), tuple(notes))
    _unpack(paths[0], wanted.member, target)
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


def _fetch_file(file: RemoteFile, folder: Path, *, progress: bool) -> tuple[Path, str]:
    """Fetch a file from the first server that has it; return its path and a checksum note."""
    path, record = folder / file.name, folder / f"{file.name}.sha256"
    expected = file.sha256.lower() or _recorded(record)
    origin = "registered" if file.sha256 else "recorded at the first download"
    if path.exists():
        found = _sha256(path)
        if expected and found != expected:
            raise InputError(
                f"{path} has the checksum {found}, but the one {origin} is {expected}; "
                "move it away to fetch it again"
            )
        _record(record, found, file.name)
        return path, f"{path} already exists, sha256 {found}"
    failures = []
    for url in file.urls:
        try:
            found = download(url, path, expected, progress=progress)
        except FAILURES as error:
            reason = getattr(error, "reason", error)
            failures.append(f"{url}: {getattr(reason, 'strerror', None) or reason}")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
        else:
            _record(record, found, file.name)
            checked = f"as {origin}" if expected else "recorded now; no earlier one to compare with"
            return path, f"{path} from {url}, sha256 {found} ({checked})"
    raise InputError(
        f"{file.name} could not be fetched ({'; '.join(failures)}). If this machine is offline, "
        f"fetch it elsewhere and put it at {path}; what was received is kept"
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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


def _unpack(archive: Path, member: str, target: Path) -> None:
    """Unpack one folder of an archive, completely or not at all; only plain files inside it."""
    unfinished = target.with_name(f".{target.name}.partial")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    seen: set[str] = set()
    size, packed_size = 0, archive.stat().st_size
    try:
        with tarfile.open(archive) as packed:
            for entry in packed:
                name = entry.name.removeprefix("./")
                seen.add("/".join(name.split("/")[:2]))
                inside = name.removeprefix(f"{member}/")
                if inside == name or not entry.isfile() or not inside.isprintable():
                    continue
                size += max(entry.size, tarfile.BLOCKSIZE)
                check_unpacked(archive, size, packed_size)
                with suppress(tarfile.FilterError):  # a name that leads out of the folder
                    packed.extract(
                        entry.replace(name=inside, deep=False), unfinished, filter="data"
                    )
        if unfinished.exists():
            unfinished.rename(target)
            return
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"{archive} cannot be unpacked: {printable(error)}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    folders = listed(sorted(seen), 20) or "nothing"
    raise InputError(f"{archive} has no {member}; there is {folders}")
