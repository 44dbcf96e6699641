"""`before_record` and `before_replay` see every event exactly once, whatever kind of call it is."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from guarded.bridges import Echo
from guarded.ports import DeniedError, Login
from tape_data import read_tape
from vcr_guarded import VcrApi, VcrService

from vcr_gen import Cassette, DivergenceError, Driver, TapeEvent
from vcr_gen.errors import IncompleteError


class Watching:
    """A hook that changes nothing, and counts."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, int]] = []

    def __call__(self, event: TapeEvent) -> Any:
        self.seen.append((f"{event.boundary}.{event.method}", event.kind, event.number))
        return event.value

    def kinds(self) -> Counter[tuple[str, str]]:
        return Counter((of, kind) for of, kind, _ in self.seen)


async def everything(api: Any) -> None:
    """A call of every kind."""
    api.ask("sync")
    with pytest.raises(DeniedError):
        api.ask({"raise": "x"})
    await api.wait("async")
    assert list(api.text()) == ["a ", "b "]
    assert [piece async for piece in api.atext()] == ["a ", "b "]
    talk = api.talk("first")
    assert [next(talk), talk.send("second")] == ["first", "second"]
    with pytest.raises(KeyError):
        talk.throw(KeyError("third"))
    closed = api.text()
    next(closed)
    closed.close()
    api.watch(lambda news: f"heard {news}")
    api.log_in(Login("ada", "p"), "t")


OUT = {  # what the program does: compared in a replay
    ("Api.ask", "call"): 2,
    ("Api.wait", "call"): 1,
    ("Api.text", "call"): 2,
    ("Api.atext", "call"): 1,
    ("Api.talk", "call"): 1,
    ("Api.talk", "sent"): 1,
    ("Api.talk", "thrown"): 1,
    ("Api.watch", "call"): 1,
    ("Api.log_in", "call"): 1,
    ("callable.call", "returned"): 2,
}
IN = {  # what the environment does: fed in a replay
    ("Api.ask", "returned"): 1,
    ("Api.ask", "raised"): 1,
    ("Api.wait", "returned"): 1,
    ("Api.text", "item"): 3,
    ("Api.text", "returned"): 2,
    ("Api.atext", "item"): 2,
    ("Api.atext", "returned"): 1,
    ("Api.talk", "item"): 2,
    ("Api.talk", "raised"): 1,
    ("Api.watch", "returned"): 1,
    ("Api.log_in", "returned"): 1,
    ("callable.call", "call"): 2,
}


def session(tape: Any, mode: str, **hooks: Any) -> None:
    echo = Echo()
    echo.pieces = ["a ", "b "]
    with Cassette(tape, mode, **hooks) as cassette:
        asyncio.run(everything(VcrApi.attach(cassette, lambda: echo)))


def test_each_event_of_every_kind_is_seen_once(tmp_path):
    tape = tmp_path / "tape.yaml"
    recording, replay, recorded = Watching(), Watching(), Watching()
    session(tape, "all", before_record=recording, before_replay=lambda event: 1 / 0)
    assert recording.kinds() == Counter(OUT) + Counter(IN)
    session(tape, "none", before_record=replay, before_replay=recorded)
    assert replay.kinds() == Counter(OUT)
    assert recorded.kinds() == Counter(OUT) + Counter(IN)
    assert [seen for seen in recording.seen if seen[:2] == ("Api.text", "item")] == [
        ("Api.text", "item", number) for number in (1, 2, 3)
    ]


def test_verifying_and_going_on_run_them_once_too(tmp_path):
    tape = tmp_path / "tape.yaml"
    session(tape, "all")
    verifying = Watching()
    session(tape, "verify", before_record=verifying)
    assert verifying.kinds() == Counter(OUT) + Counter(IN)
    events = len(read_tape(tape))
    before, recorded = Watching(), Watching()
    with Cassette(tape, "new_episodes", before_record=before, before_replay=recorded) as cassette:
        echo = Echo()
        echo.pieces = ["a ", "b "]
        api = VcrApi(cassette=cassette, inner=echo)
        asyncio.run(everything(api))
        api.ask("one more")
    assert before.kinds() == Counter(OUT) + Counter(
        {("Api.ask", "call"): 1, ("Api.ask", "returned"): 1}
    )
    assert recorded.kinds() == Counter(OUT) + Counter(IN)
    assert len(read_tape(tape)) == events + 1


def test_a_call_that_is_compared_with_several_is_seen_once(tmp_path):
    tape = tmp_path / "tape.yaml"
    seen = Watching()
    with Cassette(tape, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        for number in range(5):
            api.ask({"n": number, "password": f"secret-{number}"})
    with Cassette(tape, "none", order="lanes", before_record=seen) as cassette:
        api = VcrApi(cassette=cassette)
        for number in (4, 3, 2, 1, 0):
            api.ask({"n": number, "password": f"dummy-{number}"})
    assert seen.kinds() == {("Api.ask", "call"): 5}


def test_inbound_calls_are_seen_once(tmp_path):
    tape = tmp_path / "tape.yaml"

    class Application:
        def answer(self, question: Any) -> Any:
            return f"{question}!"

        def tell(self, topic: str) -> Any:
            yield f"{topic} "
            yield "end "

    recording, replay = Watching(), Watching()
    with Cassette(tape, "all", before_record=recording) as cassette:
        service = VcrService(cassette=cassette, inner=Application())
        service.answer("who")
        list(service.tell("it"))
    with Cassette(tape, "none", before_record=replay) as cassette:
        Driver(cassette, VcrService(cassette=cassette, inner=Application())).run_sync()
    answers = {
        ("Service.answer", "returned"): 1,
        ("Service.tell", "item"): 2,
        ("Service.tell", "returned"): 1,
    }
    assert replay.kinds() == answers
    calls = {("Service.answer", "call"): 1, ("Service.tell", "call"): 1}
    assert recording.kinds() == Counter(answers) + Counter(calls)


def test_what_a_hook_gives_is_stored_compared_and_fed(tmp_path):
    tape = tmp_path / "tape.yaml"

    def without_time(event: TapeEvent) -> Any:
        if event.kind == "call":
            return {**event.value, "value": {**event.value["value"], "at": 0}}
        return event.value

    def warmer(event: TapeEvent) -> Any:
        return {"degrees": 30} if event.kind == "returned" else event.value

    with Cassette(tape, "all", before_record=without_time) as cassette:
        assert VcrApi(cassette=cassette, inner=Echo({"degrees": 3})).ask({"at": 17}) == {
            "degrees": 3
        }
    assert [entry["args"] for entry in read_tape(tape)] == [{"value": {"at": 0}}]
    with Cassette(tape, "none", before_record=without_time, before_replay=warmer) as cassette:
        assert VcrApi(cassette=cassette).ask({"at": 99}) == {"degrees": 30}
    with pytest.raises(DivergenceError), Cassette(tape, "none") as cassette:
        VcrApi(cassette=cassette).ask({"at": 99})


def test_what_a_hook_gives_is_redacted_and_checked(tmp_path):
    with Cassette(tmp_path / "a.yaml", "all", before_record=lambda _: {"password": "x-1"}) as it:
        VcrApi(cassette=it, inner=Echo()).ask("q")
    assert "x-1" not in (tmp_path / "a.yaml").read_text()
    cassette = Cassette(tmp_path / "b.yaml", "all", before_record=lambda _: object())
    VcrApi(cassette=cassette, inner=Echo()).ask("q")
    with pytest.raises(IncompleteError):
        cassette.close()
    cassette = Cassette(tmp_path / "c.yaml", "all", before_record=lambda _: "text")
    VcrApi(cassette=cassette, inner=Echo()).ask("q")
    with pytest.raises(IncompleteError, match="as a mapping"):
        cassette.close()


def test_an_event_that_a_hook_gets_shows_no_value_in_its_repr():
    event = TapeEvent(boundary="B", method="m", kind="call", number=1, value={"password": "x-1"})
    assert "x-1" not in repr(event)
