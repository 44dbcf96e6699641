"""The proxy: it listens on loopback, and records or replays what clients send through it."""

import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Final, Self, final

from vcr_boundaries import VcrHttp
from vcr_gen import Cassette
from vcr_gen.boundaries.http.proxy.certificates import Authority
from vcr_gen.boundaries.http.proxy.client_connection import ClientConnection
from vcr_gen.boundaries.http.proxy.upstream import Upstream

_PROXY_VARIABLES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy")
_TRUST_VARIABLES: Final = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)
_OTHER_VARIABLES: Final = {"NO_PROXY": "", "no_proxy": "", "NODE_USE_ENV_PROXY": "1"}
_SECONDS_TO_END: Final = 5.0


@final
class HttpProxy:
    """Records and replays the requests of all programs that have `environment`.

    Clients may open connections in any order, so the cassette is best opened with `order="lanes"`.
    """

    def __init__(self, cassette: Cassette, *, ca_file: str | PathLike[str] | None = None) -> None:
        """`ca_file` names authorities that real servers may have besides the usual ones."""
        self._ca_file = ca_file
        self._authority = Authority()
        self._http = VcrHttp.attach(cassette, self._upstream)
        self._connections: dict[threading.Thread, ClientConnection] = {}
        self._lock = threading.Lock()
        self.complaints: list[str] = []
        """Failures between the clients and the proxy itself."""
        self.was_reached = False
        """Whether any client connected to it."""
        self.environment: Mapping[str, str] = {}
        """The variables that send the requests of a program through the proxy."""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="vcr-gen-proxy-")
        trusted = Path(self._folder.name, "authorities.pem")
        trusted.write_bytes(self._authorities())
        self._listener = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.environment = {
            **dict.fromkeys(_PROXY_VARIABLES, url),
            **dict.fromkeys(_TRUST_VARIABLES, str(trusted)),
            **_OTHER_VARIABLES,
        }
        self._acceptor = threading.Thread(target=self._accept, name="http proxy", daemon=True)
        self._acceptor.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()
        until = time.monotonic() + _SECONDS_TO_END
        self._acceptor.join(_SECONDS_TO_END)
        with self._lock:
            open_now = dict(self._connections)
        for connection in open_now.values():
            connection.stop()
        for thread in open_now:
            thread.join(max(0.0, until - time.monotonic()))
        self._folder.cleanup()

    def _upstream(self) -> Upstream:
        """The bridge; it trusts what this process trusts, before `environment` changes that."""
        trust = ssl.create_default_context()
        if self._ca_file is not None:
            trust.load_verify_locations(self._ca_file)
        return Upstream(trust)

    def _authorities(self) -> bytes:
        """The certificates for clients: the proxy's, and those that they trust without it."""
        usual = ssl.get_default_verify_paths().cafile
        files = [Path(file) for file in (usual, self._ca_file) if file is not None]
        return b"\n".join([self._authority.certificate, *(file.read_bytes() for file in files)])

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.was_reached = True
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = ClientConnection(
                client, self._http, self._authority, self.complaints.append
            )
            thread = threading.Thread(
                target=self._serve, args=(connection,), name="http proxy connection", daemon=True
            )
            with self._lock:
                self._connections[thread] = connection
            thread.start()

    def _serve(self, connection: ClientConnection) -> None:
        try:
            connection.serve()
        finally:
            with self._lock:
                self._connections.pop(threading.current_thread(), None)
