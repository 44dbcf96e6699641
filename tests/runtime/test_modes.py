"""What each mode does with a cassette, and what closing it says."""

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from sample.bridges import RealDatabase, RealFeed, RealShell
from sample.models import Step
from taping import entries, forbidden
from vcr_sample import VcrDatabase, VcrFeed, VcrShell

from vcr_gen import Cassette, Mode
from vcr_gen.errors import (
    CassetteError,
    CassetteMissingError,
    DivergenceError,
    EncodeError,
    IncompleteError,
    UnusedEventsError,
    UsageError,
    VerificationError,
)
from vcr_gen.runtime.cassette import StaleCassetteWarning


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    monkeypatch.delenv("VCR_RECORD", raising=False)
    monkeypatch.delenv("CI", raising=False)


class World(RealShell):
    """A world that changes: everything it reads grows by `more`."""

    more = 0
    calls = 0

    def read(self, what, *, twice=False):
        World.calls += 1
        return what + self.more


def session(path, mode, *numbers, **options):
    """Read the numbers and return what came back."""
    with Cassette(path, mode, **options) as cassette:
        shell = VcrShell.attach(cassette, World)
        return [shell.read(number) for number in numbers]


@pytest.mark.parametrize("mode", ["once", "new_episodes", "all", "rewrite", Mode.ONCE, Mode.ALL])
def test_these_modes_record_where_there_is_no_cassette(tape, mode):
    assert session(tape.path, mode, 1, 2) == [1, 2]
    assert len(entries(tape.path)) == 2


@pytest.mark.parametrize("mode", ["none", "once", Mode.NONE])
def test_these_modes_replay_what_is_there(tape, mode, monkeypatch):
    session(tape.path, "all", 1, 2)
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, mode, 1, 2) == [1, 2]


@pytest.mark.parametrize("mode", ["none", "verify"])
def test_these_modes_need_a_cassette(tape, mode):
    with pytest.raises(CassetteMissingError, match="VCR_RECORD=1"):
        session(tape.path, mode, 1)
    assert not tape.path.exists()


@pytest.mark.parametrize("mode", ["all", "rewrite"])
def test_these_modes_record_afresh(tape, mode, monkeypatch):
    session(tape.path, "all", 1, 2)
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, mode, 3) == [13]
    assert [entry["returned"] for entry in entries(tape.path)] == [13]


def test_new_episodes_replays_the_tape_and_records_what_follows(tape, monkeypatch):
    session(tape.path, "all", 1, 2)
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, "new_episodes", 1, 2, 3) == [1, 2, 13]
    assert session(tape.path, "none", 1, 2, 3) == [1, 2, 13]
    assert [entry["call"] for entry in entries(tape.path)] == [1, 2, 3]


def test_new_episodes_without_new_ones_leaves_the_file_as_it_is(tape):
    session(tape.path, "all", 1, 2)
    before = tape.path.read_bytes()
    assert session(tape.path, "new_episodes", 1, 2) == [1, 2]
    assert tape.path.read_bytes() == before
    assert list(tape.path.parent.iterdir()) == [tape.path]


def test_new_episodes_still_fails_on_divergence(tape):
    session(tape.path, "all", 1, 2)
    before = tape.path.read_bytes()
    with pytest.raises(DivergenceError):
        session(tape.path, "new_episodes", 1, 5)
    assert tape.path.read_bytes() == before


def test_new_episodes_continues_with_handles_streams_and_async_calls(tape):
    def first(feed):
        return list(feed.lines("ab"))

    async def both(feed):
        return [*first(feed), *[item async for item in feed.alines("xy")], *feed.lines("c")]

    def run(mode):
        with Cassette(tape.path, mode) as cassette:
            return asyncio.run(both(VcrFeed.attach(cassette, RealFeed)))

    tape.record(VcrFeed, RealFeed, first)
    assert run("new_episodes") == ["a", "b", "x", "y", "c"]
    assert run("none") == ["a", "b", "x", "y", "c"]


@pytest.mark.parametrize("use", ["call", "argument", "manager"])
@pytest.mark.parametrize("swallowed", [False, True])
def test_an_object_of_the_recorded_part_cannot_be_used_in_new_episodes(tape, use, swallowed):
    def begin(database):
        return database.cursor(), database.transaction()

    def go_on(database):
        cursor, manager = begin(database)
        with suppress(*([Exception] if swallowed else [])):
            if use == "call":
                cursor.fetch(1)
            elif use == "argument":
                database.use(cursor)
            else:
                manager.__enter__()

    tape.record(VcrDatabase, RealDatabase, begin)
    before = tape.path.read_bytes()
    with (
        pytest.raises(IncompleteError if swallowed else EncodeError, match="only the recorded"),
        Cassette(tape.path, "new_episodes") as cassette,
    ):
        go_on(VcrDatabase.attach(cassette, RealDatabase))
    assert tape.path.read_bytes() == before


def test_a_value_that_cannot_be_stored_fails_new_episodes_even_when_swallowed(tape):
    session(tape.path, "all", 1)
    before = tape.path.read_bytes()

    def more(shell):
        shell.read(1)
        with suppress(EncodeError):
            shell.store([object()])
        shell.read(2)

    with (
        pytest.raises(IncompleteError, match=r"Shell\.store"),
        Cassette(tape.path, "new_episodes") as cassette,
    ):
        more(VcrShell.attach(cassette, World))
    assert tape.path.read_bytes() == before


def test_verify_passes_while_the_world_behaves_as_recorded(tape):
    session(tape.path, "all", 1, 2)
    before = tape.path.read_bytes()
    World.calls = 0
    assert session(tape.path, "verify", 1, 2) == [1, 2]
    assert World.calls == 2
    assert tape.path.read_bytes() == before


def test_verify_reports_every_difference_at_once(tape, monkeypatch):
    session(tape.path, "all", 1, 2, 3)
    monkeypatch.setattr(World, "more", 10)
    with pytest.raises(VerificationError) as caught:
        session(tape.path, "verify", 1, 2, 3)
    assert len(caught.value.differences) == 3
    assert re.search(r"tape\.\w+:\d+", str(caught.value))


@pytest.mark.parametrize("numbers", [(1,), (1, 2, 3)])
def test_verify_reports_missing_and_additional_calls(tape, numbers):
    session(tape.path, "all", 1, 2)
    with pytest.raises(VerificationError):
        session(tape.path, "verify", *numbers)


def test_vcr_record_records_in_any_mode(tape, monkeypatch):
    session(tape.path, "all", 1)
    monkeypatch.setenv("VCR_RECORD", "1")
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, "none", 1) == [11]
    assert session(tape.path, None, 1) == [11]
    monkeypatch.setenv("VCR_RECORD", "0")
    assert session(tape.path, "none", 1) == [11]


def test_without_a_word_the_mode_is_once_and_in_ci_none(tmp_path, monkeypatch):
    assert Cassette(tmp_path / "a.yaml").mode is Mode.ONCE
    monkeypatch.setenv("CI", "true")
    with pytest.raises(CassetteMissingError):
        Cassette(tmp_path / "b.yaml")


def test_an_unknown_mode_names_the_known_ones(tmp_path):
    with pytest.raises(UsageError, match="none, once, new_episodes, all, verify, rewrite"):
        Cassette(tmp_path / "a.yaml", "sometimes")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"when_stale": "wurst"}, "unknown when_stale 'wurst': expected one of warn, fail, record"),
        ({"max_age": 5}, "max_age: expected a timedelta; got 5"),
        ({"initial_state": {1: 2}}, "initial_state: expected names as its keys; got 1"),
    ],
)
def test_options_that_mean_nothing_are_refused_before_a_file_is_touched(tmp_path, options, words):
    with pytest.raises(UsageError, match=re.escape(words)):
        Cassette(tmp_path / "tape.yaml", "all", **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("no", ["", "0", "false", "False"])
def test_variables_that_say_no_are_as_if_they_were_not_set(tmp_path, monkeypatch, no):
    monkeypatch.setenv("VCR_RECORD", no)
    monkeypatch.setenv("CI", no)
    with Cassette(tmp_path / "tape.yaml") as cassette:
        assert cassette.mode is Mode.ONCE


def test_what_a_test_may_ask_a_cassette(tape):
    with Cassette(tape.path, "all") as cassette:
        assert (cassette.recording, cassette.calls_real, cassette.remaining) == (True, True, 0)
        VcrShell(cassette=cassette, inner=RealShell()).read(1)
    with Cassette(tape.path, "none") as cassette:
        assert (cassette.recording, cassette.calls_real, cassette.remaining) == (False, False, 2)
        VcrShell(cassette=cassette).read(1)
        assert cassette.remaining == 0


def test_a_recording_that_is_too_old_warns_fails_or_is_made_anew(tape, monkeypatch):
    session(tape.path, "all", 1)
    monkeypatch.setattr(World, "more", 10)
    old = re.sub(rb"20\d\d-", b"2001-", tape.path.read_bytes(), count=1)
    tape.path.write_bytes(old)
    week = timedelta(days=7)
    assert session(tape.path, "none", 1) == [1]
    with pytest.warns(StaleCassetteWarning, match="days old") as warned:
        assert session(tape.path, "none", 1, max_age=week) == [1]
    assert [warning.filename for warning in warned] == [__file__]  # not a place of ours
    with pytest.raises(CassetteError, match="days old"):
        session(tape.path, "none", 1, max_age=week, when_stale="fail")
    with pytest.raises(CassetteError, match=r"days old.*\n\nhint: mode 'none' never records"):
        session(tape.path, "none", 1, max_age=week, when_stale="record")
    assert tape.path.read_bytes() == old
    assert session(tape.path, "once", 1, max_age=week, when_stale="record") == [11]
    assert session(tape.path, "none", 1, max_age=week, when_stale="fail") == [11]


def test_a_cassette_may_carry_its_maximum_age(tape):
    session(tape.path, "all", 1, max_age=timedelta(days=7))
    tape.path.write_bytes(re.sub(rb"20\d\d-", b"2001-", tape.path.read_bytes(), count=1))
    with pytest.warns(StaleCassetteWarning):
        session(tape.path, "none", 1)


def test_the_initial_state_is_read_back_in_a_replay(tape):
    state = {"cwd": Path("/work"), "names": ("a", "b"), "deep": {"n": [1.5, None]}}
    with Cassette(tape.path, "all", initial_state=state) as cassette:
        assert cassette.initial_state == state
    with Cassette(tape.path, "none", initial_state={"ignored": 1}) as cassette:
        assert cassette.initial_state == state
    with Cassette(tape.path, "verify") as cassette:
        assert cassette.initial_state == state


def test_a_cassette_recorded_in_one_folder_replays_in_another(tape):
    def program(root):
        return lambda shell: shell.run(Step("x"), cwd=root / "sub").log == root / "sub" / "log"

    here, there = Path("/somewhere/here"), Path("/another/place")
    assert tape.record(VcrShell, RealShell, program(here), anchors={"project": here})
    assert b"/somewhere" not in tape.path.read_bytes()
    assert tape.replay(VcrShell, program(there), anchors={"project": there})


def test_an_anchor_of_the_recording_must_be_declared(tape):
    tape.record(VcrShell, RealShell, lambda shell: shell.read(1), anchors={"project": "/work"})
    with pytest.raises(UsageError, match="'project'"):
        Cassette(tape.path, "none")


def test_a_failing_session_leaves_the_old_cassette_and_a_partial_file(tape):
    session(tape.path, "all", 1)
    before = tape.path.read_bytes()

    def fails(shell):
        shell.read(2)
        raise ZeroDivisionError("the program")

    with pytest.raises(ZeroDivisionError):
        tape.record(VcrShell, RealShell, fails)
    assert tape.path.read_bytes() == before
    assert Path(f"{tape.path}.partial").stat().st_size > 0


def test_a_session_that_recorded_nothing_is_a_cassette_too(tape):
    with Cassette(tape.path, "all"):
        pass
    with Cassette(tape.path, "none") as cassette:
        assert cassette.remaining == 0


def test_an_outbound_wrapper_needs_an_inner_exactly_when_it_may_call_it(tape):
    session(tape.path, "all", 1)
    recording = Cassette(tape.path, "all")
    with pytest.raises(UsageError, match="needs inner"):
        VcrShell(cassette=recording)
    recording.close()
    replaying = Cassette(tape.path, "none")
    with pytest.raises(UsageError, match="given an inner in a replay"):
        VcrShell(cassette=replaying, inner=RealShell())
    replaying.close()


def test_attach_builds_the_real_thing_only_when_it_may_be_called(tape):
    session(tape.path, "all", 1)
    with Cassette(tape.path, "none") as cassette:
        assert VcrShell.attach(cassette, forbidden).read(1) == 1


def test_a_closed_cassette_takes_no_wrappers_and_no_calls(tape):
    with Cassette(tape.path, "all") as cassette:
        shell = VcrShell(cassette=cassette, inner=RealShell())
    with pytest.raises(UsageError, match="closed"):
        VcrShell(cassette=cassette, inner=RealShell())
    with pytest.raises(UsageError, match="closed"):
        shell.read(1)
    with Cassette(tape.path, "none") as cassette:
        shell = VcrShell(cassette=cassette)
    with pytest.raises(UsageError, match="closed"):
        shell.read(1)


_FORKS = """
import os, sys
from sample.bridges import RealShell
from vcr_gen import Cassette
from vcr_gen.errors import UsageError
from vcr_sample import VcrShell

with Cassette(sys.argv[1], sys.argv[2]) as cassette:
    shell = VcrShell.attach(cassette, RealShell)
    print(shell.grep("before"), flush=True)
    if not os.fork():
        for use in (lambda: shell.grep("child"), lambda: VcrShell.attach(cassette, RealShell)):
            try:
                use()
            except UsageError as error:
                print("refused:", str(error).partition("hint: ")[2], flush=True)
        sys.exit()  # through the end of the block
    os.wait()
    print(shell.grep("after"))
"""


def test_a_forked_process_can_neither_use_nor_spoil_the_tape_of_its_parent(tape):
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]}
    for mode in ("all", "none"):
        command = [sys.executable, "-c", _FORKS, str(tape.path), mode]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [
            "['before', 'before']",
            "refused: make the call there, or open a cassette of its own in the child",
            "refused: open a cassette of its own in a forked process",
            "['after', 'after']",
        ]
    assert [entry["args"]["pattern"] for entry in entries(tape.path)] == ["before", "after"]


def test_closing_twice_is_closing_once(tape):
    cassette = Cassette(tape.path, "all")
    cassette.close()
    cassette.close()


def test_a_divergence_that_the_application_swallows_is_raised_at_close(tape):
    session(tape.path, "all", 1)
    cassette = Cassette(tape.path, "none")
    shell = VcrShell(cassette=cassette)
    with suppress(BaseException):
        shell.read(2)
    with pytest.raises(DivergenceError, match=r"Shell\.read"):
        cassette.close()


def test_except_exception_does_not_swallow_a_divergence(tape):
    session(tape.path, "all", 1)

    def program(shell):
        try:
            return shell.read(2)
        except Exception:
            return "swallowed"

    with pytest.raises(DivergenceError):
        tape.replay(VcrShell, program)


def test_leftover_events_are_raised_at_close_with_their_places(tape):
    session(tape.path, "all", 1, 2, 3)
    with pytest.raises(UnusedEventsError) as caught:
        session(tape.path, "none", 1)
    assert [event.number for event in caught.value.events] == [2, 3]
    assert "Shell.read" in str(caught.value)
    assert re.search(r"tape\.\w+:\d+", str(caught.value))


def test_the_error_of_the_test_is_not_hidden_by_leftovers(tape):
    session(tape.path, "all", 1, 2)

    def program(shell):
        shell.read(1)
        raise ZeroDivisionError("the program")

    with pytest.raises(ZeroDivisionError):
        tape.replay(VcrShell, program)


def test_a_value_that_cannot_be_stored_names_the_parameter(tape):
    with pytest.raises(EncodeError, match=r"Shell\.store: argument `values`\[1\]"):
        tape.record(VcrShell, RealShell, lambda shell: shell.store([1, object()]))


def test_a_value_that_cannot_be_stored_fails_the_recording_even_when_swallowed(tape):
    session(tape.path, "all", 1)
    before = tape.path.read_bytes()

    def program(shell):
        try:
            shell.store([object()])
        except Exception:
            return shell.read(1)

    with pytest.raises(IncompleteError, match=r"Shell\.store"):
        tape.record(VcrShell, RealShell, program)
    assert tape.path.read_bytes() == before


def test_a_divergence_tells_all_that_one_needs(tape):
    def program(shell, name="build"):
        shell.read(1)
        shell.run(Step(name, ("a",)), cwd=Path("/x"))

    tape.record(VcrShell, RealShell, program)
    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrShell, lambda shell: program(shell, "bulid"))
    divergence, text = caught.value.divergence, str(caught.value)
    assert (divergence.boundary, divergence.method) == ("Shell", "run")
    assert divergence.event == 2  # as `vcr-gen cassette show` counts
    assert re.search(r"tape\.\w+:\d+", divergence.place)
    assert [found.path for found in divergence.differences] == ["step.name"]
    assert f"{Path(__file__).name}:" in divergence.call_site
    assert (divergence.kind, divergence.line) == ("argument", divergence.due.line)
    place = divergence.place.removeprefix(f"{Path.cwd()}/")
    for part in ("build", "bulid", place, divergence.call_site, divergence.hint):
        assert part in text


def test_a_secret_is_in_no_message(tape):
    tape.record(VcrShell, RealShell, lambda shell: shell.login("me", "hunter2"))
    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrShell, lambda shell: shell.login("you", "hunter3"))
    assert "hunter" not in str(caught.value)
    assert "hunter" not in repr(caught.value.divergence)


def test_a_replay_in_which_nothing_can_move_ends_at_once(tape):
    async def program(shell, forget=False):
        task = asyncio.create_task(shell.arun("one", 0.001))
        if not forget:
            await shell.arun("two", 0.002)
        await task

    tape.record(VcrShell, RealShell, program)
    started = time.perf_counter()
    with pytest.raises((DivergenceError, UnusedEventsError)):
        tape.replay(VcrShell, lambda shell: program(shell, forget=True))
    assert time.perf_counter() - started < 5


def test_a_failing_test_is_not_hidden_by_what_its_end_cancels(tape):
    async def program(shell, fail=False):
        slow = asyncio.create_task(shell.arun("slow", 0.05))
        await shell.arun("fast", 0.001)
        assert not fail, "the test's own failure"
        await slow

    tape.record(VcrShell, RealShell, program)
    with pytest.raises(AssertionError, match="the test's own failure") as failed:
        tape.replay(VcrShell, lambda shell: program(shell, fail=True))
    assert "was cancelled" in "".join(failed.value.__notes__)


def test_threads_share_a_tape(tape):
    def program(shell):
        results = {}

        def work(name):
            results[name] = [shell.read(f"{name}{number}") for number in range(5)]

        threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    tape.same(VcrShell, RealShell, program)


def test_consume_is_typed(tmp_path):
    import vcr_sample

    snippet = tmp_path / "driver.py"
    snippet.write_text(
        "from vcr_gen import Cassette\n"
        "from vcr_sample import ServerRun, ServerStart, VcrServer\n"
        "from sample.models import Result, Step\n\n\n"
        "async def drive(cassette: Cassette, server: VcrServer) -> tuple[Step, Result, str]:\n"
        "    call = cassette.consume(ServerRun)\n"
        "    return call.step, call(server), await cassette.consume(ServerStart)(server)\n"
    )
    generated = Path(vcr_sample.__file__).parent.parent
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-incremental", snippet],
        env={"MYPYPATH": f"{generated}:{here}:{here.parent.parent / 'src'}", "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ["Success: no issues found in 1 source file"], (
        done.stdout + done.stderr
    )
