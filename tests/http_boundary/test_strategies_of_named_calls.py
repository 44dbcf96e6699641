"""Strategies for calls by their names, and calls that the tape does not have."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from vcr_gen import Cassette, DivergenceError, UnusedRuleWarning
from vcr_gen.boundaries.http import http_transport
from vcr_gen.errors import UsageError, VerificationError

Request = tuple[str, str, str]

RECORDED: Sequence[Request] = (
    ("POST", "/notes", "one"),
    ("GET", "/jobs/1", ""),
    ("POST", "/orders", "tea"),
    ("GET", "/jobs/2", ""),
)


def answer(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, text=f"{request.method} {request.url.path} {request.read()!r}")


def session(
    path: Path, mode: str, requests: Sequence[Request], strategy: Any = "exact", **options: Any
) -> list[str]:
    with Cassette(path, mode, strategy=strategy, **options) as cassette:
        inner = httpx.MockTransport(answer) if cassette.calls_real else None
        with httpx.Client(transport=http_transport(cassette, inner=inner)) as client:
            answers = []
            for method, where, body in requests:
                try:
                    found = client.request(method, f"http://x{where}", content=body)
                except DivergenceError:
                    answers.append("unknown")
                else:
                    answers.append(found.text)
            return answers


def changed(at: int, request: Request) -> list[Request]:
    return [*RECORDED[:at], request, *RECORDED[at + 1 :]]


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    session(tmp_path / "tape.yaml", "all", RECORDED)
    return tmp_path / "tape.yaml"


@pytest.mark.parametrize(
    ("strategy", "at", "request_", "is_accepted"),
    [
        ({"http POST /notes": "method"}, 0, ("POST", "/notes", "two"), True),
        ({"http POST /notes": "method"}, 2, ("POST", "/orders", "milk"), False),
        ({"http POST /notes": "method"}, 0, ("POST", "/orders", "one"), False),
        ({"http POST /notes|POST /o*": "method"}, 2, ("POST", "/orders", "milk"), True),
        ({"http": "method", "http GET *": "exact"}, 2, ("POST", "/orders", "milk"), True),
        ({"http": "method", "http GET *": "exact"}, 3, ("GET", "/jobs/7", ""), False),
        ({"http GET *": "method", "http GET /jobs/1": "exact"}, 1, ("GET", "/jobs/2", ""), False),
    ],
)
def test_a_strategy_is_for_the_calls_that_it_names(
    tape: Path, strategy: Mapping[str, str], at: int, request_: Request, is_accepted: bool
) -> None:
    if is_accepted:
        assert len(session(tape, "none", changed(at, request_), strategy)) == len(RECORDED)
    else:
        with pytest.raises(DivergenceError):
            session(tape, "none", changed(at, request_), strategy)


def test_a_sequence_is_of_the_calls_that_share_a_name(tape: Path) -> None:
    requests = [("GET", "/jobs/8", ""), RECORDED[2], ("GET", "/jobs/9", ""), RECORDED[0]]

    answers = session(tape, "none", requests, {"http GET /jobs/*": "sequential"})

    assert [text.split()[1] for text in answers] == ["/jobs/1", "/orders", "/jobs/2", "/notes"]


def test_a_strategy_for_calls_that_are_not_made_is_reported(tape: Path) -> None:
    with pytest.warns(UnusedRuleWarning, match=r"strategy of http GET /job/\*  \(no such call"):
        session(tape, "none", RECORDED, {"http GET /job/*": "method"})


def test_a_loose_strategy_for_some_calls_contradicts_a_total_order(tape: Path) -> None:
    with pytest.raises(UsageError, match="contradicts order='total'"):
        session(tape, "none", RECORDED, {"http GET *": "sequential"}, order="total")


LOOSE: Any = {"strategy": "method_and_arguments", "leftovers": True}


def test_an_unknown_call_fails_alone_where_calls_are_independent(tape: Path) -> None:
    with pytest.raises(DivergenceError, match="GET /jobs/7"):
        session(tape, "none", [("GET", "/jobs/7", ""), RECORDED[2]], **LOOSE)
    with Cassette(tape, "none", **LOOSE) as cassette:
        client = httpx.Client(transport=http_transport(cassette))
        with pytest.raises(DivergenceError) as caught:
            client.get("http://x/jobs/7")
        assert client.get("http://x/jobs/2").text == "GET /jobs/2 b''"
        cassette.close(caught.value)


def test_all_unknown_calls_are_reported(tape: Path) -> None:
    requests = [("GET", "/jobs/7", ""), RECORDED[3], ("GET", "/jobs/8", "")]
    with pytest.raises(VerificationError, match="2 differences") as caught:
        session(tape, "none", requests, **LOOSE)
    assert [number in str(caught.value) for number in ("/jobs/7", "/jobs/8")] == [True, True]


def test_an_unknown_call_ends_a_replay_where_others_must_come(tape: Path) -> None:
    requests = [("GET", "/jobs/7", ""), RECORDED[3]]
    with pytest.raises(DivergenceError, match="/jobs/7"):
        session(tape, "none", requests, strategy="method_and_arguments")
