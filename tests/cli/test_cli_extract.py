import ast
import sys

import pytest
from mini_project import Project

SHELL = '''
from __future__ import annotations

import subprocess as sp
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from .base import Base

if TYPE_CHECKING:
    from logging import Logger

DEFAULT = 3


class Out:
    """What came out."""


class Shell(Base):
    """Runs commands.

    For real.
    """

    timeout: float
    _secret: int = 3

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(
        self, command: str, *args: str, cwd: Path = Path("."), n: int = DEFAULT,
        k="a", mode: Literal["Path", "x y"] = "x y", log: Logger | None = None,
    ) -> Out:
        """Run one command."""
        return Out()

    async def lines(self, process: sp.Popen[str]) -> AsyncIterator[str]:
        yield "a"

    async def wait(self) -> int:
        return 1

    @contextmanager
    def locked(self) -> Iterator[Shell]:
        yield self

    @property
    def name(self) -> str:
        return "x"

    @name.setter
    def name(self, value: str) -> None: ...

    @cached_property
    def size(self) -> int:
        return 1

    @staticmethod
    def make(x: int, /, y: int) -> "Shell":
        return Shell(Path())

    @overload
    def get(self, key: int) -> int: ...
    @overload
    def get(self, key: str) -> str: ...
    def get(self, key: object) -> object:
        return key

    def nothing(self):
        print(1)

    def something(self):
        return 1

    def _private(self) -> None: ...

    def __len__(self) -> int:
        return 1
'''

EXPECTED = '''\
"""The boundary `Shell`, taken from `app.shell.Shell`."""

from __future__ import annotations

import subprocess as sp
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from app.shell import DEFAULT, Out
from vcr_gen.boundary import outbound

if TYPE_CHECKING:
    from logging import Logger


@outbound
class Shell(Protocol):
    """Runs commands.

    For real.
    """

    timeout: float

    def run(
        self,
        command: str,
        *args: str,
        cwd: Path = ...,
        n: int = DEFAULT,
        k: Any = "a",
        mode: Literal["Path", "x y"] = "x y",
        log: Logger | None = None,
    ) -> Out:
        """Run one command."""

    def lines(self, process: sp.Popen[str]) -> AsyncIterator[str]: ...

    async def wait(self) -> int: ...

    def locked(self) -> AbstractContextManager[Shell]: ...

    @property
    def name(self) -> str: ...

    @name.setter
    def name(self, value: str) -> None: ...

    @property
    def size(self) -> int: ...

    @staticmethod
    def make(x: int, /, y: int) -> "Shell": ...

    @overload
    def get(self, key: int) -> int: ...

    @overload
    def get(self, key: str) -> str: ...

    def nothing(self) -> None: ...

    def something(self) -> Any: ...

    def __len__(self) -> int: ...

    def price(self) -> Decimal: ...
'''


@pytest.fixture
def shell(empty: Project) -> Project:
    empty.write("src/app/__init__.py", "from .shell import Shell as Shell\n")
    empty.write(
        "src/app/base.py",
        """
        from decimal import Decimal

        class Base:
            def price(self) -> Decimal:
                return Decimal(1)
        """,
    )
    empty.write("src/app/shell.py", SHELL)
    return empty


def test_a_class_becomes_a_protocol_with_the_imports_it_needs(shell: Project) -> None:
    run = shell.run("extract", "app:Shell", "--stdout")
    assert (run.code, run.err) == (0, "")
    assert run.out == EXPECTED


def test_what_is_extracted_can_be_wrapped_and_type_checks(shell: Project) -> None:
    assert shell.run("extract", "app.shell:Shell", "--yes").code == 0
    assert shell.read("src/app/shell_boundary.py") == EXPECTED
    assert shell.run().code == 0
    assert "class VcrShell" in shell.read("generated/vcr_app/shell_boundary.py")


def test_the_diff_is_shown_and_nothing_is_written_without_a_yes(shell: Project) -> None:
    run = shell.run("extract", "app:Shell")
    assert run.code == 1
    assert run.out.startswith("--- /dev/null\n+++ b/src/app/shell_boundary.py\n")
    assert "--yes" in run.err
    assert not (shell.root / "src/app/shell_boundary.py").exists()


def test_nothing_is_overwritten(shell: Project) -> None:
    shell.write("src/app/shell_boundary.py", "mine = 1\n")
    run = shell.run("extract", "app:Shell", "--yes")
    assert run.code == 2
    assert "src/app/shell_boundary.py: VCR301 exists already" in run.err
    assert shell.read("src/app/shell_boundary.py") == "mine = 1\n"
    assert shell.run("extract", "app:Shell", "--yes", "-o", "src/app/ports.py").code == 0
    assert shell.read("src/app/ports.py") == EXPECTED


def test_another_name_is_used_for_the_class_itself_too(shell: Project) -> None:
    out = shell.run("extract", "app:Shell", "--stdout", "--name", "Sh", "--inbound").out
    assert "@inbound\nclass Sh(Protocol):" in out
    assert "def locked(self) -> AbstractContextManager[Sh]: ..." in out
    assert 'def make(x: int, /, y: int) -> "Sh": ...' in out


@pytest.mark.parametrize("target", ["logging:Logger", "pathlib:Path", "jinja2:Environment"])
def test_classes_of_packages_can_be_extracted_without_importing_them(
    empty: Project, target: str
) -> None:
    run = empty.run("extract", target, "--stdout")
    assert (run.code, run.err) == (0, "")
    names = {node.name for node in ast.walk(ast.parse(run.out)) if isinstance(node, ast.ClassDef)}
    assert names == {target.partition(":")[2]}


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("app", "expected `package.module:Class`"),
        ("nowhere:X", "there is no module nowhere that can be read"),
        ("app:Nope", "there is no class Nope in app"),
        ("app.shell:Out", "VCR412 class Out has no public method"),
    ],
)
def test_a_target_that_makes_no_sense_is_explained(
    shell: Project, target: str, message: str
) -> None:
    run = shell.run("extract", target)
    assert run.code == 2
    assert message in run.err


def test_a_class_of_the_standard_library_becomes_a_module_that_can_be_imported(
    shell: Project,
) -> None:
    run = shell.run("extract", "subprocess:Popen", "--stdout")
    assert run.code == 0, run.err
    assert "_typeshed" in run.out
    exec(compile(run.out, "popen_boundary.py", "exec", dont_inherit=True), {"__name__": "popen"})


def test_a_person_at_the_terminal_is_asked(shell: Project) -> None:
    import os
    import pty
    import subprocess

    for answer, exists in (("n\n", False), ("y\n", True)):
        parent, child = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "vcr_gen", "extract", "app:Shell"],
            cwd=shell.root,
            stdin=child,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.write(parent, answer.encode())
        _, err = process.communicate(timeout=120)
        os.close(parent)
        os.close(child)
        assert b"write src/app/shell_boundary.py? [y/N]" in err
        assert (shell.root / "src/app/shell_boundary.py").exists() is exists
