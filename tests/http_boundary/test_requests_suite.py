"""requests' own tests pass with every adapter wrapped, while recording and in a replay."""

import os
import socket
import subprocess
import sys
import tarfile
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree import ElementTree

import pytest
import requests

pytestmark = pytest.mark.slow

TARPIT = "not connect_timeout and not total_timeout_connect"
"""Without the tests that need an address in the internet that never answers."""
MODULES = ("test_lowlevel.py", "test_requests.py", "test_testserver.py")

ADAPTERS = {
    "test_session_get_adapter_*": "asks for the very adapter that it mounted",
    "test_session_pickling": "an open cassette cannot be pickled",
    "test_redirect_with_wrong_gzipped_header": "changes a method of the real adapter",
    "test_session_close_proxy_clear": "reads an attribute of the real adapter",
    "test_different_connection_pool_*": "reads an attribute of the real adapter, or of its server",
}
SERVERS = {
    "test_use_proxy_from_environment*": "asks its server what it received",
    "test_redirect_rfc1808_to_non_ascii_location": "asks its server what it received",
    "test_chunked_upload_doesnt_skip_host_header": "expects the port of this run in a response",
    "test_cookie_quote_wrapped": "a quoted cookie is redacted in the response alone",
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tests of the installed requests, and with what they import."""
    folder = tmp_path_factory.mktemp("requests")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    source = ("--no-deps", "--no-binary=requests", f"requests=={requests.__version__}")
    subprocess.run([*pip, "download", *source, "--dest", folder], check=True, timeout=300)
    more = ("pytest-httpbin", "trustme", "pysocks")
    subprocess.run([*pip, "install", "--target", folder / "more", *more], check=True, timeout=300)
    with tarfile.open(next(folder.glob("requests-*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    """Two free ports: a replay asks for the addresses of the recording."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def test_requests_suite_records_and_replays(suite: Path, ports: tuple[int, int]) -> None:
    assert _unexpected(_failed(suite, ports, "all"), ADAPTERS) == []
    assert _unexpected(_failed(suite, ports, "none"), ADAPTERS | SERVERS) == []


def _unexpected(failed: list[str], causes: dict[str, str]) -> list[str]:
    return [name for name in failed if not any(fnmatchcase(name, each) for each in causes)]


def _failed(suite: Path, ports: tuple[int, int], mode: str) -> list[str]:
    """The names of the tests that fail."""
    (source,) = suite.glob("requests-*/tests")
    here = Path(__file__).parent
    environment = {
        **os.environ,
        "SUITE_MODE": mode,
        "SUITE_CASSETTES": str(suite / "cassettes"),
        "HTTPBIN_HTTP_PORT": str(ports[0]),
        "HTTPBIN_HTTPS_PORT": str(ports[1]),
        "PYTHONPATH": os.pathsep.join((str(here), str(suite / "more"))),
    }
    report = suite / f"{mode}.xml"
    plugins = ("-p", "requests_suite_plugin", "-p", "no:cacheprovider")
    chosen = ("-k", TARPIT, *(source / name for name in MODULES))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *plugins, *chosen],
        cwd=source.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert " passed" in done.stdout, done.stdout + done.stderr
    cases = ElementTree.parse(report).iter("testcase")
    return [
        case.get("name", "")
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]
