"""Runs `vcr-gen http proxy` and the servers that programs behind it talk to."""

import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import trustme
from http_endpoints import Server

PYTEST: Final = (
    *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
    *("-p", "vcr_gen.pytest_plugin"),
)
"""A pytest with our plugin alone: those of our own tools are slow to load."""

AUTHORITY: Final = trustme.CA()
"""The authority of our https servers, which no program trusts without being told."""
PROXY: Final = (sys.executable, "-m", "vcr_gen", "http", "proxy", "-o", "tape.yaml")


class SecureServer(Server):
    """The same endpoints over https."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__()

    def _talk(self, connection: Any) -> None:
        try:
            secure = self._context.wrap_socket(connection, server_side=True)
        except OSError:
            connection.close()
        else:
            super()._talk(secure)


@contextmanager
def serving(scheme: str = "http") -> Iterator[str]:
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


def run(
    folder: Path, *command: str, code: int = 0, **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command in a folder; it must end with this code."""
    left_out = ("CI", "VCR_RECORD", "SSL_CERT_FILE")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done


def run_proxy(
    folder: Path, *arguments: str, mode: str = "once", code: int = 0, **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run `vcr-gen http proxy -o tape.yaml` with more arguments."""
    options = ("--mode", mode) if mode else ()
    return run(folder, *PROXY, *options, *arguments, code=code, **variables)
