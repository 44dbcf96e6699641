"""A function inside a record that goes out: the generator warns, and writes the wrappers."""

import json
import textwrap
from pathlib import Path

import pytest

from vcr_gen.cli import main

PORTS = """
from collections.abc import Callable
from dataclasses import dataclass
import dataclasses
from typing import Annotated, ClassVar, NamedTuple, Protocol, TypedDict, Optional
import typing as t
import attr
import attrs
import pydantic
from pydantic import BaseModel
import msgspec

from vcr_gen.boundary import ByName, Unrecorded, inbound, outbound

Handler = Callable[[int], int]
Named = Annotated[Callable[[int], int], ByName]

@dataclass
class D:
    hit: Callable[[int], int]
    alias_hit: Handler
    maybe_hit: Optional[Handler] = None
    list_hit: list[Handler] = dataclasses.field(default_factory=list)
    quoted_hit: "t.Callable[..., int] | None" = None
    named: Named | None = None
    marked: Annotated[Handler | None, ByName] = None
    free: Annotated[Handler | None, Unrecorded] = None
    shared: ClassVar[Handler]

@dataclasses.dataclass(frozen=True)
class Child(D):
    more_hit: Handler | None = None

@attrs.define
class A1:
    a_hit: Handler
@attrs.frozen
class A2:
    a_hit: Handler
@attr.s(auto_attribs=True)
class A3:
    a_hit: Handler
class P1(BaseModel):
    p_hit: Handler
class P2(P1):
    p_hit2: Handler
class P3(pydantic.BaseModel):
    p_hit: Handler
class M(msgspec.Struct):
    m_hit: Handler
class N(NamedTuple):
    n_hit: Handler
class TD(TypedDict):
    t_hit: Handler
class Plain:
    no: Handler
@dataclass
class Inner:
    i_hit: Handler
@dataclass
class Outer:
    inner: list[Inner]
@dataclass
class Result:
    no: Handler
@dataclass
class Skipped:
    no: Handler

@outbound
class Port(Protocol):
    def a(self, d: Child, a1: A1, a2: A2, a3: A3, p: P2 | P3, m: M, n: N) -> Result: ...
    def c(self, td: TD, plain: Plain) -> Result: ...
    def b(self, outer: Outer, callback: Handler, s: Annotated[Skipped, Unrecorded]) -> None: ...

@dataclass
class Answer:
    hit: Handler

@inbound
class Served(Protocol):
    def c(self, r: Result) -> Answer: ...
"""
"""Fields whose names end in `hit` are those to warn of."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with every kind of record."""
    (tmp_path / "pyproject.toml").write_text('[tool.vcr-gen]\nsources = ["."]\n')
    app = tmp_path / "app"
    app.mkdir()
    (app / "__init__.py").touch()
    (app / "ports.py").write_text(textwrap.dedent(PORTS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expected(project: Path) -> list[str]:
    lines = (project / "app" / "ports.py").read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if "hit: " in line or "hit2: " in line]
    return [f"app/ports.py:{number}:5: VCR209" for number in found]


def test_every_function_in_a_record_that_goes_out_is_warned_of(project, capsys):
    assert main(["--no-cache"]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "VCR209" in line]
    assert [" ".join(line.split(" ")[:2]) for line in told] == expected(project)
    assert (project / "generated" / "vcr_app" / "ports.py").exists()


def test_warnings_come_again_when_nothing_changed_and_go_when_they_are_mended(project, capsys):
    ports = project / "app" / "ports.py"
    for _ in range(2):
        assert main([]) == 0
        assert capsys.readouterr().err.count("VCR209") == len(expected(project))
    assert main(["--check"]) == 0
    assert "VCR209" in capsys.readouterr().err
    assert main(["-q"]) == 0
    assert "VCR209" not in capsys.readouterr().err
    alias = "Handler = Callable[[int], int]"
    marked = "Handler = Annotated[Callable[[int], int], ByName]"
    ports.write_text(ports.read_text().replace(alias, marked))
    assert main([]) == 0
    told = capsys.readouterr().err
    assert told.count("VCR209") == 2
    assert "`D.hit`" in told
    assert "`D.quoted_hit`" in told


def test_tools_get_warnings_as_warnings(project, capsys):
    assert main(["--output-format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "fine"
    assert {found["code"] for found in document["diagnostics"]} == {"VCR209"}
    (project / "generated" / "vcr_app" / "ports.py").unlink()
    assert main(["--check", "--output-format", "github"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert all(line.startswith("::warning ") for line in told if "title=VCR209" in line)
    assert any(line.startswith("::error ") for line in told)


def test_a_class_that_names_itself_among_the_arguments_of_a_base_is_read(project, capsys):
    ports = """
        from typing import Generic, Protocol, TypeVar
        from vcr_gen.boundary import outbound

        T = TypeVar("T")

        class Comparable(Generic[T]): ...

        class Money(Comparable["Money"]): ...

        @outbound
        class Bank(Protocol):
            def send(self, money: Money) -> None: ...
        """
    (project / "ports.py").write_text(textwrap.dedent(ports), encoding="utf-8")
    assert main([]) == 0, capsys.readouterr().err
