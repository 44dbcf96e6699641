"""A program that polls makes more requests, or fewer, than it made in the recording."""

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from vcr_gen import Cassette, DivergenceError, Repeat, UnusedRuleWarning
from vcr_gen.boundaries.http import HttpMatch, async_http_transport, http_transport
from vcr_gen.errors import UnusedEventsError, UsageError, VerificationError

POLLING = HttpMatch(repeat=["GET /jobs/*"])


def service(finished_after: int = 3) -> httpx.MockTransport:
    """A job that is done when it was asked for three times; its log is a stream of lines."""
    polls: Iterator[int] = itertools.count(1)

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.startswith("/jobs/"):
            state = "done" if next(polls) >= finished_after else "running"
            return httpx.Response(200, json={"state": state})
        return httpx.Response(200, content=iter([b"one\n", b"two\n"]))

    return httpx.MockTransport(answer)


def poll(path: Path, mode: str, times: int, match: HttpMatch | None = POLLING) -> list[str]:
    """Poll a job a number of times, between two other requests."""
    with (
        Cassette(path, mode) as cassette,
        httpx.Client(
            transport=http_transport(cassette, inner=service(), match=match),
            base_url="http://service",
        ) as client,
    ):
        client.post("/jobs")
        states = [client.get("/jobs/7").json()["state"] for _ in range(times)]
        client.delete("/begun")
        return states


@pytest.mark.parametrize("times", [1, 2, 3, 5])
def test_polling_may_take_longer_or_shorter_where_a_rule_says_so(
    tmp_path: Path, times: int
) -> None:
    assert poll(tmp_path / "t.yaml", "all", 3) == ["running", "running", "done"]
    expected = ["running", "running", "done", "done", "done"][:times]
    assert poll(tmp_path / "t.yaml", "none", times) == expected


@pytest.mark.parametrize("times", [2, 5])
def test_without_a_rule_it_may_not(tmp_path: Path, times: int) -> None:
    poll(tmp_path / "t.yaml", "all", 3, None)
    with pytest.raises(DivergenceError) as raised:
        poll(tmp_path / "t.yaml", "none", times, None)
    if times == 5:
        hint = "if it may be made more often, as in polling: rules=[Repeat('http', 'GET /jobs/7')]"
        assert hint in str(raised.value)


def test_a_request_that_was_never_made_may_not_be_left_out(tmp_path: Path) -> None:
    poll(tmp_path / "t.yaml", "all", 3)
    with pytest.raises(DivergenceError):
        poll(tmp_path / "t.yaml", "none", 0)


def test_another_request_may_not_be_repeated(tmp_path: Path) -> None:
    def twice(mode: str, times: int) -> None:
        with (
            Cassette(tmp_path / "t.yaml", mode) as cassette,
            httpx.Client(
                transport=http_transport(cassette, inner=service(), match=POLLING),
                base_url="http://service",
            ) as client,
        ):
            client.get("/jobs/7")
            for _ in range(times):
                client.get("/other")

    twice("all", 1)
    with pytest.raises(DivergenceError, match="GET /other"):
        twice("none", 2)


def test_the_rest_at_the_end_of_the_tape_may_be_left_out(tmp_path: Path) -> None:
    def only_poll(mode: str, times: int) -> list[str]:
        with (
            Cassette(tmp_path / "t.yaml", mode) as cassette,
            httpx.Client(
                transport=http_transport(cassette, inner=service(), match=POLLING),
                base_url="http://service",
            ) as client,
        ):
            return [client.get("/jobs/7").json()["state"] for _ in range(times)]

    only_poll("all", 3)
    assert only_poll("none", 1) == ["running"]
    assert only_poll("none", 4) == ["running", "running", "done", "done"]
    with pytest.raises(UnusedEventsError):
        only_poll("none", 0)


def test_the_rule_is_in_the_header_and_a_misspelt_one_is_reported(tmp_path: Path) -> None:
    poll(tmp_path / "t.yaml", "all", 3)
    assert "  http:\n    GET /jobs/*: may repeat\n" in (tmp_path / "t.yaml").read_text()
    with pytest.warns(UnusedRuleWarning, match=r"http GET /job: may repeat  \(no such call"):
        poll(tmp_path / "t.yaml", "none", 3, HttpMatch(repeat=["GET /job"]))


def test_it_is_a_list_of_names() -> None:
    with pytest.raises(UsageError, match="repeat=…\\): expected a list of names; got a string"):
        HttpMatch(repeat="GET /jobs/*")
    with pytest.raises(UsageError, match="Repeat takes a boundary"):
        Repeat("")


def test_a_stream_may_repeat_too(tmp_path: Path) -> None:
    def read(mode: str, times: int, lines: int | None = None) -> list[list[str]]:
        found = []
        with (
            Cassette(tmp_path / "t.yaml", mode) as cassette,
            httpx.Client(
                transport=http_transport(
                    cassette, inner=service(), match=HttpMatch(repeat=["GET /log"])
                ),
                base_url="http://service",
            ) as client,
        ):
            for _ in range(times):
                with client.stream("GET", "/log") as response:
                    found.append(list(itertools.islice(response.iter_lines(), lines)))
            client.post("/jobs")
        return found

    assert read("all", 2) == [["one", "two"]] * 2
    assert read("none", 4) == [["one", "two"]] * 4
    assert read("none", 1) == [["one", "two"]]


async def poll_in_tasks(path: Path, mode: str, times: int, pause: float) -> list[str]:
    """Two tasks poll, each its own job, while a third waits for something slow."""
    log: list[str] = []
    with Cassette(path, mode) as cassette:
        polls: dict[str, int] = {}

        async def answer(request: httpx.Request) -> httpx.Response:
            name = request.url.path
            polls[name] = polls.get(name, 0) + 1
            await asyncio.sleep(0.25 if name == "/slow" else 0.01)
            return httpx.Response(200, json=polls[name])

        transport = async_http_transport(cassette, inner=httpx.MockTransport(answer), match=POLLING)
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:

            async def polling(job: int) -> None:
                for _ in range(times):
                    number = (await client.get(f"/jobs/{job}")).json()
                    log.append(f"{job}: {number}")
                    await asyncio.sleep(pause)

            async def slow() -> None:
                async with asyncio.timeout(3):
                    log.append(f"slow: {(await client.get('/slow')).json()}")

            await asyncio.gather(polling(1), polling(2), slow())
    return log


@pytest.mark.parametrize(
    ("times", "pause"), [(4, 0.05), (2, 0.05), (9, 0.05), (3, 0.09), (6, 0.02)]
)
def test_tasks_that_poll_do_not_hold_up_others(tmp_path: Path, times: int, pause: float) -> None:
    recorded = asyncio.run(poll_in_tasks(tmp_path / "t.yaml", "all", 4, 0.05))
    replayed = asyncio.run(poll_in_tasks(tmp_path / "t.yaml", "none", times, pause))
    assert len([line for line in replayed if line[0] == "1"]) == times
    assert "slow: 1" in replayed
    if (times, pause) == (4, 0.05):
        assert replayed == recorded


def test_a_loop_without_end_is_a_divergence(tmp_path: Path) -> None:
    poll(tmp_path / "t.yaml", "all", 2)
    with pytest.raises(DivergenceError, match="GET /jobs/7 was called"):
        poll(tmp_path / "t.yaml", "none", 2000)


def test_verify_does_not_count_repetitions(tmp_path: Path) -> None:
    poll(tmp_path / "t.yaml", "all", 3)
    poll(tmp_path / "t.yaml", "verify", 2)
    poll(tmp_path / "t.yaml", "verify", 5)
    with pytest.raises(VerificationError):
        poll(tmp_path / "t.yaml", "verify", 5, None)


def poll_and_go_on(path: Path, mode: str, times: int, *more: str) -> list[str]:
    """Poll a job a number of times, then make other requests."""
    with (
        Cassette(path, mode) as cassette,
        httpx.Client(
            transport=http_transport(cassette, inner=service(), match=POLLING),
            base_url="http://service",
        ) as client,
    ):
        states = [client.get("/jobs/7").json()["state"] for _ in range(times)]
        return [*states, *(client.get(url).text for url in more)]


LOG = "one\ntwo\n"


@pytest.mark.parametrize("times", [1, 2, 3, 5])
def test_new_episodes_go_on_after_more_or_fewer_repetitions(tmp_path: Path, times: int) -> None:
    tape = tmp_path / "t.yaml"
    poll_and_go_on(tape, "all", 3, "/log")
    states = ["running", "running", "done", "done", "done"][:times]
    extended = poll_and_go_on(tape, "new_episodes", times, "/log", "/new")
    assert extended == [*states, LOG, LOG]
    assert tape.read_text("utf-8").count("url: http://service/new") == 1
    assert tape.read_text("utf-8").count("url: http://service/jobs/7") == 3
    assert poll_and_go_on(tape, "none", times, "/log", "/new") == extended


@pytest.mark.parametrize("times", [1, 2])
def test_new_episodes_go_on_where_the_tape_ends_with_repetitions(
    tmp_path: Path, times: int
) -> None:
    tape = tmp_path / "t.yaml"
    poll_and_go_on(tape, "all", 3)
    extended = poll_and_go_on(tape, "new_episodes", times, "/new")
    assert extended == [*["running"] * times, LOG]
    assert poll_and_go_on(tape, "none", times, "/new") == extended
