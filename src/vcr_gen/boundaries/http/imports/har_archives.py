"""Reads HTTP archives (HAR), which browsers, proxies and other tools export."""

import base64
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from vcr_gen.boundaries.foreign_documents import Document, read_json
from vcr_gen.boundaries.http.bodies import multipart_boundary
from vcr_gen.boundaries.http.exchanges import RawHeaders
from vcr_gen.boundaries.http.imports.imported_exchanges import (
    Import,
    ImportedExchange,
    header_bytes,
)

_SWITCHED: Final = 101


def read_har(path: Path) -> Import:
    """Read an archive. Headers are not compared: a browser's are not those of a program."""
    document = read_json(path)
    if "log" not in document or "entries" not in document["log"]:
        raise document.wrong("an HTTP archive, with `log.entries`")
    exchanges, skipped = [], []
    for entry in document["log"]["entries"].entries():
        problem = _problem(entry)
        if problem:
            skipped.append(f"{entry.name}: {problem}")
        else:
            exchanges.append(_exchange(entry))
    return Import(tool="har", exchanges=exchanges, headers=(), skipped=skipped)


def _problem(entry: Document) -> str:
    """Why an entry is not an exchange that a program could make; empty if it is one."""
    request, response = entry["request"], entry["response"]
    url, status = request["url"].text(), response["status"].number()
    if not url.startswith(("http://", "https://")):
        return f"not HTTP: {url.partition(':')[0]}:"
    if status == _SWITCHED:
        return "a WebSocket"
    if status <= 0:
        return "it has no response"
    content = response["content"]
    if "size" in content and content["size"].value > 0 and "text" not in content:
        return "the archive does not have the body of its response"
    return ""


def _exchange(entry: Document) -> ImportedExchange:
    request, response = entry["request"], entry["response"]
    sent, headers = _headers(request), _headers(response)
    if "mimeType" in request["postData"] and not any(n.lower() == b"content-type" for n, _ in sent):
        sent += ((b"Content-Type", header_bytes(request["postData"]["mimeType"].text())),)
    if not any(name.lower() == b"set-cookie" for name, _ in headers):
        headers += tuple(map(_set_cookie, _list(response["cookies"])))
    return ImportedExchange(
        method=request["method"].text(),
        url=request["url"].text().partition("#")[0],
        headers=sent,
        content=_posted(request["postData"]),
        status=response["status"].number(),
        reason=response["statusText"].text(default=""),
        response_headers=headers,
        body=_decoded(response["content"]),
    )


def _list(found: Document) -> list[Document]:
    return [] if found.value is None else found.entries()


def _headers(message: Document) -> RawHeaders:
    """The headers of a request or a response, without the pseudo-headers of HTTP/2."""
    return tuple(
        (header_bytes(name), header_bytes(value))
        for header in _list(message["headers"])
        for name in [header["name"].text()]
        if not name.startswith(":")
        for value in header["value"].text(default="").split("\n")  # Chrome joins repeated ones
    )


def _set_cookie(cookie: Document) -> tuple[bytes, bytes]:
    """The header of a cookie that the archive only lists."""
    said = f"{cookie['name'].text()}={cookie['value'].text(default='')}"
    for key, attribute in (("path", "Path"), ("domain", "Domain")):
        if key in cookie:
            said += f"; {attribute}={cookie[key].text()}"
    for key, attribute in (("httpOnly", "HttpOnly"), ("secure", "Secure")):
        if cookie[key].value is True:
            said += f"; {attribute}"
    return b"Set-Cookie", header_bytes(said)


def _posted(data: Document) -> bytes:
    """The body of a request: its text, or else its fields."""
    if data.value is None:
        return b""
    if data["text"].value:
        return _decoded(data)
    fields = _list(data["params"])
    boundary = multipart_boundary(data["mimeType"].text(default=""))
    if not boundary:
        pairs = [(field["name"].text(), field["value"].text(default="")) for field in fields]
        return urlencode(pairs).encode()
    parts = [f"--{boundary}\r\n{_part(field)}\r\n" for field in fields]
    return "".join((*parts, f"--{boundary}--\r\n")).encode()


def _part(field: Document) -> str:
    head = f'Content-Disposition: form-data; name="{field["name"].text()}"'
    if "fileName" in field:
        head += f'; filename="{field["fileName"].text()}"'
    if "contentType" in field:
        head += f"\r\nContent-Type: {field['contentType'].text()}"
    return f"{head}\r\n\r\n{field['value'].text(default='')}"


def _decoded(content: Document) -> bytes:
    """A body: as text, or in base64. An archive stores bodies without their content encoding."""
    text = content["text"].text(default="")
    if content["encoding"].value != "base64":
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text)
    except ValueError:
        raise content["text"].wrong("base64") from None
