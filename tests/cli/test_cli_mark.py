"""`vcr-gen mark` adds a decorator and its import, and leaves every other byte alone."""

import os
import re
import stat
import subprocess
import sys

import pytest
from mini_project import Project

PROTOCOL = "class Clock(Protocol):\n    def now(self) -> float: ...\n"

CASES = {
    "an import after the others": """\
from typing import Protocol
«from vcr_gen.boundary import outbound
»

«@outbound
»class Clock(Protocol):
    def now(self) -> float: ...
""",
    "docstring, future import and comments stay in place": """\
#!/usr/bin/env python
# Ours.
'''Ports.'''

from __future__ import annotations

import typing as t  # short

# ours
from app import clocks
from . import zones
«from vcr_gen.boundary import outbound
»

# Tells the time.
«@outbound
»@t.runtime_checkable
class Clock(t.Protocol):  # small
    x: int
""",
    "an import that is there is extended": """\
from typing import Protocol
from vcr_gen.boundary import «outbound, »Secret, inbound  # marks

«@outbound
»class Clock(Protocol): ...
""",
    "an import in a column is extended": """\
from typing import Protocol
from vcr_gen.boundary import (
    «outbound, »inbound,
)

«@outbound
»class Clock(Protocol): ...
""",
    "an import with comments is extended": """\
from typing import Protocol
from vcr_gen.boundary import (
    «outbound, »inbound,  # in
)

«@outbound
»class Clock(Protocol): ...
""",
    "an alias is used": """\
from typing import Protocol
from vcr_gen.boundary import outbound as out

«@out
»class Clock(Protocol): ...
""",
    "the module is used": """\
from typing import Protocol
import vcr_gen.boundary

«@vcr_gen.boundary.outbound
»class Clock(Protocol): ...
""",
    "the module is used by its alias": """\
from typing import Protocol
from vcr_gen import boundary as marks

«@marks.outbound
»class Clock(Protocol): ...
""",
    "a mark of the package is used": """\
from typing import Protocol
from vcr_gen import outbound

«@outbound
»class Clock(Protocol): ...
""",
    "tabs, odd spaces and no newline at the end": """\
from typing import Protocol
«from vcr_gen.boundary import outbound

»if True:
\t«@outbound
\t»class  Clock ( Protocol ) :
\t\tx: 'int'""",
}
"""Files that declare `Clock`; the text between « and » is added."""


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("encoding", "newline"), [("utf-8", "\n"), ("utf-8-sig", "\r\n")])
def test_the_mark_and_its_import_are_added_and_nothing_else_changes(
    empty: Project, case: str, encoding: str, newline: str
) -> None:
    text = CASES[case].replace("\n", newline)
    before = re.sub("«[^»]*»", "", text).encode(encoding)
    after = re.sub("[«»]", "", text).encode(encoding)
    path = empty.write("src/app/ports.py", "")
    empty.write("src/app/__init__.py", "")
    path.write_bytes(before)
    path.chmod(0o640)
    run = empty.run("mark", "app.ports:Clock", "--outbound")
    assert (run.code, run.out) == (0, "marked src/app/ports.py: Clock is @outbound\n")
    assert run.err == "next: run vcr-gen\n"
    assert path.read_bytes() == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    run = empty.run("mark", "app.ports:Clock", "--outbound")
    unchanged = "unchanged src/app/ports.py: Clock is already marked @outbound\n"
    assert (run.code, run.out) == (0, unchanged)
    assert path.read_bytes() == after


def test_a_file_keeps_its_encoding_and_a_link_stays_one(empty: Project) -> None:
    real = empty.write("ports.py", "")
    text = "# -*- coding: latin-1 -*-\nfrom typing import Protocol\n\n# é\n" + PROTOCOL
    real.write_bytes(text.encode("latin-1"))
    link = empty.root / "src/app/ports.py"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    refused = empty.run("mark", "app.ports:Clock", "--inbound", "--name", "€")
    assert (refused.code, "iso-8859-1 cannot hold '€'" in refused.err) == (2, True)
    assert empty.run("mark", "app.ports:Clock", "--inbound", "--name", "die Uhr").code == 0
    assert link.is_symlink()
    expected = text.replace("# é\n", '# é\n@inbound(name="die Uhr")\n')
    imported = "import Protocol\nfrom vcr_gen.boundary import inbound\n"
    expected = expected.replace("import Protocol\n", imported)
    assert real.read_bytes().decode("latin-1") == expected


BROKEN = """
from typing import Protocol

from vcr_gen.boundary import inbound

outbound = 1


@inbound(name="server")
class Server(Protocol):
    def start(self) -> None: ...


class Clock(Protocol):
    class Inner(Protocol):
        x: int


class Real:
    def now(self) -> float: ...
"""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("app.ports:Server", "--outbound"),
            "src/app/ports.py:9:1: VCR411 `Server` is already marked `@inbound`",
        ),
        (
            ("app.ports:Server", "--inbound", "--name", "other"),
            "src/app/ports.py:9:1: VCR411 `Server` is already marked with the name 'server'",
        ),
        (
            ("app.ports:Clock", "--outbound"),
            "src/app/ports.py:13:1: VCR411 `outbound` means something else in line 5",
        ),
        (("app.ports:Real", "--inbound"), "src/app/ports.py:18:1: VCR104 `Real` is not a Protocol"),
        (("app.ports:Clock.Inner", "--inbound"), "Clock.Inner is a class inside another class"),
        (("app.ports:Clok", "--inbound"), "VCR411 there is no class Clok in app.ports"),
        (("app.prots:Clock", "--inbound"), "VCR411 there is no module app.prots"),
        (("app.broken:Clock", "--inbound"), "src/app/broken.py:1:"),
        (("typing:SupportsInt", "--inbound"), "VCR411 typing is not a module of the project"),
        (("app.ports:Clock", "--inbound", "--name", ""), "--name: VCR411 the name is empty"),
        (("src/app/ports.py:Clock", "--inbound"), "name the module as Python imports it"),
    ],
)
def test_what_cannot_be_marked_is_refused_with_its_place(
    empty: Project, arguments: tuple[str, ...], message: str
) -> None:
    empty.write("src/app/__init__.py", "")
    empty.write("src/app/broken.py", "class Clock(:\n")
    empty.write("src/app/ports.py", BROKEN)
    before = empty.files("src")
    run = empty.run("mark", *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert run.err.endswith("1 problem; nothing was written\n")
    assert empty.files("src") == before


def test_a_direction_must_be_given(empty: Project) -> None:
    run = empty.run("mark", "app.ports:Clock")
    assert run.code == 2
    assert "one of the arguments --outbound --inbound is required" in run.err


def test_a_read_only_file_is_left_alone(empty: Project) -> None:
    path = empty.write("src/app/ports.py", f"from typing import Protocol\n\n{PROTOCOL}")
    path.chmod(0o444)
    run = empty.run("mark", "app.ports:Clock", "--outbound")
    assert (run.code, run.out) == (2, "")
    assert "src/app/ports.py: VCR303 the file is read-only" in run.err
    assert "@outbound" not in empty.read("src/app/ports.py")


SESSION = """
import sys

from vcr_app.ports import VcrClock

from vcr_gen.runtime import Cassette


class RealClock:
    def now(self) -> float:
        assert sys.argv[2] == "once"
        return 42.0


with Cassette(sys.argv[1], mode=sys.argv[2]) as cassette:
    print(VcrClock.attach(cassette, RealClock).now())
"""


def test_a_marked_protocol_is_generated_recorded_and_replayed(empty: Project) -> None:
    empty.write("src/app/__init__.py", "")
    empty.write("src/app/ports.py", f"from typing import Protocol\n\n\n{PROTOCOL}")
    assert empty.run("mark", "app.ports:Clock", "--outbound", "--name", "clock").code == 0
    assert empty.run("-q").code == 0
    session = empty.write("session.py", SESSION)
    for mode in ("once", "none"):
        done = subprocess.run(
            [sys.executable, session, "clock.yaml", mode],
            cwd=empty.root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(["src", "generated"])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("42.0\n", "")
    assert "clock.now" in empty.read("clock.yaml")
