"""Real programs, in Python and not, record and replay through `vcr-gen http proxy`."""

import os
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
from http_endpoints import Server, path_of
from proxied_programs import PROGRAMS, write_programs

NAMES = (
    "json in pieces",
    "sse",
    "until closed",
    "no content",
    "duplicate headers",
    "post json",
    "not found",
    "reset in the body",
    "truncated",
)


class SecureServer(Server):
    """The same endpoints over https."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__()

    def _talk(self, connection: ssl.SSLSocket) -> None:
        try:
            secure = self._context.wrap_socket(connection, server_side=True)
        except OSError:
            connection.close()
        else:
            super()._talk(secure)


AUTHORITY = trustme.CA()


@contextmanager
def serving(scheme: str) -> Iterator[str]:
    """The address of a running server."""
    if scheme == "http":
        server = Server()
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        AUTHORITY.issue_cert("localhost").configure_cert(context)
        server = SecureServer(context)
    try:
        yield f"{scheme}://localhost:{server.port}"
    finally:
        server.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_programs(tmp_path)
    AUTHORITY.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    return tmp_path


def environment(**variables: str) -> Mapping[str, str]:
    names = ("CI", "VCR_RECORD", "SSL_CERT_FILE")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return {**kept, **variables}


def run(
    folder: Path, *command: str, code: int = 0, **variables: str
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, done.stderr if code else "")
    return done


def run_proxy(
    folder: Path, *arguments: str, code: int = 0, **variables: str
) -> "subprocess.CompletedProcess[str]":
    proxy = (sys.executable, "-m", "vcr_gen", "http", "proxy", "-o", "tape.yaml")
    return run(folder, *proxy, *arguments, code=code, **variables)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_sees_the_same(folder: Path, program: str, scheme: str) -> None:
    trust = {"SSL_CERT_FILE": "authority.pem", "CURL_CA_BUNDLE": "authority.pem"}
    with serving(scheme) as base:
        command = [*PROGRAMS[program], *(base + path_of(name) for name in NAMES)]
        live = run(folder, *command, NODE_EXTRA_CA_CERTS="authority.pem", **trust)
        recorded = run_proxy(folder, "--ca-file", "authority.pem", "--", *command)
    replayed = run_proxy(folder, "--mode", "none", "--", *command)
    assert live.stdout.count("==") == len(NAMES)
    assert live.stdout == recorded.stdout
    assert live.stdout == replayed.stdout
