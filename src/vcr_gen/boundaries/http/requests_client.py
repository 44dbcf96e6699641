"""The front for requests: an adapter to mount in a session."""

import io
from collections.abc import Iterator, Mapping
from http.client import HTTPResponse
from typing import Any, Final, final

from requests import PreparedRequest, RequestException, Response
from requests.adapters import BaseAdapter, HTTPAdapter
from urllib3.util import Retry

from vcr_boundaries import VcrHttp
from vcr_gen import Cassette
from vcr_gen.boundaries.http.content_encoding import Decoder
from vcr_gen.boundaries.http.exchanges import (
    HttpError,
    HttpRequest,
    HttpResponse,
    describe_request,
)
from vcr_gen.boundaries.http.framing import SizeLine
from vcr_gen.boundaries.http.library_failures import error_of, failure_of
from vcr_gen.boundaries.http.urllib3_bodies import joined, pieces_of
from vcr_gen.boundaries.http.urllib3_responses import raw_response

_BLOCK: Final = 1 << 14
"""In what pieces urllib3 reads a file that it sends."""
_WHOLE: Final = (str, bytes, bytearray, memoryview)
_VERSIONS: Final = {10: "HTTP/1.0", 20: "HTTP/2"}


@final
class Adapter(BaseAdapter):
    """Records and replays the requests of a `Session`."""

    def __init__(self, cassette: Cassette, inner: BaseAdapter | None = None) -> None:
        super().__init__()
        self._inner = (inner or HTTPAdapter()) if cassette.calls_real else None
        self._builder = HTTPAdapter()
        self._http = VcrHttp.attach(cassette, lambda: _Bridge(self._inner))

    def send(  # noqa: PLR0917  # the signature is the base class's
        self,
        request: PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> Response:
        """Answer a request: from the network while recording, from the tape in a replay."""
        options = {"timeout": timeout, "verify": verify, "cert": cert, "proxies": proxies}
        sent = _Sent(request, options, in_pieces=stream)
        items: Any = self._http.exchange(sent.described(), native=sent)
        try:
            head = next(items)
        except HttpError as failed:
            error = error_of(failed)
        else:
            return self._response(request, head, items)
        if isinstance(error, RequestException):
            error.request = request
        raise error

    def close(self) -> None:
        """Close the real adapter, if there is one."""
        if self._inner is not None:
            self._inner.close()

    def _response(self, request: PreparedRequest, head: HttpResponse, items: Any) -> Response:
        raw = raw_response(request.method, head, items)
        raw.url = request.path_url
        raw.retries = (head.extensions or {}).get("retries") or Retry(0, read=False)
        response = self._builder.build_response(request, raw)
        made: Any = response
        made.connection = self  # digest authentication sends its second request through it
        return response


@final
class _Sent:
    """A request of the program, whose body has been read."""

    def __init__(self, request: PreparedRequest, options: dict[str, Any], in_pieces: bool) -> None:
        self._request = request
        self._parts = _parts(request.body)
        self.options = options
        self.in_pieces = in_pieces
        """Whether the program reads the response in pieces, and not at once."""

    def described(self) -> HttpRequest:
        request = self._request
        headers = [(_encoded(name), _encoded(value)) for name, value in request.headers.items()]
        content = b"".join(
            part.encode() if isinstance(part, str) else bytes(part) for part in self._parts
        )
        return describe_request(request.method or "", request.url or "", headers, content)

    def copy(self) -> Any:
        """The request to send; the program's own request is consumed as it is without vcr-gen."""
        copied: Any = self._request.copy()
        body = copied.body
        if hasattr(body, "read"):
            is_text = any(isinstance(part, str) for part in self._parts)
            copied.body = (
                io.StringIO("".join(self._parts)) if is_text else io.BytesIO(b"".join(self._parts))
            )
        elif body is not None and not isinstance(body, _WHOLE):
            copied.body = iter(self._parts) if isinstance(body, Iterator) else self._parts
        return copied


@final
class _Bridge:
    """Sends requests through a real adapter."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def exchange(self, request: HttpRequest, *, native: _Sent) -> Iterator[HttpResponse | bytes]:
        try:
            response = self._inner.send(native.copy(), stream=True, **native.options)
        except Exception as error:
            raise failure_of(error) from None
        try:
            head = _head(response)
            yield head
            decoder = Decoder(head.headers)
            pieces = pieces_of(response.raw)
            for piece in pieces if native.in_pieces else joined(pieces):
                if isinstance(piece, SizeLine):
                    yield piece
                else:
                    yield from decoder.decode(piece)
        except Exception as error:
            raise failure_of(error) from None
        finally:
            response.close()


def _head(response: Response) -> HttpResponse:
    raw = response.raw
    parsed = getattr(raw, "_original_response", None)
    headers: Any = response.headers  # without the order of the real ones
    if isinstance(parsed, HTTPResponse):
        headers = parsed.headers
    return HttpResponse(
        status=response.status_code,
        reason=response.reason,
        version=_VERSIONS.get(getattr(raw, "version", 11), "HTTP/1.1"),
        headers=tuple((_encoded(name), _encoded(value)) for name, value in headers.items()),
        extensions={"retries": getattr(raw, "retries", None)},
    )


def _encoded(text: str | bytes) -> bytes:
    """The text of a header as it travels."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:  # cannot be sent: the real adapter refuses it
        return text.encode("utf-8", "surrogateescape")


def _parts(body: Any) -> list[Any]:
    """The body of a request, read in the way of urllib3; of texts, or of bytes."""
    if body is None:
        return []
    if isinstance(body, _WHOLE):
        return [body]
    return list(_blocks(body) if hasattr(body, "read") else body)


def _blocks(file: Any) -> Iterator[Any]:
    while block := file.read(_BLOCK):
        yield block
