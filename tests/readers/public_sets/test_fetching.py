"""Fetching public sets, from a server on loopback that fails in every way servers do."""

import gzip
import hashlib
import io
import re
import tarfile
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import supersample as ss
from supersample.cli import main
from supersample.readers import public_sets
from supersample.readers.public_sets import PublicSet, RemoteFile

pytest.importorskip("pooch", reason="the extra 'fetch' is not installed")

CONTENT = bytes(range(256)) * 1_000
CHECKSUM = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Serves `server.files`, else `server.content`, and breaks off as `server.cut` says."""

    def do_GET(self):
        server = self.server
        server.asked.append(self.path)
        if self.path.startswith("/silent"):
            server.ended.wait(10)
            return
        content = server.files.get(self.path, server.content)
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: server.cut])

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.content, running.files, running.asked = CONTENT, {}, []
    running.cut, running.ended = None, threading.Event()
    running.at = f"http://127.0.0.1:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    yield running
    running.ended.set()
    running.shutdown()
    running.server_close()
    thread.join()


def one_file(url, sha256=CHECKSUM, name="data.bin"):
    return PublicSet("a test", "nowhere", (RemoteFile(name, url, sha256),))


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_fetched_once(server, tmp_path):
    wanted = one_file(f"{server.at}/x")
    fetched = ss.fetch(wanted, directory=tmp_path / "new")
    assert fetched.files[0].read_bytes() == CONTENT
    assert f"sha256 {CHECKSUM} (as registered)" in fetched.notes[0]
    assert left(tmp_path / "new") == ["data.bin"]
    again = ss.fetch(wanted, directory=tmp_path / "new")
    assert "already exists" in again.notes[0]
    assert len(server.asked) == 1


def test_a_download_that_breaks_off_leaves_nothing_and_is_fetched_again(server, tmp_path):
    server.cut = 70_000
    with pytest.raises(ss.InputError, match=r"could not be fetched .*; no part .* kept.*offline"):
        ss.fetch(one_file(f"{server.at}/x"), directory=tmp_path)
    assert left(tmp_path) == []
    server.cut = None
    fetched = ss.fetch(one_file(f"{server.at}/x"), directory=tmp_path)
    assert fetched.files[0].read_bytes() == CONTENT
    assert left(tmp_path) == ["data.bin"]


def test_what_is_there_is_never_overwritten(server, tmp_path):
    wanted = one_file(f"{server.at}/x")
    (tmp_path / "data.bin").write_bytes(b"changed")
    with pytest.raises(ss.InputError, match="another checksum than the one registered"):
        ss.fetch(wanted, directory=tmp_path)
    note = ss.fetch(one_file(f"{server.at}/x", sha256=""), directory=tmp_path).notes[0]
    assert "already exists" in note
    assert note.endswith("(none is registered)")
    assert (tmp_path / "data.bin").read_bytes() == b"changed"
    assert server.asked == []


def test_offline_it_says_where_to_put_the_file(tmp_path):
    wanted = one_file("http://127.0.0.1:9/x")
    with pytest.raises(ss.InputError) as error:
        ss.fetch(wanted, directory=tmp_path)
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


def test_one_set_is_taken_out_of_an_archive(server, tmp_path):
    server.content = packed(
        **{
            "v2/wmt23/documents/en-de.docs": b"news\td\n",
            "v2/wmt22/documents/en-de.docs": b"other",
            "../outside": b"never",
        }
    )
    file = RemoteFile("v2.tgz", f"{server.at}/v2.tgz")
    wanted = PublicSet("a test", "nowhere", (file,), member="v2/wmt23")
    fetched = ss.fetch(wanted, directory=tmp_path)
    assert fetched.files == (tmp_path / "v2" / "wmt23",)
    there = [path for path in (tmp_path / "v2").rglob("*") if path.is_file()]
    assert there == [tmp_path / "v2" / "wmt23" / "documents" / "en-de.docs"]
    assert not (tmp_path / "outside").exists()
    assert ss.fetch(wanted, directory=tmp_path).notes == (
        f"{tmp_path / 'v2' / 'wmt23'} already exists",
    )
    absent = PublicSet("a test", "nowhere", (file,), member="v2/wmt03")
    with pytest.raises(ss.InputError, match=r"has no v2/wmt03; move it away"):
        ss.fetch(absent, directory=tmp_path)
    assert len(server.asked) == 1


def test_the_cache_is_where_the_environment_says(server, tmp_path, monkeypatch):
    monkeypatch.setenv("SUPERSAMPLE_CACHE", str(tmp_path / "cache"))
    fetched = ss.fetch(one_file(f"{server.at}/x"))
    assert fetched.folder == tmp_path / "cache" / "sets"


FAILURES = [  # what is asked for, and what is said
    (one_file("/silent"), r"could not be fetched \(.*timed out"),
    (one_file("/x", sha256="00"), r"does not match the known hash.*; no part of it is kept"),
    (one_file("file:///etc/passwd"), "could not be fetched"),
]


@pytest.mark.parametrize(("wanted", "message"), FAILURES)
def test_what_a_server_does_wrong_is_said_and_nothing_is_left(
    server, tmp_path, monkeypatch, wanted, message
):
    monkeypatch.setattr(public_sets, "TIMEOUT", 0.2)
    [file] = wanted.files
    there = replace(file, url=f"{server.at}{file.url}" if file.url[0] == "/" else file.url)
    with pytest.raises(ss.InputError, match=message):
        ss.fetch(replace(wanted, files=(there,)), directory=tmp_path)
    assert left(tmp_path) == []


def test_what_is_no_archive_is_said_with_the_way_out(server, tmp_path):
    file = RemoteFile("v2.tgz", f"{server.at}/v2.tgz")
    with pytest.raises(ss.InputError, match=r"v2\.tgz cannot be unpacked: .*; move it away"):
        ss.fetch(PublicSet("a test", "nowhere", (file,), member="v2/wmt23"), directory=tmp_path)
    assert left(tmp_path) == ["v2.tgz"]


@pytest.mark.parametrize(
    "damaged",
    [
        lambda made: gzip.compress(made)[:-4],
        lambda made: gzip.compress(made.replace(b"v2/wmt23/b", b"v2/wmt23/c")),  # a wrong header
        lambda made: gzip.compress(made, 0).replace(b"scores", b"scored"),  # a wrong checksum
    ],
)
def test_of_a_broken_archive_nothing_is_unpacked(server, tmp_path, damaged):
    files = {"v2/wmt23/a": b"scores", "v2/wmt23/b": b"scores"}
    server.content = damaged(gzip.decompress(packed(**files)))
    file = RemoteFile("v2.tgz", f"{server.at}/v2.tgz")
    with pytest.raises(ss.InputError, match=r"v2\.tgz cannot be unpacked: .*; move it away"):
        ss.fetch(PublicSet("a test", "nowhere", (file,), member="v2/wmt23"), directory=tmp_path)
    assert left(tmp_path) == ["v2.tgz"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda to: ss.fetch("wmt03", directory=to), "no public set 'wmt03': did you mean 'wmt"),
        (lambda to: ss.fetch("wmt23", directory=__file__), "cannot be written: File exists"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, call, message):
    with pytest.raises(ss.InputError, match=message):
        call(tmp_path)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "here", "is_command"),
    [
        ("wmt12", "wmt12", True),
        ("wmt14-qe", "wmt14-qe", True),
        ("wmt15", "wmt15", True),
        ("wmt23-esa", "wmt23-esa", False),
        ("newstest2020-mqm", "wmt20", False),
    ],
)
def test_what_is_published_in_a_repository_is_fetched_and_read(
    data_root, server, tmp_path, monkeypatch, capfd, name, here, is_command
):
    github = "https://raw.githubusercontent.com"
    described = ss.public_sets()[name]
    known = [file for file in described.files if file.sha256]
    for file in known:
        assert re.fullmatch(r".*/[0-9a-f]{40}/.*", file.url)
        content = (data_root / here / file.name).read_bytes()
        server.files[file.url.removeprefix(github)] = content
    local = [replace(x, url=x.url.replace(github, server.at)) for x in known]
    fetched = ss.fetch(replace(described, files=tuple(local)), directory=tmp_path)
    assert fetched.folder == tmp_path / name
    assert [file.name for file in fetched.files] == [file.name for file in known]
    assert all(note.endswith("(as registered)") for note in fetched.notes[: len(known)])
    assert fetched.notes[len(known) :] == (
        (f"not fetched, made by hand: {described.by_hand}",) if described.by_hand else ()
    )
    if is_command:
        words = described.read_with.replace("FOLDER", str(fetched.folder)).split()
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code, capfd.readouterr().err
