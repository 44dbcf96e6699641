"""requests' own tests pass with every adapter wrapped, while recording and in a replay."""

import socket
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from tests.http_boundary.foreign_suites import failed_tests, fetch_suite

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
    return fetch_suite("requests", folder, "pytest-httpbin", "trustme", "pysocks")


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
    environment = {
        "SUITE_MODE": mode,
        "HTTPBIN_HTTP_PORT": str(ports[0]),
        "HTTPBIN_HTTPS_PORT": str(ports[1]),
    }
    chosen = ("-k", TARPIT, *(f"tests/{name}" for name in MODULES))
    return failed_tests(suite, "requests_suite_plugin", chosen, environment)
