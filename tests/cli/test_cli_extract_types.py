"""What `vcr-gen extract` makes of type variables, defaults and decorators."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mini_project import Project

SHAPES = '''
from typing import Generic, TypeVar

T = TypeVar("T", bound="Shape")


class Shape:
    """Anything with sides."""


class Shapes(Generic[T]):
    def first(self, kind: type[T]) -> T | None: ...
'''

STORE = '''
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, overload

from app.shapes import Shape, Shapes

T = TypeVar("T")
K_contra = TypeVar("K_contra", contravariant=True)
V = TypeVar("V")
S = TypeVar("S", bound="Store[Any, Any]")
Reader = Callable[[V], None]


class action:
    def __init__(self, function: Callable[..., Any]) -> None: ...


@dataclass
class Row(Generic[V]):
    value: V


class Store(Shapes[Shape], Generic[K_contra, V]):
    """Keeps rows."""

    class Mode:
        """How to look."""

    limit: ClassVar[int] = 3  # rows
    size = 10

    def __init__(self) -> None:
        self.rows: dict[str, Row[V]] = {}
        self.calls: int = 0
        self._hidden: int = 0

    @overload
    def put(self, key: K_contra, row: Row[V]) -> None: ...
    @overload
    def put(self, key: K_contra, row: None, again: bool = ...) -> bool: ...
    def put(self, key: Any, row: Any, again: bool = False) -> Any: ...

    # The rows are read one by one.
    def all(
        self,
        reader: Reader[V],  # called for each
        mode: Mode,
        most: int = size,
    ) -> Iterator[V]: ...

    def find(self, key: K_contra, default: T, depth: int = 3) -> "V | T": ...  # type: ignore

    def copies(self: S, others: Sequence[S]) -> S: ...

    @overload
    def narrow(self: "Store[str, V]", key: str) -> None: ...
    @overload
    def narrow(self, key: K_contra) -> V: ...
    def narrow(self, key: Any) -> Any: ...

    @action
    def act(self) -> int: ...

    def lost() -> int: ...  # type: ignore

    def someday(self, what):  # type: ignore
        raise NotImplementedError
'''

STORE_EXPECTED = '''\
"""The boundary `Store`, taken from `app.store.Store`."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol, Self, overload

from vcr_gen.boundary import outbound

from app.shapes import Shape
from app.store import K_contra, Reader, Row, T, V
from app.store import Store as RealStore


@outbound
class Store(Protocol[K_contra, V]):
    """Keeps rows."""

    rows: dict[str, Row[V]]
    calls: int
    limit: ClassVar[int]  # rows

    @overload
    def put(self, key: K_contra, row: Row[V]) -> None: ...

    @overload
    def put(self, key: K_contra, row: None, again: bool = ...) -> bool: ...

    # The rows are read one by one.
    def all(
        self,
        reader: Reader[V],  # called for each
        mode: RealStore.Mode,
        most: int = ...,
    ) -> Iterator[V]: ...

    def find(self, key: K_contra, default: T, depth: int = 3) -> "V | T": ...

    def copies(self, others: Sequence[Self]) -> Self: ...

    def someday(self, what: Any) -> Any: ...

    def first(self, kind: type[Shape]) -> Shape | None: ...
'''

BOX = """
class Item: ...


class Box[T, *Ts]:
    def get(self) -> T: ...

    def map[U: Item, **P](self, item: U, other: list[U]) -> tuple[*Ts]: ...

    def mix[U: (int, str)](self, item: U) -> U: ...
"""

BOX_EXPECTED = '''\
"""The boundary `Box`, taken from `app.box.Box`."""

from typing import Protocol

from vcr_gen.boundary import outbound

from app.box import Item


@outbound
class Box[T, *Ts](Protocol):
    def get(self) -> T: ...

    def map[U: Item, **P](self, item: U, other: list[U]) -> tuple[*Ts]: ...

    def mix[U: (int, str)](self, item: U) -> U: ...
'''

FITS = """
from app import box, box_boundary, store, store_boundary


def of_store(real: store.Store[str, int]) -> store_boundary.Store[str, int]:
    return real


def of_box(real: box.Box[bool, int, str]) -> box_boundary.Box[int, int, str]:
    return real
"""

LEFT_OUT = """\
src/app/store.py:56:5: VCR203 `Store.narrow` is left out: it annotates `self` with `Store[str, V]`
  hint: declare it by hand
src/app/store.py:62:5: VCR203 `Store.act` is left out: the decorator `action` hides what it is
  hint: declare it by hand
src/app/store.py:64:5: VCR204 `Store.lost` is left out: it has no parameter for the instance
  hint: declare it by hand
"""


CLIENTS = """
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, overload

from typing_extensions import override

P = ParamSpec("P")
T = TypeVar("T")


class Waiting(Protocol):
    _waits: Literal[True]


def contextmanager(function: Callable[P, T]) -> Callable[P, T]:
    return function


class Commands:
    @overload
    def get(self: "Waiting", key: str) -> Awaitable[str]: ...
    @overload
    def get(self, key: str) -> str: ...
    def get(self, key: str) -> Any: ...

    @property
    def name(self) -> str: ...


class Client(Commands):
    @property
    @override
    def name(self) -> str: ...

    @contextmanager
    async def cursor(self) -> int: ...

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[int]:
        yield 1
"""

CLIENT_FITS = """
from app.client_boundary import Client
from app.clients import Client as RealClient


def client(real: RealClient) -> Client:
    return real
"""


@pytest.fixture
def store(empty: Project) -> Project:
    empty.write("src/app/__init__.py", "")
    for name, text in {"shapes": SHAPES, "store": STORE, "box": BOX}.items():
        empty.write(f"src/app/{name}.py", text)
    return empty


def test_variables_defaults_and_generics_are_written_so_that_a_strict_checker_agrees(
    store: Project, mypy_cache: Path
) -> None:
    for target, name in (("app.store:Store", "store"), ("app.box:Box", "box")):
        assert store.run("extract", target, "-o", f"src/app/{name}_boundary.py").code == 0
    assert store.read("src/app/store_boundary.py") == STORE_EXPECTED
    assert store.read("src/app/box_boundary.py") == BOX_EXPECTED
    store.write("src/app/fits.py", FITS)
    _assert_strict(store, mypy_cache, "fits", "store_boundary", "box_boundary")
    assert store.run("-q").code == 0


def test_members_that_only_look_plain_are_told_apart(empty: Project, mypy_cache: Path) -> None:
    empty.write("src/app/__init__.py", "")
    empty.write("src/app/clients.py", CLIENTS)
    run = empty.run("extract", "app.clients:Client", "-o", "src/app/client_boundary.py")
    assert (run.code, [line for line in run.err.splitlines() if "left out" in line]) == (
        0,
        [
            "src/app/clients.py:21:5: VCR203 `Commands.get` is left out: "
            "it annotates `self` with `Waiting`",
        ],
    )
    text = empty.read("src/app/client_boundary.py")
    assert text.partition("class Client(Protocol):\n")[2] == (
        "    @property\n"
        "    def name(self) -> str: ...\n\n"
        "    async def cursor(self) -> int: ...\n\n"
        "    def locked(self) -> AbstractAsyncContextManager[int]: ...\n"
    )
    empty.write("src/app/fits.py", CLIENT_FITS)
    _assert_strict(empty, mypy_cache, "fits", "client_boundary")
    assert empty.run("-q").code == 0


NAMESAKES = {
    "one": "class Item: ...\n",
    "two": "class Item: ...\n",
    "base": """
        import app.one as things
        from app.one import Item


        class Base:
            def old(self, x: Item, n: "list[things.Item]") -> Item:
                "Item"
                return x

            @property
            def last(self) -> Item: ...
        """,
    "client": """
        import app.two as things
        from app.two import Item
        from app.base import Base


        class Protocol(Base):
            def new(self, x: Item, y: things.Item) -> Item: ...
        """,
    "fits": """
        from app.client import Protocol as Real
        from app.port import Protocol


        def fits(real: Real) -> Protocol:
            return real
        """,
}

NAMESAKES_EXPECTED = '''\
"""The boundary `Protocol`, taken from `app.client.Protocol`."""

from typing import Protocol as RealProtocol

from vcr_gen.boundary import outbound

import app.one as things2
import app.two as things
from app.one import Item as Item2
from app.two import Item


@outbound
class Protocol(RealProtocol):
    def new(self, x: Item, y: things.Item) -> Item: ...

    def old(self, x: Item2, n: "list[things2.Item]") -> Item2:
        "Item"
        ...

    @property
    def last(self) -> Item2: ...
'''


def test_names_that_mean_something_else_in_each_module_are_kept_apart(
    empty: Project, mypy_cache: Path
) -> None:
    empty.write("src/app/__init__.py", "")
    for name, text in NAMESAKES.items():
        empty.write(f"src/app/{name}.py", text)
    run = empty.run("extract", "app.client:Protocol", "-o", "src/app/port.py")
    assert run.code == 0
    assert empty.read("src/app/port.py") == NAMESAKES_EXPECTED
    _assert_strict(empty, mypy_cache, "port", "fits")
    assert empty.run("-q").code == 0


def _assert_strict(project: Project, cache: Path, *modules: str) -> None:
    options = ["--strict", "--explicit-package-bases", "--python-version", "3.12"]
    options += ["--cache-dir", str(cache)]
    # Full paths: mypy takes over what it knows of a file with the same path, size and time.
    source = project.root / "src"
    files = [str(source / "app" / f"{name}.py") for name in modules]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--follow-imports", "silent", *files],
        cwd=project.root,
        env={**os.environ, "MYPYPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_what_is_left_out_is_told_with_its_place_in_every_format(store: Project) -> None:
    run = store.run("extract", "app.store:Store")
    assert (run.code, run.out, run.err) == (0, STORE_EXPECTED, LEFT_OUT)
    run = store.run("extract", "app.store:Store", "--output-format", "json")
    document = json.loads(run.out)
    assert (document["text"], document["status"]) == (STORE_EXPECTED, "fine")
    assert [one["code"] for one in document["diagnostics"]] == ["VCR203", "VCR203", "VCR204"]
    run = store.run("extract", "app.store:Store", "--output-format", "github")
    assert run.code == 0
    assert run.out.count("::warning file=src/app/store.py,line=") == 3


def test_every_command_speaks_json_where_it_is_asked_to(store: Project) -> None:
    for arguments, code in {
        ("extract", "app.box:Box"): 0,
        ("extract", "app.box:Box", "-o", "src/app/box_boundary.py"): 0,
        ("extract", "app.store:Store", "-o", "src/app/box_boundary.py"): 2,
        ("extract", "app.box:Nothing"): 2,
        ("--init",): 0,
        ("--list",): 0,
        ("--check",): 1,
        ("--diff",): 1,
        (): 0,
        ("verify", "--no-mypy"): 0,
        ("--explain", "VCR301"): 0,
        ("--explain", "VCR999"): 2,
        ("--show-config",): 0,
        ("--version",): 0,
        ("--set", "sauces=[]"): 2,
        ("nowhere.py",): 2,
    }.items():
        run = store.run(*arguments, "--output-format", "json")
        assert (run.code, bool(json.loads(run.out))) == (code, True), arguments
