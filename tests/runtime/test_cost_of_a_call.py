"""What a session costs, counted rather than timed."""

from pathlib import Path

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
