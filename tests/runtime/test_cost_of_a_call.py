"""What a session costs, counted rather than timed."""

import subprocess
import sys
from pathlib import Path

import pytest
from sample.bridges import RealShell
from sample.models import Step
from vcr_sample import VcrShell

from vcr_gen.runtime.codec.compiler import Compiler


def run_a_step(shell):
    return shell.run(Step("build", ("a",), {"cpu": 2}), cwd=Path("/work"))


def test_codecs_are_compiled_once_a_process(tape, monkeypatch):
    tape.same(VcrShell, RealShell, run_a_step)
    compiled = []
    compile_one = Compiler._compile

    def counted(compiler, annotation):
        compiled.append(annotation)
        return compile_one(compiler, annotation)

    monkeypatch.setattr(Compiler, "_compile", counted)
    tape.same(VcrShell, RealShell, run_a_step)
    assert compiled == []


_SYNCHRONOUS = """
import sys
from pathlib import Path

import vcr_gen
from vcr_gen.runtime import Boundary, Call, OutboundWrapper

assert not {"asyncio", "ssl", "yaml"} & set(sys.modules), "loaded by the import"

for mode in ("all", "none"):
    with vcr_gen.Cassette(Path(sys.argv[1]), mode):
        pass
assert not {"asyncio", "ssl"} & set(sys.modules), "loaded by a synchronous session"
"""


def test_asyncio_and_ssl_are_loaded_only_by_programs_that_use_them(tmp_path):
    command = [sys.executable, "-c", _SYNCHRONOUS, str(tmp_path / "tape.yaml")]
    subprocess.run(command, check=True)


def modules_crossed_by(call):
    """The modules of ours in which functions run while a call is made."""
    crossed = set()

    def note(frame, event, _):
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("vcr_gen."):
            crossed.add(name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return crossed


@pytest.mark.parametrize("mode", ["all", "none"])
def test_a_synchronous_call_crosses_few_modules(tape, mode):
    def program(shell):
        for number in range(3):
            shell.tell(f"{number}")
        crossed = modules_crossed_by(lambda: shell.tell("now"))
        shell.tell("last")
        return crossed

    crossed = tape.record(VcrShell, RealShell, program)
    if mode == "none":
        crossed = tape.replay(VcrShell, program)
    most = 25 if mode == "none" else 22 if tape.path.suffix == ".yaml" else 20
    assert len(crossed) <= most, sorted(crossed)
