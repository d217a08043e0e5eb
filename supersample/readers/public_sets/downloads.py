"""Downloads that resume where they were cut off."""

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
    """The server sent less than it announced."""


class ResumingDownloader:
    """Downloader for pooch: keeps the received part beside the file and resumes it next time.

    The rest must be of the same file: by its ETag or date where the server sends one (If-Range),
    and by its whole length. A server without ranges sends everything again.
    """

    def __init__(self, folder: Path, *, progress: bool = False) -> None:
        self._folder = folder
        self._progress = progress

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
            response = urllib.request.urlopen(request, timeout=TIMEOUT)
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
            while block := response.read(_BLOCK):
                stream.write(block)
                kept += len(block)
                show(kept, total or kept)
        received = part.stat().st_size
        if total is not None and received != total:
            raise CutOffError(f"{received:,} of {total:,} bytes came in")


def _extent(response: HTTPResponse) -> tuple[int, int | None]:
    """First byte of the response, and the length of the whole file."""
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
