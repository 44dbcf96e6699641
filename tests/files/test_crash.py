"""What a killed process, a full disk and missing rights leave behind."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tape_data
from cassette_values import FORMATS, HEADER, SESSION, write
from tape_data import salvage

import vcr_gen
from vcr_gen.cli import main
from vcr_gen.errors import CassetteWriteError
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.tape.reading import Reading, partial_of
from vcr_gen.runtime.tape.recording import Recording

SOURCES = os.pathsep.join(
    str(path) for path in (Path(vcr_gen.__file__).parents[1], Path(tape_data.__file__).parent)
)
ENDINGS = pytest.mark.parametrize("suffix", list(FORMATS))

RECORDER = """
import sys
from pathlib import Path
from vcr_gen.runtime.tape.recording import Recording
recording = Recording(Path(sys.argv[1]))
recording.begin({"recorded_at": "2026-11-16T05:00:00+00:00"})
text = "line\\n\\n  - indented: 'é'\\n" * int(sys.argv[2])
for number in range(1_000_000_000):
    arguments = {"text": text, "after": "a\\n\\n\\n"}
    recording.append({"call": number + 1, "of": "Shell.run", "at": 0.0, "args": arguments})
    print(number, flush=True)
"""


def start(script: str, *arguments: str, **options) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def run(script: str, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    with start(script, *arguments, **options) as process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@ENDINGS
@pytest.mark.parametrize("lines", [1, 5_000], ids=["small events", "events of 100 kB"])
@pytest.mark.parametrize("after", [0.0, 0.03])
def test_a_kill_at_any_moment_costs_no_finished_event(tmp_path, suffix, lines, after, capsys):
    tape = tmp_path / f"tape.{suffix}"
    old = write(format_for(tape), HEADER, SESSION)
    tape.write_bytes(old)
    with start(RECORDER, str(tape), str(lines)) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        finished = [int(line) for line in (first + process.stdout.read()).split("\n")[:-1]]
    assert old == tape.read_bytes()
    saved = salvage(partial_of(tape))
    assert saved.header == {"vcr-gen": 1, "recorded_at": "2026-11-16T05:00:00+00:00"}
    assert saved.tear is not None
    # One event more may be whole: written, but the process died before it could say so.
    assert len(finished) <= len(saved.events) <= len(finished) + 1
    text = "line\n\n  - indented: 'é'\n" * lines
    for number, event in enumerate(saved.events):
        arguments = {"text": text, "after": "a\n\n\n"}
        assert event.data == {"call": number + 1, "of": "Shell.run", "at": 0.0, "args": arguments}

    assert main(["cassette", "check", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    events = "1 whole event\n" if len(saved.events) == 1 else f"{len(saved.events)} whole events\n"
    assert f"an interrupted recording that holds {events}" in told
    assert str(partial_of(tape)) in told

    command = ["cassette", "convert", "--salvage", "--force", str(partial_of(tape)), str(tape)]
    assert main(command) == 0
    with Reading(tape) as reading:
        assert reading.count == len(saved.events)
    recording = Recording(tape)  # the lock died with its process
    recording.finish(HEADER)
    assert [tape.name] == sorted(os.listdir(tmp_path))


FINISHER = """
import os, signal, sys
from pathlib import Path
from vcr_gen.runtime.tape import recording as recording_module
from vcr_gen.runtime.tape.reading import Reading, partial_of
from tape_data import salvage
tape, header, old = Path(sys.argv[1]), {"recorded_at": sys.argv[2]}, Path(sys.argv[1]).read_bytes()

def finish(at):  # kills itself at that step; the number of steps if there are fewer
    steps = 0
    def trace(frame, event, argument):
        nonlocal steps
        if frame.f_code.co_filename != recording_module.__file__:
            return None
        steps += 1
        if steps == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    recording = recording_module.Recording(tape)
    recording.begin({"recorded_at": "x"})
    for number in range(3):
        recording.append({"n": number})
    sys.settrace(trace)
    recording.finish(header)
    sys.settrace(None)
    return steps

for at in range(1, finish(0)):
    tape.write_bytes(old)
    child = os.fork()
    if not child:
        finish(at)
    os.waitpid(child, 0)
    saved = partial_of(tape)
    state = "old" if tape.read_bytes() == old else f"new {Reading(tape).count}"
    print(state, len(salvage(saved).events) if saved.exists() else "-")
"""


@ENDINGS
@pytest.mark.parametrize("header", ["x", "another"])
def test_a_kill_at_any_step_of_finishing_leaves_the_old_or_the_new_cassette(
    tmp_path, suffix, header
):
    tape = tmp_path / f"tape.{suffix}"
    tape.write_bytes(write(format_for(tape), HEADER, SESSION))
    told = run(FINISHER, str(tape), header).stdout.splitlines()
    assert len(told) > 30
    # Between two steps, a copy may be in place and the partial file still there.
    assert set(told) - {"new 3 3"} == {"old 3", "new 3 -"}


FILLER = """
import resource, sys
from pathlib import Path
from vcr_gen.errors import CassetteWriteError
from vcr_gen.runtime.tape.recording import Recording
limit = int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
recording = Recording(Path(sys.argv[1]))
recording.begin({"recorded_at": "x"})
number = 0
try:
    while True:
        recording.append({"n": number, "text": "some text\\n" * 40})
        number += 1
except CassetteWriteError as error:
    print(error)
for _ in range(30):     # what is smaller may still fit; what is not must not do harm
    try:
        recording.append({"n": number})
        number += 1
    except CassetteWriteError:
        break
try:
    recording.finish({"recorded_at": "x"})
    print("finished")
except CassetteWriteError as error:
    print(error)
print(number, recording.abandon())
"""


def assert_nothing_lost(tape: Path, old: bytes, told: list[str], reason: str) -> None:
    appended, finished, last = told
    assert f"{tape}: cannot be written: {reason}; " in appended
    number = int(last.partition(" ")[0])
    if finished == "finished":  # the end mark still found room
        with Reading(tape) as reading:
            assert [entry.data["n"] for entry in reading] == list(range(number))
        return
    assert f"{number} events are safe in {partial_of(tape)}" in finished
    assert old == tape.read_bytes()
    assert [entry.data["n"] for entry in salvage(partial_of(tape)).events] == list(range(number))


@ENDINGS
def test_a_file_that_must_not_grow_costs_neither_the_old_cassette_nor_an_event(tmp_path, suffix):
    tape = tmp_path / f"tape.{suffix}"
    old = write(format_for(tape), HEADER, SESSION)
    for limit in range(10_000, 10_060, 19):
        tape.write_bytes(old)
        partial_of(tape).unlink(missing_ok=True)
        done = run(FILLER, str(tape), str(limit))
        told = done.stdout.splitlines()
        assert_nothing_lost(tape, old, told, "File too large")


@ENDINGS
def test_a_full_disk_costs_neither_the_old_cassette_nor_an_event(tmp_path, suffix):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    mounted = subprocess.run(mount, check=False, capture_output=True)
    tape = disk / f"tape.{suffix}"
    target = str(tape)
    old = write(format_for(tape), HEADER, SESSION)
    if mounted.returncode:  # only root may mount: let the limit stand in for the disk
        tape.write_bytes(old)
        told = run(FILLER, target, "262144").stdout.splitlines()
        assert_nothing_lost(tape, old, told, "File too large")
        return
    try:
        tape.write_bytes(old)
        told = run(FILLER, target, "0").stdout.splitlines()
        assert_nothing_lost(tape, old, told, "No space left on device")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


FORBIDDEN = """
import os, sys
from pathlib import Path
from vcr_gen.errors import CassetteError
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.recording import Recording
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
for use in (Reading, Recording):
    try:
        use(Path(sys.argv[1]))
    except CassetteError as error:
        print(type(error).__name__, error)
"""


@ENDINGS
def test_missing_rights_are_a_clear_error(suffix):
    with TemporaryDirectory() as name:  # pytest's own folders let nobody else in
        folder = Path(os.path.realpath(name))
        tape = folder / f"tape.{suffix}"
        old = write(format_for(tape), HEADER, SESSION)
        tape.write_bytes(old)
        tape.chmod(0o000)
        folder.chmod(0o555)
        told = run(FORBIDDEN, str(tape), cwd="/").stdout.splitlines()
        folder.chmod(0o755)
        tape.chmod(0o644)
        assert old == tape.read_bytes()
    assert told == [
        f"CassetteError {tape}: cannot be read: Permission denied",
        f"CassetteWriteError {tape}: cannot be written: Permission denied",
    ]


def test_two_processes_cannot_record_the_same_cassette(tmp_path):
    tape = tmp_path / "tape.yaml"
    with start(RECORDER, str(tape), "1") as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(CassetteWriteError, match="another recording of it is running"):
            Recording(tape)
        process.kill()
    assert not re.search(r"partial\.1", " ".join(os.listdir(tmp_path)))
