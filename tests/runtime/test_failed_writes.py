"""A recording in which something is missing never replaces a cassette, whatever the program does.

The program itself runs as it would without vcr-gen: the close fails, not the call.
"""

import asyncio
import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from changing_world import World, session
from sample.application import Application
from sample.bridges import RealBus, RealFeed, RealShell
from tape_data import salvage
from vcr_sample import VcrBus, VcrFeed, VcrServer, VcrShell

from vcr_gen import Cassette
from vcr_gen.errors import CassetteWriteError, IncompleteError
from vcr_gen.runtime.tape import recording as recording_module
from vcr_gen.runtime.tape.reading import partial_of

MODES = ("once", "all", "new_episodes")


class Disk:
    """Takes so many pieces, and is full from then on, or for one piece."""

    def __init__(self, room, *, for_good=True):
        self.room = room
        self.for_good = for_good
        self._write_all = recording_module._write_all

    def write(self, handle, data):
        self.room -= 1
        if self.room == -1 or (self.room < 0 and self.for_good):
            raise OSError(errno.ENOSPC, "No space left on device")
        self._write_all(handle, data)


@pytest.fixture
def old(tape, request):
    """The bytes of a cassette that was there before; none for mode `once`."""
    mode = request.getfixturevalue("mode") if "mode" in request.fixturenames else "all"
    if mode == "once":
        return None
    session(tape.path, "all", 1)
    return tape.path.read_bytes()


def assert_kept(tape, old):
    assert (tape.path.read_bytes() if tape.path.exists() else None) == old


def read_some(tape, mode, count=5):
    """A program that goes on whatever it catches, and is told nothing."""
    with Cassette(tape.path, mode) as cassette:
        shell = VcrShell.attach(cassette, World)
        seen = [shell.read(number) for number in range(1, count + 1)]
        assert seen == list(range(1, count + 1))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("room", range(5))
def test_a_full_disk_fails_the_close(tape, mode, old, room, monkeypatch):
    monkeypatch.setattr(recording_module, "_write_all", Disk(room).write)
    assert_fails(tape, mode, old)
    monkeypatch.undo()
    read_some(tape, mode)  # nothing holds the file


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("room", range(5))
def test_a_disk_that_has_room_again_fails_the_close(tape, mode, old, room, monkeypatch):
    monkeypatch.setattr(recording_module, "_write_all", Disk(room, for_good=False).write)
    assert_fails(tape, mode, old)


def assert_fails(tape, mode, old):
    with pytest.raises((IncompleteError, CassetteWriteError), match="No space left on device"):
        read_some(tape, mode)
    assert_kept(tape, old)
    partial = partial_of(tape.path)
    if partial.exists():
        args = [entry.data["args"]["what"] for entry in salvage(partial).events]
        assert args == list(range(1, len(args) + 1))  # a beginning of the session, without a gap


@pytest.mark.parametrize("step", ["_seal", "_write_all", "replace"])
def test_a_failure_of_the_last_steps_fails_the_close(tape, old, step, monkeypatch):
    def fail(*_):
        raise OSError(errno.EIO, "Input/output error")

    cassette = Cassette(tape.path, "all")
    VcrShell.attach(cassette, World).read(7)
    monkeypatch.setattr(os if step == "replace" else recording_module, step, fail)
    with pytest.raises((IncompleteError, CassetteWriteError), match="Input/output error"):
        cassette.close()
    monkeypatch.undo()
    assert_kept(tape, old)
    assert partial_of(tape.path).exists()
    session(tape.path, "all", 1)


def test_a_recording_that_cannot_begin_new_episodes_fails_the_close(tape):
    session(tape.path, "all", 1)
    before = tape.path.read_bytes()
    other = Cassette(tape.path, "all")  # holds the partial file
    with pytest.raises(IncompleteError, match="another recording of it is running"):
        read_some(tape, "new_episodes")
    other.close(RuntimeError())
    assert before == tape.path.read_bytes()


def test_an_interrupt_while_an_event_is_written_fails_the_close(tape, old, monkeypatch):
    disk = Disk(2, for_good=False)

    def write(handle, data):
        try:
            disk.write(handle, data)
        except OSError:
            raise KeyboardInterrupt from None

    cassette = Cassette(tape.path, "all")
    shell = VcrShell.attach(cassette, World)
    monkeypatch.setattr(recording_module, "_write_all", write)
    assert shell.read(1) == 1
    with pytest.raises(KeyboardInterrupt):
        shell.read(2)
    assert shell.read(3) == 3
    with pytest.raises(IncompleteError, match="KeyboardInterrupt"):
        cassette.close()
    assert_kept(tape, old)


FULL = """
import resource, sys
sys.path[:0] = sys.argv[2].split(":")
from changing_world import session
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
print(len(session(sys.argv[1], "all", *range(2000))))
"""


def test_a_real_file_limit_fails_the_close(tape, old):
    path = ":".join(entry for entry in sys.path if entry)
    command = [sys.executable, "-c", FULL, str(tape.path), path]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert "IncompleteError" in done.stderr
    assert "File too large" in done.stderr
    assert_kept(tape, old)
    assert len(salvage(partial_of(tape.path)).events) > 20


# Values that cannot be stored ---------------------------------------------------------------------


class Odd:
    """Nothing can store it."""

    def __init__(self):
        self.lock = threading.Lock()


class Strange(RealShell):
    """Answers with what no codec knows."""

    def read(self, what, *, twice=False):
        return Odd()

    async def arun(self, name, delay=0.0):
        return Odd()

    def fail(self, kind):
        error = LookupError(kind)
        error.response = Odd()
        raise error


def test_an_argument_or_a_result_that_cannot_be_stored_still_crosses(tape, old):
    cassette = Cassette(tape.path, "all")
    shell = VcrShell.attach(cassette, Strange)
    assert shell.store([1, Odd()]) == 2
    assert isinstance(shell.read("a"), Odd)
    with pytest.raises(LookupError) as raised:
        shell.fail("x")
    assert isinstance(raised.value.response, Odd)
    assert isinstance(asyncio.run(shell.arun("x")), Odd)
    with pytest.raises(IncompleteError) as caught:
        cassette.close()
    text = str(caught.value)
    for place in (
        "argument `values`[1]",
        "Shell.read#2: result",
        "Shell.arun: result",
        ".response",
    ):
        assert place in text  # all of them at once
    assert f"{Path(__file__).name}:" in text  # and where
    assert_kept(tape, old)


def test_items_and_answers_that_cannot_be_stored_still_cross(tape, old):
    class StrangeFeed(RealFeed):
        def lines(self, name):
            yield from ("a", Odd(), "c")

    class Answering(Application):
        def status(self):
            return Odd()

    cassette = Cassette(tape.path, "all")
    first, second, third = VcrFeed.attach(cassette, StrangeFeed).lines("x")
    assert (first, type(second), third) == ("a", Odd, "c")
    assert isinstance(VcrServer(cassette=cassette, inner=Answering()).status(), Odd)
    answers = []
    VcrBus.attach(cassette, RealBus).on("topic", lambda number: answers.append(number) or Odd())
    assert answers
    with pytest.raises(IncompleteError) as caught:
        cassette.close()
    assert "Feed.lines: result" in str(caught.value)
    assert "server.status: result" in str(caught.value)
    assert "the function given to Bus.on as `notify`: result" in str(caught.value)
    assert_kept(tape, old)


def test_a_hook_that_raises_fails_the_close(tape, old):
    def hook(event):
        raise ZeroDivisionError(event.method)

    with (
        pytest.raises(IncompleteError, match="read"),
        Cassette(tape.path, "all", before_record=hook) as cassette,
    ):
        assert VcrShell.attach(cassette, World).read(1) == 1
    assert_kept(tape, old)


def test_a_value_that_cannot_be_stored_fails_a_verification(tape):
    session(tape.path, "all", 1)
    with pytest.raises(IncompleteError, match="result"), Cassette(tape.path, "verify") as cassette:
        VcrShell.attach(cassette, Strange).read(1)
