"""Reads cassettes of vcrpy, recorded through httpx, requests or aiohttp."""

import base64
import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from vcr_gen.boundaries.foreign_documents import Document, read_json, read_yaml
from vcr_gen.boundaries.http.exchanges import RawHeaders
from vcr_gen.boundaries.http.imports.imported_exchanges import (
    Import,
    ImportedExchange,
    header_bytes,
)
from vcr_gen.boundaries.http.matching import compared_headers

_ENTRIES: Final = "interactions"
_JSON_TYPE: Final = (b"content-type", b"application/json")
_FORM_TYPE: Final = (b"content-type", b"application/x-www-form-urlencoded")
_DEEPEST, _LARGEST = 100, 1_000_000


def read_vcrpy(path: Path) -> Import:
    """Read a cassette that one of vcrpy's own serializers wrote."""
    document = read_json(path) if path.suffix == ".json" else read_yaml(path, _ENTRIES)
    if not isinstance(document.value, dict) or not isinstance(document[_ENTRIES].value, list):
        raise document.wrong(f"a cassette of vcrpy, with a list of `{_ENTRIES}`")
    exchanges = [_exchange(entry) for entry in document[_ENTRIES].entries()]
    return Import(tool="vcrpy", exchanges=exchanges, headers=tuple(_comparable(exchanges)))


def _exchange(entry: Document) -> ImportedExchange:
    request, response = entry["request"], entry["response"]
    content, added = _content(request["body"])
    headers = _headers(request["headers"])
    named = {name.lower() for name, _ in headers}
    is_old = "status_code" in response  # as older versions stored the responses of httpx
    status = response if is_old else response["status"]
    return ImportedExchange(
        method=request["method"].text(),
        url=request["uri"].text(),
        headers=(*headers, *(header for header in added if header[0] not in named)),
        content=content,
        status=status["status_code" if is_old else "code"].number(),
        reason=status["message"].text(default=""),
        response_headers=_headers(response["headers"]),
        body=_body(response["content" if is_old else "body"]),
    )


def _headers(found: Document) -> RawHeaders:
    """vcrpy has a list of values for each name; older versions have a single value."""
    pairs: list[tuple[bytes, bytes]] = []
    for name, values in found.items():
        each = values.entries() if isinstance(values.value, list | tuple) else [values]
        pairs += ((header_bytes(name), _header_value(value)) for value in each)
    return tuple(pairs)


def _header_value(found: Document) -> bytes:
    return found.value if isinstance(found.value, bytes) else header_bytes(found.text())


def _content(found: Document) -> tuple[bytes, RawHeaders]:
    """The body of a request, and the headers that the file leaves out.

    Of aiohttp, vcrpy stores what the program passed as `json` or `data`, without saying as which.
    A mapping of texts can be both: it is taken as JSON, and compared with forms too.
    """
    value = found.value
    if isinstance(value, dict) and value.keys() <= {"string", "base64_string"} and value:
        return _body(found), ()
    if value is None or isinstance(value, str | bytes):
        return _bytes(found), ()
    if isinstance(value, list | tuple) and value and all(type(pair) is tuple for pair in value):
        return urlencode(_plain(found, value)).encode(), (_FORM_TYPE,)
    is_certain = not isinstance(value, dict) or not all(
        isinstance(field, str) for field in value.values()
    )
    return json.dumps(_plain(found, value)).encode(), (_JSON_TYPE,) if is_certain else ()


def _plain(found: Document, value: Any, depth: int = 0, size: Iterator[int] | None = None) -> Any:
    """Data that JSON has too. Aliases of YAML can make it huge, or endless."""
    size = size or count()
    if depth > _DEEPEST or next(size) > _LARGEST:
        raise found.wrong(f"at most {_LARGEST:,} values, nested {_DEEPEST} deep")
    if isinstance(value, dict):
        return {str(key): _plain(found, each, depth + 1, size) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(found, each, depth + 1, size) for each in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise found.wrong("data that JSON can represent")


def _body(found: Document) -> bytes:
    """The body of a response: `{string: …}`, `{base64_string: …}`, or nothing."""
    if "base64_string" in found:
        encoded = found["base64_string"]
        try:
            return base64.b64decode(encoded.text(), validate=False)
        except ValueError:
            raise encoded.wrong("base64") from None
    return _bytes(found["string"] if isinstance(found.value, dict) else found)


def _bytes(found: Document) -> bytes:
    if isinstance(found.value, bytes):
        return found.value
    return found.text(default="").encode("utf-8", "surrogatepass")


def _comparable(exchanges: Sequence[ImportedExchange]) -> Iterator[str]:
    """The names of headers that the file has wherever they were sent, and as they were sent.

    `filter_headers` removes a header everywhere, or puts a word in the place of a credential. What
    aiohttp adds itself is missing in most of its requests, and is there after a redirect.
    """
    found = [
        {name.decode("latin-1").lower(): value for name, value in each.headers}
        for each in exchanges
    ]
    with_content = [named for named, each in zip(found, exchanges, strict=True) if each.content]
    for name in sorted(compared_headers(dict.fromkeys(set().union(*found)))):
        senders = {"accept": found, "content-type": with_content}.get(name, ())
        is_replaced = name == "authorization" and any(
            b" " not in named[name] for named in found if name in named
        )
        if not is_replaced and all(name in named for named in senders):
            yield name
