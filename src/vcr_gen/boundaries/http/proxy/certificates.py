"""A throw-away certificate authority: its clients accept the proxy as any https server."""

import ssl
import threading
from typing import final

import trustme


@final
class Authority:
    """Issues a certificate for each host that a client asks for."""

    def __init__(self) -> None:
        self._authority = trustme.CA(organization_name="vcr-gen http proxy")
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._lock = threading.Lock()

    @property
    def certificate(self) -> bytes:
        """The certificate that clients must trust, as PEM."""
        return self._authority.cert_pem.bytes()

    def server_context(self, host: str) -> ssl.SSLContext:
        """The context in which the proxy speaks as this host."""
        with self._lock:
            if host not in self._contexts:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.set_alpn_protocols(["http/1.1"])
                self._authority.issue_cert(host).configure_cert(context)
                self._contexts[host] = context
            return self._contexts[host]
