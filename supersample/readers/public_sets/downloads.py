"""Downloads that go on where they were cut off."""

import hashlib
import json
import shutil
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any

from supersample.errors import InputError
from supersample.execution.progress import counting

ATTEMPTS = 3
TIMEOUT = 30.0
_BLOCK = 2**20
FAILURES = (urllib.error.URLError, HTTPException, ConnectionError, TimeoutError)


class CutOffError(ConnectionError):
    """The server sent less than it said it would."""


class ResumingDownloader:
    """Downloader for pooch: keeps what came in beside the file, and asks for the rest next time.

    What came in is asked to be the same file still: by its ETag or date where the server says
    one (If-Range), and by its whole length. A server that knows no ranges sends everything again.
    """

    def __init__(self, folder: Path, *, progress: bool = False) -> None:
        self._folder = folder
        self._progress = progress

    def __call__(self, url: str, output_file: Any, pooch: Any) -> None:
        """Download `url` to `output_file`.

        Raises
        ------
        OSError
            If it cannot be reached, or broke off several times; what came in is kept.
        """
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
        """Ask for what is missing and add it to the part."""
        facts = _read_facts(part)
        there = part.stat().st_size if part.exists() and facts else 0
        if facts.get("total") == there and there:
            return
        request = urllib.request.Request(url)
        if there:
            request.add_header("Range", f"bytes={there}-")
            if facts.get("validator"):
                request.add_header("If-Range", str(facts["validator"]))
        try:
            response = urllib.request.urlopen(request, timeout=TIMEOUT)
        except urllib.error.HTTPError as error:
            if error.code != 416:
                raise
            part.unlink(missing_ok=True)  # the file there is another by now
            raise CutOffError("the server has not as much as came in before") from error
        with response:
            self._add(response, part, there, facts)

    def _add(self, response: HTTPResponse, part: Path, there: int, facts: dict[str, Any]) -> None:
        start, total = _extent(response)
        if start != there or (start and facts.get("total") != total):
            if start:
                part.unlink(missing_ok=True)
                raise CutOffError("the server sends another part than was asked for")
            there = 0
        validator = response.headers.get("ETag") or response.headers.get("Last-Modified")
        if validator and validator.startswith("W/"):
            validator = None  # a weak one does not promise the same bytes
        _facts_of(part).write_text(json.dumps({"total": total, "validator": validator}))
        with (
            part.open("ab" if there else "wb") as stream,
            counting("download" if self._progress else None) as show,
        ):
            while block := response.read(_BLOCK):
                stream.write(block)
                there += len(block)
                show(there, total or there)
        received = part.stat().st_size
        if total is not None and received != total:
            raise CutOffError(f"{received:,} of {total:,} bytes came in")


def _extent(response: HTTPResponse) -> tuple[int, int | None]:
    """Where what is sent begins, and the length of the whole."""
    length = response.headers.get("Content-Length")
    if response.status != 206:
        return 0, None if length is None else int(length)
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
