import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mini_project import Project

from vcr_gen.gen.rewrite.extract_protocol import extract
from vcr_gen.gen.settings.config_reader import load_config

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

from vcr_gen.boundary import outbound

from app.shell import DEFAULT, Out

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
        ...

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

    def nothing(self) -> Any: ...

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


@pytest.mark.usefixtures("warm_mypy")
def test_what_nobody_annotated_is_anything(empty: Project) -> None:
    empty.write(
        "src/app/store.py",
        """
        from contextlib import asynccontextmanager, contextmanager


        class Store:
            def rows(self):
                yield 1

            async def changes(self):
                yield 1

            @contextmanager
            def transaction(self):
                yield self

            @asynccontextmanager
            async def locked(self):
                yield 1

            def where(self, key):
                return self

            @classmethod
            def kind(cls):
                return cls

            def __exit__(self, *error):
                self.close()
        """,
    )
    run = empty.run("extract", "app.store:Store", "-o", "src/app/ports.py")
    assert run.code == 0
    text = empty.read("src/app/ports.py")
    assert [line.strip() for line in text.splitlines() if "def " in line] == [
        "def rows(self) -> Iterator[Any]: ...",
        "def changes(self) -> AsyncIterator[Any]: ...",
        "def transaction(self) -> AbstractContextManager[Any]: ...",
        "def locked(self) -> AbstractAsyncContextManager[Any]: ...",
        "def where(self, key: Any) -> Any: ...",
        "def kind(cls) -> Any: ...",
        "def __exit__(self, *error: Any) -> Any: ...",
    ]
    assert empty.run().code == 0
    assert empty.run("verify").code == 0


def test_a_class_becomes_a_protocol_with_the_imports_it_needs(shell: Project) -> None:
    run = shell.run("extract", "app:Shell")
    assert (run.code, run.err) == (0, "")
    assert run.out == EXPECTED


def test_what_is_extracted_can_be_wrapped_and_type_checks(shell: Project) -> None:
    assert shell.run("extract", "app.shell:Shell", "-o", "src/app/shell_boundary.py").code == 0
    assert shell.read("src/app/shell_boundary.py") == EXPECTED
    assert shell.run().code == 0
    assert "class VcrShell" in shell.read("generated/vcr_app/shell_boundary.py")


def test_pyright_takes_every_extracted_method_for_a_stub(shell: Project) -> None:
    assert shell.run("extract", "app.shell:Shell", "-o", "src/app/shell_boundary.py").code == 0
    settings = {"extraPaths": ["src", str(Path(__file__).parents[2] / "src")]}
    shell.write("pyrightconfig.json", json.dumps(settings))
    command = (sys.executable, "-m", "pyright", "src/app/shell_boundary.py")
    done = subprocess.run(command, cwd=shell.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_overwritten(shell: Project) -> None:
    shell.write("src/app/ports.py", "mine = 1\n")
    run = shell.run("extract", "app:Shell", "-o", "src/app/ports.py")
    assert run.code == 2
    assert "src/app/ports.py: VCR301 exists already" in run.err
    assert shell.read("src/app/ports.py") == "mine = 1\n"
    run = shell.run("extract", "app:Shell", "-o", "src/app/other.py")
    assert (run.code, run.out) == (0, "wrote src/app/other.py\n")
    assert shell.read("src/app/other.py") == EXPECTED


def test_another_name_is_used_for_the_class_itself_too(shell: Project) -> None:
    out = shell.run("extract", "app:Shell", "--name", "Sh", "--inbound").out
    assert "@inbound\nclass Sh(Protocol):" in out
    assert "def locked(self) -> AbstractContextManager[Sh]: ..." in out
    assert 'def make(x: int, /, y: int) -> "Sh": ...' in out


@pytest.mark.parametrize("target", ["logging:Logger", "pathlib:Path", "jinja2:Environment"])
def test_classes_of_packages_can_be_extracted_without_importing_them(
    empty: Project, target: str
) -> None:
    run = empty.run("extract", target)
    assert (run.code, run.err) == (0, "")
    names = {node.name for node in ast.walk(ast.parse(run.out)) if isinstance(node, ast.ClassDef)}
    assert names == {target.partition(":")[2]}


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("app", "expected `package.module:Class`"),
        ("nowhere:X", "there is no module nowhere that can be read"),
        ("app:Nope", "there is no class Nope in app"),
        (":Nope", "expected `package.module:Class`"),
        ("app.shell:Shel", "did you mean app.shell:Shell?"),
        ("src/app/shell.py:Shell", "name the module as Python imports it"),
        ("app.shell:Shell.Options", "Shell.Options is a class inside another class"),
        ("app.shell:Out", "VCR412 class Out has no public method"),
    ],
)
def test_a_target_that_makes_no_sense_is_explained(
    shell: Project, target: str, message: str
) -> None:
    run = shell.run("extract", target)
    assert run.code == 2
    assert message in run.err


@pytest.mark.parametrize("name", ["a b", "class", "1st", ""])
def test_a_name_that_no_class_can_have_is_refused(shell: Project, name: str) -> None:
    run = shell.run("extract", "app.shell:Shell", "--name", name)
    assert run.code == 2
    assert f"--name: VCR411 no class can be called {name!r}" in run.err


def test_a_class_of_the_standard_library_becomes_a_module_that_can_be_imported(
    shell: Project,
) -> None:
    run = shell.run("extract", "subprocess:Popen")
    assert run.code == 0, run.err
    assert "_typeshed" in run.out
    exec(compile(run.out, "popen_boundary.py", "exec", dont_inherit=True), {"__name__": "popen"})


AWKWARD = """
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

K = TypeVar("K")
V = TypeVar("V")
NodeT = TypeVar("NodeT", bound="Node")


class Store(Generic[K, V]):
    def get(self, key: K) -> V: ...


@dataclass(frozen=True)
class Frozen:
    size: int


class Pairs(Store["dict[str, K]", "V | None"], Generic[K, V]):
    def pair(self) -> "tuple[K, V]": ...


class Known(Pairs[int, bytes], Store["dict[str, int]", "bytes | None"]):
    def known(self, other: Frozen) -> bool: ...


class Node(Frozen, Store[int, list[str]]):
    parent: "Node | None"
    kind: Final = "node"
    limit: Final[int] = 3

    def add(self, child: "Node", words: tuple[str, ...] = ("plain", "html")) -> "Node | None": ...

    def all(self, mode: Literal["Node"]) -> list["Node"]: ...

    def moved(self: NodeT, to: NodeT) -> NodeT: ...

    def copied(self: "Node") -> tuple["Node", int]: ...

    if TYPE_CHECKING:
        @property
        def state(self) -> int: ...
    else:
        @property
        def state(self) -> Any: ...
"""

AWKWARD_EXPECTED = '''\
"""The boundary `Node`, taken from `app.node.Node`."""

from typing import Literal, Protocol, Self

from vcr_gen.boundary import outbound

from app.node import Node as RealNode


@outbound
class Node(Protocol):
    parent: "RealNode | None"

    @property
    def kind(self) -> str: ...

    @property
    def limit(self) -> int: ...

    def add(
        self, child: "RealNode", words: tuple[str, ...] = ("plain", "html")
    ) -> "Node | None": ...

    def all(self, mode: Literal["Node"]) -> list["RealNode"]: ...

    def moved(self, to: Self) -> Self: ...

    def copied(self) -> tuple["Node", int]: ...

    @property
    def state(self) -> int: ...

    @property
    def size(self) -> int: ...

    def get(self, key: int) -> list[str]: ...
'''


def test_a_class_fits_the_protocol_that_is_taken_from_it(empty: Project) -> None:
    empty.write("src/app/__init__.py", "")
    empty.write("src/app/node.py", AWKWARD)
    assert empty.run("extract", "app.node:Node", "-o", "src/app/port.py").code == 0
    assert empty.read("src/app/port.py") == AWKWARD_EXPECTED
    generic = empty.run("extract", "app.node:Pairs").out
    assert "def get(self, key: dict[str, K]) -> V | None: ..." in generic
    filled = empty.run("extract", "app.node:Known").out
    assert "def get(self, key: dict[str, int]) -> bytes | None: ..." in filled
    named = empty.run("extract", "app.node:Node", "--name", "Tree").out
    assert "from app.node import Node\n" in named
    assert 'child: "Node", words: tuple[str, ...] = ("plain", "html")' in named
    assert ') -> "Tree | None": ...' in named


GENERIC = (
    *("asyncio:Queue", "asyncio:Task", "collections:deque", "csv:DictReader", "queue:Queue"),
    *("difflib:SequenceMatcher", "logging:LoggerAdapter"),
)
CLASSES = (
    *("asyncio:Event", "asyncio:StreamWriter", "asyncio:StreamReader"),
    *("concurrent.futures:ThreadPoolExecutor", "contextlib:AsyncExitStack"),
    *("email.message:EmailMessage", "ftplib:FTP", "http.client:HTTPConnection"),
    *("http.client:HTTPResponse", "io:BytesIO", "io:TextIOWrapper", "jinja2:FileSystemLoader"),
    *(
        "logging:Logger",
        "mailbox:Mailbox",
        "pathlib:Path",
        "selectors:BaseSelector",
    ),
    *("smtplib:SMTP", "socket:socket", "sqlite3:Connection", "ssl:SSLContext", "tarfile:TarFile"),
    *("threading:Thread", "xml.etree.ElementTree:Element", "xml.etree.ElementTree:ElementTree"),
    *("zipfile:ZipFile", *GENERIC),
)


@pytest.mark.slow
def test_classes_of_others_fit_their_protocols_which_import_and_can_be_wrapped(
    empty: Project,
) -> None:
    empty.write("src/app/__init__.py", "")
    checks, imports = ["from typing import Any"], []
    for number, spelled in enumerate(CLASSES):
        module, _, name = spelled.partition(":")
        text = extract(load_config(empty.root), spelled, name=None, direction="outbound").text
        empty.write(f"src/app/port_{number}.py", text)
        imports.append(f"import app.port_{number}")
        arguments = "[Any]" if spelled in GENERIC else ""
        checks += [
            f"import {module}",
            f"from app import port_{number}",
            f"def check_{number}(real: {module}.{name}{arguments}) -> None:",
            f"    port: port_{number}.{name} = real",
        ]
    empty.write("src/app/checks.py", "\n".join(checks))
    target = ["--python-version", "3.11"]  # the default: stubs differ from version to version
    mypy = ["mypy", "--strict", "--explicit-package-bases", *target, "src/app"]
    ours = str(Path(__file__).parents[2] / "src")
    empty.write("pyrightconfig.json", json.dumps({"extraPaths": ["src", ours]}))
    environment = {**os.environ, "MYPYPATH": "src"}
    for command in (mypy, ["pyright", "src/app"]):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=empty.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
    imported = [sys.executable, "-c", "\n".join(imports)]
    subprocess.run(imported, cwd=empty.root / "src", check=True)
    assert empty.run("-q").code == 0
