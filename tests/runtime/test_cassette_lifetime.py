"""A cassette from its opening to its close: who may use it, and what is left on the disk."""

import gc
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from traceback import extract_tb

import anyio
import pytest
from changing_world import session
from sample.bridges import RealShell
from tape_data import read_tape
from taping import forbidden
from vcr_sample import VcrShell

from vcr_gen import Cassette, CassetteError, InexactReplayWarning
from vcr_gen.errors import CassetteMissingError, UnusedEventsError, UsageError
from vcr_gen.runtime.failures.call_sites import shown_path


def test_what_a_test_may_ask_a_cassette(tape):
    with Cassette(tape.path, "all") as cassette:
        assert (cassette.recording, cassette.calls_real, cassette.remaining) == (True, True, 0)
        VcrShell(cassette=cassette, inner=RealShell()).read(1)
    with Cassette(tape.path, "none") as cassette:
        assert (cassette.recording, cassette.calls_real, cassette.remaining) == (False, False, 1)
        VcrShell(cassette=cassette).read(1)
        assert cassette.remaining == 0


def test_remaining_counts_as_check_and_the_errors_do(tape):
    tape.record(VcrShell, RealShell, lambda shell: [shell.read(1), shell.read(2), shell.read(3)])
    in_the_file = len(read_tape(tape.path))
    cassette = Cassette(tape.path, "none")
    assert in_the_file == cassette.remaining == 3
    VcrShell(cassette=cassette).read(1)
    assert cassette.remaining == 2
    with pytest.raises(UnusedEventsError) as caught:
        cassette.close()
    assert len(caught.value.events) == 2


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
    with pytest.raises(UsageError, match="got an inner in a replay"):
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
from vcr_gen import Cassette, InexactReplayWarning
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
            "refused: make the call there, or open a separate cassette in the child",
            "refused: open a separate cassette in the forked process",
            "['after', 'after']",
        ]
    assert [entry["args"]["pattern"] for entry in read_tape(tape.path)] == ["before", "after"]


def test_closing_twice_is_closing_once(tape):
    cassette = Cassette(tape.path, "all")
    cassette.close()
    closed = tape.path.read_bytes()
    cassette.close()
    assert tape.path.read_bytes() == closed


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_recording_on_a_loop_that_another_cassette_has_warns(tmp_path, loop):
    async def program():
        await anyio.sleep(0)
        with Cassette(tmp_path / "first.yaml", "all") as first:
            VcrShell.attach(first, RealShell).tell("a")
            with (
                pytest.warns(InexactReplayWarning, match="another cassette was open on the same"),
                Cassette(tmp_path / "second.yaml", "all") as second,
            ):
                VcrShell.attach(second, RealShell).tell("b")
        with Cassette(tmp_path / "third.yaml", "all") as third:
            VcrShell.attach(third, RealShell).tell("c")

    anyio.run(program, backend_options={"use_uvloop": loop == "uvloop"})


@pytest.mark.parametrize("text", [None, "no cassette at all"])
def test_one_that_cannot_be_opened_shows_the_line_of_the_user_alone(tape, text):
    if text is not None:
        tape.path.write_text(text)
    with pytest.raises(CassetteError) as caught:
        Cassette(tape.path, "none")

    assert [__file__] == [entry.filename for entry in extract_tb(caught.value.__traceback__)]


def leave_open(path, mode):
    """Use a cassette, and forget it; the warnings that Python then issues."""

    def forget():
        cassette = Cassette(path, mode)
        VcrShell.attach(cassette, RealShell).read(1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        forget()
        gc.collect()
    return [each for each in caught if "the cassette was never closed" in str(each.message)]


CLOSE_IT = "open it with `with Cassette(…) as cassette:`"


def test_a_recording_that_is_never_closed_is_reported_now_and_in_the_next_run(tape):
    (now,) = leave_open(tape.path, "once")
    assert now.category is ResourceWarning
    assert str(now.message) == (
        f"{tape.path}: the cassette was never closed, so the recording is not saved; {CLOSE_IT}"
    )
    line = leave_open.__code__.co_firstlineno + 4
    assert (now.filename, now.lineno) == (__file__, line)
    with pytest.raises(CassetteMissingError, match=rf"never closed, opened at .*:{line}, left "):
        Cassette(tape.path, "none")
    place = f"{shown_path(Path(__file__))}:{line}"
    later = (
        f"{tape.path}: the last recording was not saved, because the cassette opened at {place} "
        f"was never closed; {CLOSE_IT}"
    )
    with pytest.warns(UserWarning, match=f"^{re.escape(later)}$"):
        session(tape.path, "once", 1)
    session(tape.path, "once", 1)


def test_a_recording_is_never_closed_at_the_end_of_a_program_either(tape):
    program = (
        "import sys\nfrom vcr_gen import Cassette\n"
        "from sample.bridges import RealShell\nfrom vcr_sample import VcrShell\n"
        "kept = Cassette(sys.argv[1], 'all')\nVcrShell.attach(kept, RealShell).read(1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-Wdefault::ResourceWarning", "-c", program, tape.path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "the cassette was never closed, so the recording is not saved" in done.stderr
    with pytest.warns(UserWarning, match="opened at <string>:5 was never closed"):
        session(tape.path, "once", 1)


def test_a_warning_that_is_an_error_is_raised_once(tape):
    leave_open(tape.path, "once")
    with pytest.raises(UserWarning, match="was never closed"):
        session(tape.path, "once", 1)
    assert session(tape.path, "once", 1) == [1]


def test_a_replay_that_is_never_closed_is_reported(tape):
    session(tape.path, "all", 1)
    (warning,) = leave_open(tape.path, "none")
    assert str(warning.message) == (
        f"{tape.path}: the cassette was never closed, so unused events were not reported; "
        f"{CLOSE_IT}"
    )
