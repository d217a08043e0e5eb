"""Downloads that resume where they were cut off."""

import hashlib
import json
import shutil
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.request import HTTPHandler, HTTPSHandler, build_opener

from supersample.errors import InputError
from supersample.execution.progress import counting

ATTEMPTS = 3
TIMEOUT = 30.0
SLOWEST = 1024  # bytes a second, on average
_BLOCK = 2**20
FAILURES = (urllib.error.URLError, HTTPException, ConnectionError, TimeoutError)


class CutOffError(ConnectionError):
    """The server sent less than it announced."""


class _NeverLessSecure(urllib.request.HTTPRedirectHandler):
    """Follows no redirection from https to anything else."""

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
    """Gives up a server whose headers are not complete in time, however it dribbles them."""

    def http_open(self, req: Any) -> HTTPResponse:
        """Open an address of the web."""
        return self.do_open(_limited(HTTPConnection), req)

    def https_open(self, req: Any) -> HTTPResponse:
        """Open an address of the web, with encryption."""
        return self.do_open(_limited(HTTPSConnection), req)


def _limited(kind: Any) -> Any:
    """Make connections of a kind that are cut where headers take longer than the timeout."""

    class Limited(kind):  # type: ignore[misc]
        def getresponse(self) -> Any:
            late = threading.Event()

            def cut(connected: socket.socket) -> None:
                late.set()
                with suppress(OSError):
                    connected.shutdown(socket.SHUT_RDWR)

            timer = threading.Timer(TIMEOUT, cut, [self.sock])
            timer.daemon = True
            timer.start()
            try:
                return super().getresponse()
            finally:
                timer.cancel()
                if late.is_set():
                    raise TimeoutError(f"no headers of an answer within {TIMEOUT:g} s")

    return Limited


class ResumingDownloader:
    """Downloader for pooch: keeps the received part beside the file and resumes it next time.

    The rest must be of the same file: by its ETag or date where the server sends one (If-Range),
    and by its whole length. A server without ranges sends everything again.
    """

    def __init__(self, folder: Path, *, checked: bool, progress: bool = False) -> None:
        self._folder = folder
        self._progress = progress
        # what comes over http may be anybody's; a checksum that is known shows that
        secure = [] if checked else [_NeverLessSecure()]
        self._open = build_opener(_HeadersInTime(), *secure).open

    def __call__(self, url: str, output_file: Any, pooch: Any) -> None:
        """Download `url` to `output_file`."""
        if not url.startswith(("http://", "https://")):
            raise InputError(f"{url} is no address of the web")
        digest = hashlib.sha256(url.encode()).hexdigest()[:12]
        part = self._folder / f".{digest}.part"
        for attempt in range(ATTEMPTS):
            try:
                self._continue(url, part)
                break
            except (CutOffError, HTTPException, ConnectionResetError, TimeoutError):
                if attempt == ATTEMPTS - 1:
                    raise
        shutil.move(part, output_file)
        _facts_of(part).unlink(missing_ok=True)

    def _continue(self, url: str, part: Path) -> None:
        """Ask for the missing bytes and add them to the part."""
        facts = _read_facts(part)
        kept = part.stat().st_size if part.exists() and facts else 0
        if facts.get("total") == kept and kept:
            return
        request = urllib.request.Request(url)
        if kept:
            request.add_header("Range", f"bytes={kept}-")
            if facts.get("validator"):
                request.add_header("If-Range", str(facts["validator"]))
        try:
            response = self._open(request, timeout=TIMEOUT)
        except urllib.error.HTTPError as error:
            if error.code != 416:
                raise
            part.unlink(missing_ok=True)  # the server has another file by now
            raise CutOffError("the server has not as much as came in before") from error
        with response:
            self._add(response, part, kept, facts)

    def _add(self, response: HTTPResponse, part: Path, kept: int, facts: dict[str, Any]) -> None:
        start, total = _extent(response)
        if start != kept or (start and facts.get("total") != total):
            if start:
                part.unlink(missing_ok=True)
                raise CutOffError("the server sends another part than was asked for")
            kept = 0
        validator = response.headers.get("ETag") or response.headers.get("Last-Modified")
        if validator and validator.startswith("W/"):
            validator = None  # a weak one does not promise the same bytes
        _facts_of(part).write_text(json.dumps({"total": total, "validator": validator}))
        with (
            part.open("ab" if kept else "wb") as stream,
            counting("download" if self._progress else None) as show,
        ):
            began, before = time.monotonic(), kept
            while block := response.read1(_BLOCK):
                stream.write(block)
                kept += len(block)
                show(kept, total or kept)
                seconds = time.monotonic() - began
                if seconds > TIMEOUT and kept - before < SLOWEST * seconds:
                    raise TimeoutError(f"fewer than {SLOWEST} bytes a second come in")
        received = part.stat().st_size
        if total is not None and received != total:
            raise CutOffError(f"{received:,} of {total:,} bytes came in")


def _extent(response: HTTPResponse) -> tuple[int, int | None]:
    """First byte of the response, and the length of the whole file."""
    length = response.headers.get("Content-Length")
    if response.status != 206:
        return 0, int(length) if length is not None and length.isdecimal() else None
    extent, _, total = response.headers.get("Content-Range", "").partition("/")
    start = extent.removeprefix("bytes ").partition("-")[0]
    if not (start.isdigit() and total.isdigit()):
        raise CutOffError("the server does not say which part it sends")
    return int(start), int(total)


def _facts_of(part: Path) -> Path:
    return part.with_suffix(".json")


def _read_facts(part: Path) -> dict[str, Any]:
    try:
        facts = json.loads(_facts_of(part).read_text())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}
