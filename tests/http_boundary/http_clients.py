"""The clients under test: each sends the request of an endpoint and writes down all it sees."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import httpx
import httpx2
import requests
from http_endpoints import Endpoint, path_of

from vcr_gen import Cassette
from vcr_gen.boundaries.http import (
    aiohttp_middleware,
    async_http_transport,
    http_transport,
    requests_adapter,
)

Observation = list[Any]
Client = Callable[[Cassette | None, str, str, Endpoint], Observation]
"""Runs one endpoint, given its base address and name, with a cassette or without."""


def _httpx(library: Any) -> Client:
    # The servers are not https: without `verify` no client reads the authorities of the system,
    # which would take longer than everything else.
    def run(cassette: Cassette | None, base: str, name: str, endpoint: Endpoint) -> Observation:
        seen: Observation = []
        transport = None if cassette is None else http_transport(cassette)
        with library.Client(
            transport=transport,
            follow_redirects=True,
            timeout=_timeout(library, endpoint),
            verify=False,
        ) as client:
            try:
                with client.stream(
                    endpoint.method, base + path_of(name), **_arguments(library, endpoint, iter)
                ) as response:
                    _note_head(seen, response)
                    for number, piece in enumerate(response.iter_bytes(), 1):
                        seen.append(piece)
                        if number == endpoint.most:
                            break
            except Exception as error:
                seen.append((type(error), str(error)))
            seen.append(sorted(client.cookies.items()))
        return seen

    return run


def _async_httpx(library: Any) -> Client:
    async def run(
        cassette: Cassette | None, base: str, name: str, endpoint: Endpoint
    ) -> Observation:
        seen: Observation = []
        transport = None if cassette is None else async_http_transport(cassette)
        async with library.AsyncClient(
            transport=transport,
            follow_redirects=True,
            timeout=_timeout(library, endpoint),
            verify=False,
        ) as client:
            try:
                async with client.stream(
                    endpoint.method, base + path_of(name), **_arguments(library, endpoint, _aiter)
                ) as response:
                    _note_head(seen, response)
                    number = 0
                    async for piece in response.aiter_bytes():
                        seen.append(piece)
                        number += 1
                        if number == endpoint.most:
                            break
            except Exception as error:
                seen.append((type(error), str(error)))
            seen.append(sorted(client.cookies.items()))
        return seen

    def run_all(*given: Any) -> Observation:
        return asyncio.run(run(*given))

    return run_all


def _requests(size: int | None, *, stream: bool = True) -> Client:
    def run(cassette: Cassette | None, base: str, name: str, endpoint: Endpoint) -> Observation:
        seen: Observation = []
        arguments = dict(endpoint.arguments())
        if "stream" in arguments:
            arguments["data"] = iter(arguments.pop("stream"))
        if endpoint.digest:
            arguments["auth"] = requests.auth.HTTPDigestAuth("ada", "lovelace")
        with requests.Session() as session:
            if cassette is not None:
                session.mount("http://", requests_adapter(cassette))
            try:
                with session.request(
                    endpoint.method,
                    base + path_of(name),
                    stream=stream,
                    timeout=(20.0, endpoint.read_timeout),
                    **arguments,
                ) as response:
                    _note_raw(seen, response)
                    for number, piece in enumerate(response.iter_content(size), 1):
                        seen.append(piece)
                        if number == endpoint.most:
                            break
                    if "content-encoding" not in response.headers:
                        seen.append(response.raw.tell())
            except Exception as error:
                seen.append((type(error), str(error)))
            seen.append(sorted(session.cookies.items()))
        return seen

    return run


def _note_raw(seen: Observation, response: Any) -> None:
    for each in (*response.history, response):
        raw = each.raw
        seen.append((each.status_code, each.reason, each.encoding, each.url, raw.geturl()))
        version = (raw.version, getattr(raw, "version_string", ""))
        seen.append((*version, raw.reason, list(raw.headers.iteritems())))
        seen.append((raw.chunked, sorted(each.cookies.items()), each.request.method))


def _aiohttp(cassette: Cassette | None, base: str, name: str, endpoint: Endpoint) -> Observation:
    async def run() -> Observation:
        seen: Observation = []
        middlewares: list[Any] = [] if cassette is None else [aiohttp_middleware(cassette)]
        if endpoint.digest:
            middlewares.insert(0, aiohttp.DigestAuthMiddleware("ada", "lovelace"))
        async with aiohttp.ClientSession(
            middlewares=middlewares,
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            timeout=aiohttp.ClientTimeout(total=20.0, sock_read=endpoint.read_timeout),
        ) as session:
            try:
                async with session.request(
                    endpoint.method, base + path_of(name), **_aiohttp_arguments(endpoint)
                ) as response:
                    _note_aiohttp_head(seen, response)
                    number = 0
                    while not response.content.at_eof():  # an empty body has no end of its own
                        seen.append(await response.content.readchunk())
                        number += 1
                        if number == endpoint.most:
                            break
                seen.append((response.connection, response.closed))
            except Exception as error:
                seen.append((type(error), str(error), getattr(error, "errno", None)))
            seen.append(sorted((each.key, each.value) for each in session.cookie_jar))
        return seen

    return asyncio.run(run())


def _aiohttp_arguments(endpoint: Endpoint) -> dict[str, Any]:
    arguments = dict(endpoint.arguments())
    if "stream" in arguments:
        arguments["data"] = _aiter(arguments.pop("stream"))
    if "files" in arguments:
        form = aiohttp.FormData()
        for field, (name, content, kind) in arguments.pop("files").items():
            form.add_field(field, content, filename=name, content_type=kind)
        arguments["data"] = form
    return arguments


def _note_aiohttp_head(seen: Observation, response: Any) -> None:
    history = [(each.status, each.raw_headers, str(each.url)) for each in response.history]
    seen.append((response.status, response.reason, response.version, response.raw_headers))
    seen.append((list(response.headers.items()), response.method, str(response.url), history))
    seen.append(
        (str(response.cookies), response.ok, response.content_length, response.content_type)
    )


def _timeout(library: Any, endpoint: Endpoint) -> Any:
    return library.Timeout(20.0, read=endpoint.read_timeout)


def _arguments(library: Any, endpoint: Endpoint, as_stream: Callable[[Any], Any]) -> dict[str, Any]:
    arguments = dict(endpoint.arguments())
    if "stream" in arguments:
        arguments["content"] = as_stream(arguments.pop("stream"))
    if endpoint.digest:
        arguments["auth"] = library.DigestAuth("ada", "lovelace")
    return arguments


async def _aiter(parts: list[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def _note_head(seen: Observation, response: Any) -> None:
    history = [(each.status_code, each.headers.raw) for each in response.history]
    version, reason = response.http_version, response.reason_phrase
    seen.append((response.status_code, reason, version, response.headers.raw, history))


CLIENTS: dict[str, Client] = {
    "httpx": _httpx(httpx),
    "httpx, async": _async_httpx(httpx),
    "httpx2": _httpx(httpx2),
    "httpx2, async": _async_httpx(httpx2),
    "requests": _requests(None),
    "requests, 7 bytes at a time": _requests(7),
    "requests, whole": _requests(1_000, stream=False),
    "aiohttp": _aiohttp,
}
