"""A recorded session of requests drives a web application, and its responses are asserted."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgi_sessions import drive, record_behind_uvicorn, record_in_loop, replay
from fastapi import BackgroundTasks, FastAPI, Request
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from vcr_gen import Cassette, DivergenceError, Driver, Rule
from vcr_gen.boundaries.http import HttpMatch, async_http_transport, http_inbound
from vcr_gen.boundary import Volatile
from vcr_gen.errors import UsageError, VerificationError
from vcr_gen.runtime.tape.reading import Reading

prices = FastAPI()
"""What the applications of these tests ask in turn."""


@prices.get("/prices/{code}")
async def price(code: str) -> dict[str, int]:
    await asyncio.sleep(0.01 * len(code))
    return {"cents": 100 * len(code)}


def shop(cassette: Cassette, log: list[str] | None = None, *, factor: int = 1) -> FastAPI:
    """An application with an upstream on the same cassette."""
    log = [] if log is None else log
    inner = httpx.ASGITransport(prices) if cassette.calls_real else None
    client = httpx.AsyncClient(
        transport=async_http_transport(cassette, inner=inner), base_url="http://prices"
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, str]]:
        answer = await client.get("/prices/warm")
        log.append(f"up with {answer.json()['cents']}")
        yield {"shop": "open"}
        log.append("down")

    app = FastAPI(lifespan=lifespan)

    @app.post("/orders/{code}")
    async def order(code: str, request: Request, tasks: BackgroundTasks) -> dict[str, Any]:
        count = (await request.json())["count"]
        log.append(f"{code} begins")
        cents = (await client.get(f"/prices/{code}")).json()["cents"]
        log.append(f"{code} ends, {getattr(request.state, 'shop', 'without state')}")

        async def invoice() -> None:
            await client.get(f"/prices/{code}?invoice=1")
            log.append(f"{code} invoiced")

        tasks.add_task(invoice)
        return {"code": code, "total": cents * count * factor}

    return app


# Requests and responses ------------------------------------------------------------------------


def test_a_session_behind_uvicorn_drives_the_application_without_it(tmp_path: Path) -> None:
    recorded: list[str] = []
    replayed: list[str] = []
    answer = record_behind_uvicorn(
        tmp_path / "tape.yaml",
        lambda cassette: shop(cassette, recorded),
        lambda client: client.post("/orders/tea", json={"count": 2}).json(),
    )
    replay(tmp_path / "tape.yaml", lambda cassette: shop(cassette, replayed))
    assert answer == {"code": "tea", "total": 600}
    assert recorded == ["up with 400", "tea begins", "tea ends, open", "tea invoiced", "down"]
    assert replayed == recorded


def test_requests_overlap_in_a_replay_as_they_did(tmp_path: Path) -> None:
    recorded: list[str] = []
    replayed: list[str] = []

    async def customers(client: httpx.AsyncClient) -> None:
        await asyncio.gather(
            *(client.post(f"/orders/{code}", json={"count": 1}) for code in ("coffee", "tea", "x"))
        )

    asyncio.run(record_in_loop(tmp_path / "t.yaml", lambda c: shop(c, recorded), customers))
    asyncio.run(drive(tmp_path / "t.yaml", lambda c: shop(c, replayed)))
    assert recorded[:3] == ["coffee begins", "tea begins", "x begins"]
    assert replayed == recorded


def test_a_different_answer_names_the_request_and_the_field(tmp_path: Path) -> None:
    record_behind_uvicorn(
        tmp_path / "tape.yaml", shop, lambda client: client.post("/orders/tea", json={"count": 2})
    )
    with pytest.raises(DivergenceError) as raised:
        replay(tmp_path / "tape.yaml", lambda cassette: shop(cassette, factor=2))
    text = str(raised.value)
    assert "asgi POST /orders/tea: the application yielded a different item: " in text
    assert text.splitlines()[0].endswith(": response.body.json.total")
    assert "response.body.json.total: value differs\n      - 600\n      + 1200" in text


def one_route(answer: Any) -> Any:
    """Makes an application that answers everything in one way."""

    async def endpoint(request: Request) -> Response:
        given = answer(request)
        found: Response = await given if asyncio.iscoroutine(given) else given
        return found

    methods = ["GET", "POST", "HEAD"]
    return lambda cassette: Starlette(routes=[Route("/{path:path}", endpoint, methods=methods)])


def events(count: int = 3) -> Any:
    async def stream() -> AsyncIterator[str]:
        for number in range(count):
            yield f"data: {number}\n\n"
            await asyncio.sleep(0.02)

    return lambda request: StreamingResponse(stream(), media_type="text/event-stream")


def session_of(tmp_path: Path, answer: Any, *requests: tuple[str, str]) -> str:
    """Record some requests behind uvicorn, replay them, and return the cassette."""

    def use(client: httpx.Client) -> None:
        for method, path in requests or (("GET", "/"),):
            client.request(method, path)

    path = tmp_path / "tape.yaml"
    record_behind_uvicorn(path, one_route(answer), use)
    replay(path, one_route(answer))
    return path.read_text()


def test_an_uninterrupted_exchange_is_one_entry(tmp_path: Path) -> None:
    session_of(tmp_path, lambda _: JSONResponse({"a": [1]}), *[("GET", f"/{n}") for n in range(9)])
    with Reading(tmp_path / "tape.yaml") as reading:
        entries = [entry.data for entry in reading]
    exchanges = [entry for entry in entries if entry.get("of") == "asgi.exchange"]
    whole: Any = [entry for entry in exchanges if "ended_at" in entry]
    assert whole  # on a slow machine, the clock may interrupt some of them
    head, body = whole[0]["items"]
    assert head["head"] == "HTTP/1.1 200 OK"
    assert body["json"] == {"a": [1]}


def test_events_are_sent_one_by_one(tmp_path: Path) -> None:
    text = session_of(tmp_path, events())
    assert text.count("data: ") == 3
    with pytest.raises(DivergenceError, match="asgi GET /"):
        replay(tmp_path / "tape.yaml", one_route(events(4)))


def test_a_head_request_has_no_body_and_an_empty_answer_has_none(tmp_path: Path) -> None:
    text = session_of(tmp_path, lambda _: Response(status_code=204), ("HEAD", "/a"), ("GET", "/b"))
    assert text.count("head: HTTP/1.1 204 No Content") == 2
    assert text.count("  - at:") == 2  # an item each: the head


def test_the_request_is_the_same_in_a_replay(tmp_path: Path) -> None:
    seen: list[object] = []

    async def look(request: Request) -> Response:
        names = ("method", "path", "raw_path", "query_string", "root_path", "http_version")
        facts = {name: request.scope[name] for name in (*names, "scheme", "client", "server")}
        headers = [(name, value) for name, value in request.scope["headers"]]
        pieces = [piece async for piece in request.stream()]
        seen.append((facts, headers, pieces, request.scope["asgi"]))
        return PlainTextResponse("seen")

    def use(client: httpx.Client) -> None:
        client.get("/caf%C3%A9/a%2Fb?q=1&q=%20", headers=[("X-A", "1"), ("X-A", "2")])
        client.post("/json", json={"text": "café"})
        client.post("/form", data={"name": "Ada", "note": "a b&c"})
        client.post("/file", files={"file": ("a.bin", b"\x00\xff" * 10)})
        client.post("/stream", content=iter([b"one ", b"two ", b"three"]))

    record_behind_uvicorn(tmp_path / "tape.yaml", one_route(look), use)
    recorded, seen[:] = list(seen), []
    replay(tmp_path / "tape.yaml", one_route(look))
    assert seen == recorded
    assert len(seen) == 5


def test_headers_that_vary_by_nature_are_not_compared(tmp_path: Path) -> None:
    count = iter(range(100))

    def answer(_: Request) -> Response:
        response = PlainTextResponse("ok")
        response.headers["X-Process-Time"] = str(next(count))
        response.headers["Date"] = str(next(count))
        return response

    session_of(tmp_path, answer)


def test_match_and_rules_loosen_what_is_compared(tmp_path: Path) -> None:
    count = iter(range(100))

    def answer(_: Request) -> Response:
        body = {"id": next(count), "name": "tea"}
        return JSONResponse(body, headers={"X-Node": str(next(count))})

    path = tmp_path / "tape.yaml"
    record_behind_uvicorn(path, one_route(answer), lambda client: client.get("/"))

    async def driven(match: HttpMatch | None, *rules: Rule) -> None:
        with Cassette(path, "none", rules=rules) as cassette:
            app = http_inbound(cassette, one_route(answer)(cassette), match=match)
            await Driver(cassette, app).run()

    with pytest.raises(DivergenceError, match=r"response.headers\['x-node'\]"):
        asyncio.run(driven(None))
    with pytest.raises(DivergenceError, match=r"response.body.json.id"):
        asyncio.run(driven(HttpMatch(ignore_headers=["x-node"])))
    asyncio.run(
        driven(HttpMatch(ignore_headers=["x-node"], body=lambda body: body["json"]["name"]))
    )
    rules = (
        Rule("asgi", "$item.json.id", Volatile),
        Rule("asgi", "$item.headers['x-node']", Volatile),
    )
    asyncio.run(driven(None, *rules))


def test_an_error_of_the_application_is_asserted(tmp_path: Path) -> None:
    def broken(number: int) -> Any:
        def answer(_: Request) -> Response:
            raise LookupError(f"no tea {number}")

        return one_route(answer)

    path = tmp_path / "tape.yaml"

    async def use(client: httpx.AsyncClient) -> int:
        return (await client.get("/")).status_code

    assert asyncio.run(record_in_loop(path, broken(1), use)) == 500
    replay(path, broken(1))
    with pytest.raises(DivergenceError, match="no tea 2"):
        replay(path, broken(2))


def test_an_unexpected_error_of_the_application_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its middleware answers 500, as it does in a server, which would log the error."""

    def broken(_: Request) -> Response:
        raise LookupError("no tea")

    path = tmp_path / "tape.yaml"
    record_behind_uvicorn(path, one_route(lambda _: PlainTextResponse("ok")), lambda c: c.get("/"))
    with pytest.raises(DivergenceError, match=r"different item: response\.status"):
        replay(path, one_route(broken))
    [record] = caplog.records
    assert record.getMessage() == "exception in the application: GET /"
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "no tea"


def test_a_client_that_leaves_is_noticed_again(tmp_path: Path) -> None:
    log: list[str] = []

    async def endless(request: Request) -> Response:
        async def stream() -> AsyncIterator[str]:
            try:
                number = 0
                while not await request.is_disconnected():
                    yield f"data: {number}\n\n"
                    number += 1
                    await asyncio.sleep(0.05)
            finally:
                log.append("left")

        return StreamingResponse(stream(), media_type="text/event-stream")

    def use(client: httpx.Client) -> None:
        with client.stream("GET", "/") as response:
            lines = response.iter_lines()
            assert [next(lines), next(lines), next(lines)] == ["data: 0", "", "data: 1"]

    path = tmp_path / "tape.yaml"
    record_behind_uvicorn(path, one_route(endless), use)
    recorded, log[:] = list(log), []
    replay(path, one_route(endless))
    assert log == recorded == ["left"]
    assert "of: asgi.disconnect" in path.read_text()


def test_the_time_that_the_server_takes_is_not_the_applications(tmp_path: Path) -> None:
    """A server reads the clock of the loop too, and may be slow; a replay has no server."""

    async def slept(_: Request) -> PlainTextResponse:
        loop = asyncio.get_running_loop()
        times = [loop.time()]
        for _ in range(4):
            await asyncio.sleep(0.01)
            times.append(loop.time())
        return PlainTextResponse(" ".join(f"{time - times[0]:.6f}" for time in times))

    async def use(client: httpx.AsyncClient) -> None:
        loop = asyncio.get_running_loop()
        request = asyncio.create_task(client.get("/"))
        while not request.done():
            time.sleep(0.03)
            loop.time()
            await asyncio.sleep(0.001)
        await request

    path = tmp_path / "tape.yaml"
    asyncio.run(record_in_loop(path, one_route(slept), use))
    replay(path, one_route(slept))


def test_a_task_that_never_ends_does_not_keep_a_replay_going(tmp_path: Path) -> None:
    seconds: list[int] = []
    tasks: list[asyncio.Task[None]] = []

    async def begin(_: Request) -> PlainTextResponse:
        async def count() -> None:
            while True:
                await asyncio.sleep(1)
                seconds.append(1)

        tasks.append(asyncio.create_task(count()))
        return PlainTextResponse("begun")

    path = tmp_path / "tape.yaml"
    record_behind_uvicorn(path, one_route(begin), lambda client: client.get("/"))
    seconds.clear()
    replay(path, one_route(begin))
    assert len(seconds) >= 50  # a task that only takes long has the time to end
    assert all(task.cancelled() for task in tasks)


# Test clients ----------------------------------------------------------------------------------


def test_starlettes_own_client_is_not_recorded_twice(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    recorded: list[str] = []
    replayed: list[str] = []
    with Cassette(path, "all") as cassette:
        app = http_inbound(cassette, shop(cassette, recorded))
        with TestClient(app) as client:
            assert client.post("/orders/tea", json={"count": 2}).json()["total"] == 600
    replay(path, lambda cassette: shop(cassette, replayed))
    assert replayed == recorded
    text = path.read_text()
    assert text.count("of: asgi.exchange") == 1
    assert text.count("of: http.exchange") == 3  # warm, the price, the invoice


@pytest.mark.parametrize("changed", [False, True])
def test_a_test_may_make_the_requests_itself(tmp_path: Path, changed: bool) -> None:
    async def session(mode: str, factor: int) -> Any:
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            app = http_inbound(cassette, shop(cassette, factor=factor))
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                first = await client.post("/orders/tea", json={"count": 2})
                return first.json(), (await client.post("/orders/x", json={"count": 1})).json()

    recorded = asyncio.run(session("all", 1))
    if changed:
        with pytest.raises(DivergenceError, match=r"asgi POST /orders/tea: .* different item"):
            asyncio.run(session("none", 2))
    else:
        assert asyncio.run(session("none", 1)) == recorded


def test_a_test_may_upload_binary_files_itself(tmp_path: Path) -> None:
    async def upload(request: Request) -> JSONResponse:
        async with request.form() as form:
            return JSONResponse({name: len(await file.read()) for name, file in form.items()})

    async def session(mode: str) -> Any:
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            app = http_inbound(cassette, Starlette(routes=[Route("/", upload, methods=["POST"])]))
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return (await client.post("/", files={"a": bytes(range(256))})).json()

    assert [asyncio.run(session(mode)) for mode in ("all", "none")] == [{"a": 256}] * 2


def test_a_websocket_is_refused(tmp_path: Path) -> None:
    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        client = TestClient(http_inbound(cassette, Starlette()))
        problem = pytest.raises(UsageError, match="HTTP requests only; got a websocket: /live\n")
        with problem, client.websocket_connect("/live"):
            pass


def test_trio_works_too(tmp_path: Path) -> None:
    import trio

    async def answer(request: Request) -> Response:
        await trio.sleep(0.01)
        return JSONResponse(await request.json())

    make_app = one_route(answer)

    async def record() -> None:
        async def use(client: httpx.AsyncClient) -> None:
            await client.post("/", json={"a": 1})

        await record_in_loop(tmp_path / "tape.yaml", make_app, use)

    def changed(request: Request) -> Response:
        return JSONResponse({"a": 2})

    trio.run(record)
    trio.run(drive, tmp_path / "tape.yaml", make_app)
    with pytest.raises(DivergenceError, match=r"response.body.json.a"):
        trio.run(drive, tmp_path / "tape.yaml", one_route(changed))


# Secrets ---------------------------------------------------------------------------------------


def test_a_token_that_the_application_gives_out_comes_back_in_a_replay(tmp_path: Path) -> None:
    tokens = iter(("first-secret-8a7b6c5d4e3f", "second-secret-1f2e3d4c5b6a"))

    def make_app(cassette: Cassette) -> Starlette:
        token = next(tokens)

        async def login(request: Request) -> Response:
            assert (await request.json())["user"] == "ada"
            response = JSONResponse({"access_token": token})
            response.set_cookie("session", f"cookie-{token}")
            return response

        async def account(request: Request) -> Response:
            assert request.headers["authorization"] == f"Bearer {token}"
            assert request.cookies["session"] == f"cookie-{token}"
            return PlainTextResponse("yours")

        return Starlette(
            routes=[Route("/login", login, methods=["POST"]), Route("/account", account)]
        )

    def use(client: httpx.Client) -> None:
        token = client.post("/login", json={"user": "ada", "password": "hunter2-secret"}).json()
        headers = {"Authorization": f"Bearer {token['access_token']}"}
        assert client.get("/account", headers=headers).text == "yours"

    path = tmp_path / "tape.yaml"
    record_behind_uvicorn(path, make_app, use)
    text = path.read_text()
    assert "first-secret" not in text
    assert "hunter2" not in text
    assert json.dumps("yours")[1:-1] in text
    replay(path, make_app)


def served_pieces(*pieces: bytes) -> Any:
    """An answer that is sent in these pieces."""

    async def stream() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return lambda request: StreamingResponse(stream(), media_type="application/json")


async def visit(path: Path, mode: str, answer: Any, *rules: Rule) -> None:
    with Cassette(path, mode, rules=rules) as cassette:
        transport = httpx.ASGITransport(http_inbound(cassette, one_route(answer)(cassette)))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            await client.get("/")


def test_verify_ignores_how_an_answer_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    asyncio.run(visit(path, "all", served_pieces(b'{"total"', b": 6", b"00}")))
    asyncio.run(visit(path, "verify", served_pieces(b'{"total": 600', b"}")))
    with pytest.raises(VerificationError) as raised:
        asyncio.run(visit(path, "verify", served_pieces(b'{"total": 700', b"}")))
    text = str(raised.value)
    assert "asgi GET / (call 1): yielded different items\n" in text
    assert "response.body.json.total: value differs\n      - 600\n      + 700" in text


def test_verify_heeds_the_rules_for_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"
    asyncio.run(visit(path, "all", served_pieces(b'{"total":600}')))
    rule = Rule("asgi", "$item.json.total", Volatile)
    asyncio.run(visit(path, "verify", served_pieces(b'{"total":700}'), rule))
    with pytest.raises(VerificationError, match=r"response\.body\.json\.sum"):
        asyncio.run(visit(path, "verify", served_pieces(b'{"total":700,"sum":1}'), rule))
