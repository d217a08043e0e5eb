"""Buckets of a real S3 server on this machine, and processes that are killed at work on a run."""

import os
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

import supersample as ss
from supersample.execution.stores import Bucket, file_system
from tests.stores import SCORES, contents, forked

_SERVER = """
import sys
from logging import ERROR, getLogger
from threading import Thread
from moto.server import create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

getLogger("werkzeug").setLevel(ERROR)
WSGIRequestHandler.protocol_version = "HTTP/1.1"  # connections are kept
WSGIRequestHandler.disable_nagle_algorithm = True
server = make_server("127.0.0.1", 0, create_backend_app("s3"), threaded=True)
Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.port}", flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def bucket():
    """URL of a bucket, empty at first, of a server in a process of its own."""
    if find_spec("moto") is None:
        pytest.skip("moto, an S3 server, is not installed")
    pytest.importorskip("s3fs", reason="the extra s3 is not installed")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        subprocess.Popen([sys.executable, "-c", _SERVER], text=True, **pipes) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        address = server.stdout.readline().strip()
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "any")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ENDPOINT_URL", address)
        file_system.cache_clear()  # which may know another server
        file_system("s3", os.getpid()).mkdir("runs")
        yield "s3://runs"
        file_system.cache_clear()
        server.stdin.close()


def assert_same(url, path):
    """All that a local store has, byte by byte."""
    expected = {
        f"{url.removeprefix('s3://')}/{name}": file for name, file in contents(path).items()
    }
    assert file_system("s3", os.getpid()).cat([*expected]) == expected


def run_in(url, options, killed_after, environment):
    """Work on a run, until a file has been put or to the end."""
    os.environ.update(environment)  # the server of forks may be older than that of the bucket
    put = Bucket.put

    def put_and_die(self, file, *content, **how):
        put(self, file, *content, **how)
        if f"{self}/{file}".endswith(killed_after):
            os.kill(os.getpid(), signal.SIGKILL)

    Bucket.put = put if killed_after is None else put_and_die
    ss.hybrids.run_hybrids(SCORES, url, workers="synchronous", **options)


def process_in(url, options, killed_after=None):
    """Start a process that works on a run, and is killed when a file has been put."""
    environment = {name: os.environ[name] for name in os.environ if name.startswith("AWS_")}
    process = forked().Process(target=run_in, args=(url, options, killed_after, environment))
    process.start()
    return process
