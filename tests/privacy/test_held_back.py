"""Items of a stream that may end inside a secret: held back, but not for ever."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from fake_credentials import CREDENTIALS
from guarded.bridges import Echo
from tape_data import salvage
from vcr_guarded import VcrApi

from vcr_gen import Cassette
from vcr_gen.runtime.tape.stream_redaction_buffer import MOST_EVENTS

KEY = CREDENTIALS["anthropic-key"]

KILLED = """
import os, signal, sys
from guarded.bridges import Echo
from vcr_guarded import VcrApi
from vcr_gen import Cassette

class Killed(Echo):
    def text(self):
        yield "whole\\n"
        yield "so " + sys.argv[2][:30]
        os.kill(os.getpid(), signal.SIGKILL)

with Cassette(sys.argv[1], "all") as cassette:
    api = VcrApi(cassette=cassette, inner=Killed())
    api.ask("before")
    list(api.text())
"""


def test_a_killed_recording_loses_what_is_held_and_leaks_nothing(tmp_path):
    tape = tmp_path / "tape.jsonl"
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tape), KEY],
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    partial = Path(f"{tape}.partial")
    assert KEY[:12] not in partial.read_text()
    saved = salvage(partial).events
    assert [next(iter(entry.data)) for entry in saved] == ["call", "call", "item"]
    assert saved[-1].data["value"] == "whole\n"


def test_what_comes_between_two_pieces_keeps_its_place(tmp_path):
    tape = tmp_path / "tape.yaml"
    world = Echo()
    world.pieces = [f"so {KEY[:20]}", KEY[20:], " end"]

    def program(api: Any) -> list[Any]:
        seen: list[Any] = []
        for piece in api.text():
            seen += [len(piece) > 0, api.ask(len(seen))]
        return seen

    with Cassette(tape, "all") as cassette:
        recorded = program(VcrApi(cassette=cassette, inner=world))
    text = tape.read_text()
    assert (
        text.index("#1/2>") < text.index("value: 0") < text.index("#2/2>") < text.index("value: 2")
    )
    with Cassette(tape, "none") as cassette:
        assert program(VcrApi(cassette=cassette)) == recorded


def test_a_stream_that_pauses_inside_a_word_does_not_hold_everything(tmp_path):
    tape = tmp_path / "tape.jsonl"
    partial = Path(f"{tape}.partial")
    world = Echo()
    world.pieces = ["so half", "way", " end"]

    def program(api: Any) -> int:
        pieces = api.text()
        count = len([next(pieces)])
        for number in range(MOST_EVENTS):
            api.ask(number)
        if partial.exists():
            assert len(partial.read_text().splitlines()) > MOST_EVENTS // 2
        return count + len(list(pieces))

    with Cassette(tape, "all") as cassette:
        assert program(VcrApi(cassette=cassette, inner=world)) == 3
    with Cassette(tape, "none") as cassette:
        assert program(VcrApi(cassette=cassette)) == 3


def test_a_stream_that_pauses_inside_a_key_holds_it_until_it_is_whole(tmp_path):
    tape = tmp_path / "tape.jsonl"
    world = Echo()
    world.pieces = [f"so {KEY[:14]}", KEY[14:50], f"{KEY[50:]} end"]

    def program(api: Any) -> int:
        pieces = api.text()
        count = len([next(pieces)])
        for number in range(2 * MOST_EVENTS):
            api.ask(number)
        return count + len(list(pieces))

    with Cassette(tape, "all") as cassette:
        assert program(VcrApi(cassette=cassette, inner=world)) == 3
    text = tape.read_text()
    assert not any(KEY[n : n + 10] in text for n in range(7, len(KEY) - 10))
    with Cassette(tape, "none") as cassette:
        assert program(VcrApi(cassette=cassette)) == 3
