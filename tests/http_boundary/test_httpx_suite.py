"""httpx's own tests pass with every transport wrapped, while recording and in a replay."""

import socket
from pathlib import Path

import pytest
from tests.http_boundary.foreign_suites import failed_tests, fetch_suite

pytestmark = pytest.mark.slow

MODULES = (
    "client",
    "test_api.py",
    "test_asgi.py",
    "test_multipart.py",
    "test_timeouts.py",
    "test_wsgi.py",
)
"""Those that use clients."""

CHOSEN = "not network"
"""Tests with this mark need the internet."""
TOO_LARGE = "not test_write_timeout"
"""It sends 100 MB, which a session searches for secrets: this takes a minute."""

TRANSPORTS = {
    "test_proxies_environ": "looks at the pool of the real transport",
    "test_proxy_with_mounts": "asks for the very transport that it mounted",
    "test_socks_proxy": "looks at the pool of the real transport",
    "test_transport_for_request": "looks at the pool of the real transport",
}
PLACEHOLDERS = dict.fromkeys(
    (
        "test_async_auth",
        "test_auth_property",
        "test_basic_auth",
        "test_basic_auth_in_url",
        "test_basic_auth_on_session",
        "test_basic_auth_with_stream",
        "test_header_merge",
        "test_header_merge_conflicting_headers",
        "test_host_with_auth_and_port_in_url",
        "test_host_with_non_default_port_in_url",
        "test_netrc_auth_credentials_exist",
        "test_same_domain_https_redirect_with_auth_header",
        "test_same_domain_redirect",
        "test_sync_auth",
    ),
    "expects its credential in a response, where a replay has a placeholder",
)
PEERS = dict.fromkeys(
    (
        "test_asgi_disconnect_after_response_complete",
        "test_context_managed_transport",
        "test_context_managed_transport_and_mount",
        "test_logging",
        "test_wsgi_server_port",
        "test_wsgi_server_protocol",
    ),
    "asks its application or transport what happened to it",
)
REPLAYS = (
    TRANSPORTS
    | PLACEHOLDERS
    | PEERS
    | {
        "test_cancellation_during_stream": "the tape does not hold a KeyboardInterrupt of a stream",
        "test_multipart_header_without_boundary": "the body has a random boundary, the header none",
        "test_multipart_rewinds_files": "sends the number of an open file as its name",
        "test_multipart": "expects its random boundary in a response",
        "test_multipart_file_tuple": "expects its random boundary in a response",
    }
)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tests of the installed httpx, and with what they import."""
    folder = tmp_path_factory.mktemp("httpx")
    return fetch_suite("httpx", folder, "chardet==5.2.0", "socksio", "h2", "uvicorn")


@pytest.fixture(scope="module")
def port() -> int:
    """A free port: a replay asks for the addresses of the recording."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        found: int = server.getsockname()[1]
        return found


def test_httpx_suite_records_and_replays(suite: Path, port: int) -> None:
    assert _failed(suite, port, "all") - TRANSPORTS.keys() == set()
    assert _failed(suite, port, "none") - REPLAYS.keys() == set()


def _failed(suite: Path, port: int, mode: str) -> set[str]:
    """The names of the tests that fail."""
    modules = (f"tests/{name}" for name in MODULES)
    chosen = ("-p", "no:asyncio", "-m", CHOSEN, "-k", TOO_LARGE, *modules)
    environment = {"SUITE_MODE": mode, "SUITE_PORT": str(port)}
    failed = failed_tests(suite, "httpx_suite_plugin", chosen, environment)
    return {name.partition("[")[0] for name in failed}
