"""Fetching public sets, from a server on loopback that fails in every way servers do."""

import hashlib
import io
import re
import tarfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.request import Request, urlopen

import pytest

import supersample as ss
from supersample.cli import main
from supersample.execution.stores import places
from supersample.readers.public_sets import PublicSet, RemoteFile, fetching

CONTENT = bytes(range(256)) * 1_000
CHECKSUM = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Serves `server.content` with ranges, and breaks off as `server.cut` says."""

    def do_GET(self):
        server = self.server
        server.asked.append((self.path, self.headers.get("Range"), self.headers.get("If-Range")))
        if self.path.startswith("/broken"):
            self.send_error(503)
            return
        if server.dribbles:
            with suppress(OSError):
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                while True:
                    self.wfile.write(b"X: y\r\n")
                    time.sleep(server.dribbles)
            return
        content, start = server.files.get(self.path, server.content), 0
        wanted = self.headers.get("Range")
        same = self.headers.get("If-Range") in (None, server.etag)
        if wanted and server.ranges and same:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        if server.etag:
            self.send_header("ETag", server.etag)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        cut = server.cut.pop(0) if server.cut else None
        self.wfile.write(content[start:] if cut is None else content[start : start + cut])

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.content, running.etag, running.ranges = CONTENT, '"one"', True
    running.cut, running.asked, running.dribbles, running.files = [], [], 0, {}
    running.at = f"http://127.0.0.1:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def one_file(*urls, sha256=CHECKSUM, name="data.bin"):
    return PublicSet("a test", "nowhere", (RemoteFile(name, urls, sha256),))


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_fetched_once(server, tmp_path):
    wanted = one_file(f"{server.at}/x")
    fetched = ss.fetch(wanted, to=tmp_path / "new")
    assert fetched.files[0].read_bytes() == CONTENT
    assert f"sha256 {CHECKSUM} (as registered)" in fetched.notes[0]
    assert left(tmp_path / "new") == ["data.bin", "data.bin.sha256"]
    again = ss.fetch(wanted, to=tmp_path / "new")
    assert "already exists" in again.notes[0]
    assert len(server.asked) == 1


def test_mirrors_are_tried_in_turn(server, tmp_path):
    wanted = one_file(f"{server.at}/broken", f"{server.at}/x")
    fetched = ss.fetch(wanted, to=tmp_path, mirrors=["http://127.0.0.1:9/mirror"])
    assert fetched.files[0].read_bytes() == CONTENT
    assert [path for path, _, _ in server.asked] == ["/broken", "/x"]
    assert f"from {server.at}/x" in fetched.notes[0]


def test_a_download_that_breaks_off_goes_on(server, tmp_path):
    server.cut = [70_000, 100_000]
    fetched = ss.fetch(one_file(f"{server.at}/x"), to=tmp_path)
    assert fetched.files[0].read_bytes() == CONTENT
    assert [(wanted, unless) for _, wanted, unless in server.asked] == [
        (None, None),
        ("bytes=70000-", '"one"'),
        ("bytes=170000-", '"one"'),
    ]


def test_what_came_in_is_kept_for_another_day(server, tmp_path):
    server.cut = [50_000, 10, 10]
    with pytest.raises(ss.InputError, match=r"50,020 of 256,000 bytes came in.*offline.*kept"):
        ss.fetch(one_file(f"{server.at}/x"), to=tmp_path)
    assert not (tmp_path / "data.bin").exists()
    fetched = ss.fetch(one_file(f"{server.at}/x"), to=tmp_path)
    assert server.asked[-1][1] == "bytes=50020-"
    assert fetched.files[0].read_bytes() == CONTENT
    assert left(tmp_path) == ["data.bin", "data.bin.sha256"]


@pytest.mark.parametrize("case", ["no ranges", "another file", "a shorter file", "no etag"])
def test_a_part_of_another_file_is_not_gone_on_with(server, tmp_path, case):
    server.cut = [50_000]
    if case == "no etag":
        server.etag = None
    start = one_file(f"{server.at}/x", sha256="")
    monkey = fetching.ATTEMPTS
    fetching.ATTEMPTS = 1
    try:
        with pytest.raises(ss.InputError, match="50,000 of 256,000"):
            ss.fetch(start, to=tmp_path)
    finally:
        fetching.ATTEMPTS = monkey
    if case == "no ranges":
        server.ranges = False
    elif case == "another file":
        server.content, server.etag = CONTENT[::-1], '"two"'
    elif case == "a shorter file":
        server.content, server.etag = CONTENT[:1000], None
    elif case == "no etag":
        server.content = CONTENT[::-1] + b"longer"
    fetched = ss.fetch(start, to=tmp_path)
    assert fetched.files[0].read_bytes() == server.content


def test_a_wrong_checksum_leaves_nothing(server, tmp_path):
    with pytest.raises(ss.InputError, match="its checksum is not 00; no part of it is kept"):
        ss.fetch(one_file(f"{server.at}/x"), to=tmp_path, sha256="00")
    assert left(tmp_path) == []


def test_a_checksum_that_nobody_knows_is_recorded_and_held_to(server, tmp_path):
    wanted = one_file(f"{server.at}/x", sha256="")
    fetched = ss.fetch(wanted, to=tmp_path)
    assert "recorded now; no earlier one to compare with" in fetched.notes[0]
    assert (tmp_path / "data.bin.sha256").read_text() == f"{CHECKSUM}  data.bin\n"
    (tmp_path / "data.bin").write_bytes(b"changed")
    with pytest.raises(ss.InputError, match="the one recorded at the first download is"):
        ss.fetch(wanted, to=tmp_path)
    assert (tmp_path / "data.bin").read_bytes() == b"changed"  # never overwritten


def test_offline_it_says_where_to_put_the_file(tmp_path):
    wanted = one_file("http://127.0.0.1:9/x", "http://nowhere.invalid/x")
    with pytest.raises(ss.InputError) as error:
        ss.fetch(wanted, to=tmp_path)
    assert str(error.value).startswith("data.bin could not be fetched (http://127.0.0.1:9/x: ")
    assert f"put it at {tmp_path / 'data.bin'}" in str(error.value)


def packed(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        link = tarfile.TarInfo("v2/wmt23/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


def test_what_unpacks_to_far_more_is_refused_and_nothing_is_left(server, tmp_path):
    files = {f"v2/wmt23/{i}": bytes(2**20) for i in range(80)}
    server.content = packed(**files, **{"v2/other": b""})
    file = RemoteFile("v2.tgz", (f"{server.at}/v2.tgz",))
    wanted = PublicSet("a test", "nowhere", (file,), member="v2/wmt23")
    with pytest.raises(ss.InputError, match="unpacks to more than 200 times its size"):
        ss.fetch(wanted, to=tmp_path)
    assert not list(tmp_path.rglob("*wmt23*"))


def test_names_that_a_terminal_obeys_are_passed_over(server, tmp_path):
    server.content = packed(**{"v2/wmt23/a": b"1", "v2/wmt23/b\x1b[2J": b"2", "v2\n/x": b"3"})
    file = RemoteFile("v2.tgz", (f"{server.at}/v2.tgz",))
    wanted = PublicSet("a test", "nowhere", (file,), member="v2/wmt23")
    [folder] = ss.fetch(wanted, to=tmp_path).files
    assert [path.name for path in folder.iterdir()] == ["a"]
    with pytest.raises(ss.InputError, match=r"has no v2/none; there is v2.n/x, v2/wmt23"):
        ss.fetch(PublicSet("a", "b", (file,), member="v2/none"), to=tmp_path)


def test_one_set_is_taken_out_of_an_archive(server, tmp_path):
    server.content = packed(
        **{
            "v2/wmt23/documents/en-de.docs": b"news\td\n",
            "v2/wmt22/documents/en-de.docs": b"other",
            "v2/wmt23/../../outside": b"never",
        }
    )
    file = RemoteFile("v2.tgz", (f"{server.at}/v2.tgz",))
    wanted = PublicSet("a test", "nowhere", (file,), member="v2/wmt23")
    fetched = ss.fetch(wanted, to=tmp_path)
    assert fetched.files == (tmp_path / "v2" / "wmt23",)
    there = [path for path in (tmp_path / "v2").rglob("*") if path.is_file()]
    assert there == [tmp_path / "v2" / "wmt23" / "documents" / "en-de.docs"]
    assert not (tmp_path / "outside").exists()
    assert ss.fetch(wanted, to=tmp_path).notes == (f"{tmp_path / 'v2' / 'wmt23'} already exists",)
    absent = PublicSet("a test", "nowhere", (file,), member="v2/wmt03")
    with pytest.raises(ss.InputError, match=r"has no v2/wmt03; there is v2/wmt22, v2/wmt23"):
        ss.fetch(absent, to=tmp_path)
    assert len(server.asked) == 1


def test_what_is_no_archive_is_said(server, tmp_path):
    file = RemoteFile("v2.tgz", (f"{server.at}/v2.tgz",))
    with pytest.raises(ss.InputError, match=r"v2.tgz cannot be unpacked"):
        ss.fetch(PublicSet("", "", (file,), member="v2/wmt23"), to=tmp_path)


def test_the_cache_is_where_the_environment_says(server, tmp_path, monkeypatch):
    monkeypatch.setenv("SUPERSAMPLE_CACHE", str(tmp_path / "cache"))
    fetched = ss.fetch(one_file(f"{server.at}/x"))
    assert fetched.folder == tmp_path / "cache" / "sets"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda to: ss.fetch("wmt03", to=to), "no public set 'wmt03': did you mean 'wmt"),
        (lambda to: ss.fetch("wmt23-esa", to=to, sha256="00"), "this set has several"),
        (lambda to: ss.fetch(one_file("file:///etc/passwd"), to=to), "not a web address"),
        (lambda to: ss.fetch("wmt23", to=__file__), "cannot be made"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, call, message):
    with pytest.raises(ss.InputError, match=message):
        call(tmp_path)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "here", "read"),
    [
        ("wmt12", "wmt12", ["rank"]),
        ("wmt14-qe", "wmt14-qe", []),
        ("wmt15", "wmt15", ["rank"]),
        ("wmt23-esa", "wmt23-esa", None),
        ("newstest2020-mqm", "wmt20", None),
    ],
)
def test_what_is_published_in_a_repository_is_fetched_and_read(
    data_root, server, tmp_path, monkeypatch, capfd, name, here, read
):
    github = "https://raw.githubusercontent.com"
    described = ss.public_sets()[name]
    known = [file for file in described.files if file.sha256]
    for file in known:
        assert re.fullmatch(r".*/[0-9a-f]{40}/.*", file.urls[0])
        content = (data_root / here / file.name).read_bytes()
        server.files[file.urls[0].removeprefix(github)] = content
    local = [replace(x, urls=(x.urls[0].replace(github, server.at),)) for x in known]
    fetched = ss.fetch(replace(described, files=tuple(local)), to=tmp_path)
    assert fetched.folder == tmp_path / name
    assert [file.name for file in fetched.files] == [file.name for file in known]
    assert all(note.endswith("(as registered)") for note in fetched.notes[: len(known)])
    assert fetched.notes[len(known) :] == (
        (f"not fetched, made by hand: {described.by_hand}",) if described.by_hand else ()
    )
    if read is not None:
        words = described.read_with.replace("FOLDER", str(fetched.folder)).split()
        with pytest.raises(SystemExit) as ended:
            main([*read, *words] if read else words[1:])
        assert not ended.value.code, capfd.readouterr().err


def test_a_server_that_hardly_sends_is_left(server, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "TIMEOUT", -1.0)
    monkeypatch.setattr(fetching, "SLOWEST", 2**60)
    monkeypatch.setattr(fetching, "_BLOCK", 1_000)  # not all at once
    without_timeout = SimpleNamespace(open=lambda request, timeout: urlopen(request))
    monkeypatch.setattr(fetching, "build_opener", lambda *handlers: without_timeout)
    with pytest.raises(TimeoutError, match="bytes a second come in"):
        fetching.download(f"{server.at}/x", tmp_path / "out", CHECKSUM)


def test_a_server_that_dribbles_its_headers_is_left(server, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "TIMEOUT", 0.2)
    monkeypatch.setattr(fetching, "ATTEMPTS", 2)
    server.dribbles = 0.05
    with pytest.raises(TimeoutError, match=r"no headers of an answer within 0\.2 s"):
        fetching.download(f"{server.at}/x", tmp_path / "out", CHECKSUM)
    assert len(server.asked) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["http://b/x", "ftp://b/x"])
def test_encryption_is_not_given_up_for_what_nobody_can_check(target):
    follow = fetching._NeverLessSecure().redirect_request
    with pytest.raises(ss.InputError, match=r"https://a/x redirects to .*, without encryption"):
        follow(Request("https://a/x"), None, 302, "", {}, target)
    assert follow(Request("https://a/x"), None, 302, "", {}, "https://b/x").full_url
    assert follow(Request("http://a/x"), None, 302, "", {}, "http://b/x").full_url


def test_a_whole_part_is_put_in_place_and_a_second_process_is_refused(server, tmp_path):
    path = tmp_path / "data.bin"
    url = f"{server.at}/data.bin"
    digest = hashlib.sha256(url.encode()).hexdigest()[:12]
    part = tmp_path / f".{digest}.part"
    part.write_bytes(CONTENT)
    part.with_suffix(".tag").write_text(f'{len(CONTENT)}\n"v1"')
    with places.lock_file(part.with_suffix(".lock"), exclusive=True) as free:
        assert free
        with pytest.raises(ss.InputError, match="another process is fetching"):
            fetching.download(url, path)
    assert fetching.download(url, path) == CHECKSUM
    assert server.asked == []
    assert left(tmp_path) == ["data.bin"]
