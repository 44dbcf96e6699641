"""Types from inside of extension modules: they have stubs, and no file that runs."""

import importlib
import inspect
from pathlib import Path

import pytest
from gen_projects import write

from vcr_gen.gen.pipeline.generation import generate

ENGINE = '''\
"""Stands in for an extension module, which makes the modules inside of it."""

import sys
from types import ModuleType

core = ModuleType(f"{__name__}.core")
core.Frame = type("Frame", (), {})
sys.modules[core.__name__] = core
'''
PORTS = """\
from typing import Protocol

from vcr_gen.boundary import outbound

from traced.engine.core import Frame as StackFrame


@outbound
class Tracer(Protocol):
    def trace(self, frame: StackFrame) -> list[StackFrame]: ...
"""


def test_a_type_from_inside_of_an_extension_module_is_in_the_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = write(
        tmp_path,
        {
            "traced/engine/__init__.py": ENGINE,
            "traced/engine/core.pyi": "class Frame: ...\n",
            "traced/ports.py": PORTS,
        },
    )
    for file in generate(config).files:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_text(file.text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(config.output)
    declared = importlib.import_module("traced.ports").Tracer
    wrapper = importlib.import_module("vcr_traced.ports").VcrTracer
    assert inspect.signature(declared.trace) == inspect.signature(wrapper.trace)
