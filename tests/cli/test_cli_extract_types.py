"""What `vcr-gen extract` makes of type variables, defaults and decorators."""

import json
import os
import subprocess
import sys

import pytest
from mini_project import Project

SHAPES = '''
from typing import Generic, TypeVar

T = TypeVar("T", bound="Shape")


class Shape:
    """Anything with sides."""


class Shapes(Generic[T]):
    scheme: str | None = None

    def first(self, kind: type[T]) -> T | None: ...
'''

STORE = '''
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, TypeVar, overload

from app.shapes import Shape, Shapes

T = TypeVar("T")
K_contra = TypeVar("K_contra", contravariant=True)
V = TypeVar("V")
S = TypeVar("S", bound="Store[Any, Any]")
Reader = Callable[[V], None]
MISSING = object()


class lazy(Generic[T]):
    def __init__(self, function: Callable[[Any], T]) -> None: ...

    def __get__(self, instance: object, owner: type[object]) -> T: ...


class action:
    def __init__(self, function: Callable[..., Any]) -> None: ...


@dataclass
class Row(Generic[V]):
    value: V


class Store(Shapes[Shape], Generic[K_contra, V]):
    """Keeps rows."""

    class Mode:
        """How to look."""

    scheme = "store"
    limit: ClassVar[Final[int]] = 3
    size = 10

    @overload
    def put(self: "Store[str, V]", key: str, row: Row[V]) -> None: ...
    @overload
    def put(self, key: K_contra, row: Row[V]) -> None: ...
    def put(self, key: Any, row: Any) -> None: ...

    def all(self, reader: Reader[V], mode: Mode, most: int = size) -> Iterator[V]: ...

    def find(self, key: K_contra, default: T, depth: int = None) -> "V | T": ...  # type: ignore

    def marked(self, mark: str = MISSING) -> None: ...  # type: ignore[assignment]

    def raw(self, options: dict, call: Callable, rows: "list[Row]") -> tuple: ...  # type: ignore

    def copies(self: S, others: Sequence[S], row: Row[S]) -> S: ...

    @lazy
    def state(self) -> int: ...

    @action
    def act(self) -> int: ...

    def lost() -> int: ...  # type: ignore

    def someday(self, what):  # type: ignore
        raise NotImplementedError
'''

STORE_EXPECTED = '''\
"""The boundary `Store`, taken from `app.store.Store`."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar

from app.store import Reader, Row, Store as RealStore
from vcr_gen.boundary import outbound

K_contra = TypeVar("K_contra", contravariant=True)
T = TypeVar("T")
V = TypeVar("V")


@outbound
class Store(Protocol[K_contra, V]):
    """Keeps rows."""

    limit: ClassVar[int]

    def put(self, key: K_contra, row: Row[V]) -> None: ...

    def all(
        self, reader: Reader[V], mode: RealStore.Mode, most: int = ...
    ) -> Iterator[V]: ...

    def find(self, key: K_contra, default: T, depth: int = ...) -> "V | T": ...

    def marked(self, mark: str = ...) -> None: ...

    def raw(
        self, options: dict[Any, Any], call: Callable[..., Any], rows: "list[Row[Any]]"
    ) -> tuple[Any, ...]: ...

    def copies(self, others: Sequence[Self], row: Row[RealStore[Any, Any]]) -> Self: ...

    @property
    def state(self) -> int: ...

    def someday(self, what: Any) -> Any: ...

    @property
    def scheme(self) -> str | None: ...

    def first(self, kind: type[Any]) -> Any | None: ...
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

from typing import Protocol, TypeVar, TypeVarTuple

from app.box import Item
from vcr_gen.boundary import outbound

T_co = TypeVar("T_co", covariant=True)
Ts = TypeVarTuple("Ts")
U = TypeVar("U", bound="Item")
U2 = TypeVar("U2", int, str)


@outbound
class Box(Protocol[T_co, *Ts]):
    def get(self) -> T_co: ...

    def map(self, item: U, other: list[U]) -> tuple[*Ts,]: ...

    def mix(self, item: U2) -> U2: ...
'''

FITS = """
from app import box, box_boundary, store, store_boundary


def of_store(real: store.Store[str, int]) -> store_boundary.Store[str, int]:
    return real


def of_box(real: box.Box[bool, int, str]) -> box_boundary.Box[int, int, str]:
    return real
"""

LEFT_OUT = """\
src/app/store.py:60:5: VCR203 `Store.act` is left out: the decorator `action` hides what it is
  hint: declare it by hand, as what it is for a caller
src/app/store.py:62:5: VCR204 `Store.lost` is left out: it has no parameter for the instance
  hint: declare it by hand
"""


@pytest.fixture
def store(empty: Project) -> Project:
    empty.write("src/app/__init__.py", "")
    for name, text in {"shapes": SHAPES, "store": STORE, "box": BOX}.items():
        empty.write(f"src/app/{name}.py", text)
    return empty


def test_variables_defaults_and_generics_are_written_so_that_a_strict_checker_agrees(
    store: Project,
) -> None:
    for target in ("app.store:Store", "app.box:Box"):
        assert store.run("extract", target, "--yes").code == 0
    assert store.read("src/app/store_boundary.py") == STORE_EXPECTED
    assert store.read("src/app/box_boundary.py") == BOX_EXPECTED
    store.write("src/app/fits.py", FITS)
    files = [f"src/app/{name}.py" for name in ("fits", "store_boundary", "box_boundary")]
    options = ["--strict", "--explicit-package-bases", "--python-version", "3.12"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--follow-imports", "silent", *files],
        cwd=store.root,
        env={**os.environ, "MYPYPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert store.run("-q").code == 0


def test_what_is_left_out_is_told_with_its_place_in_every_format(store: Project) -> None:
    run = store.run("extract", "app.store:Store", "--stdout")
    assert (run.code, run.out, run.err) == (0, STORE_EXPECTED, LEFT_OUT)
    run = store.run("extract", "app.store:Store", "--stdout", "--output-format", "json")
    document = json.loads(run.out)
    assert (document["text"], document["status"]) == (STORE_EXPECTED, "fine")
    assert [one["code"] for one in document["diagnostics"]] == ["VCR203", "VCR204"]
    run = store.run("extract", "app.store:Store", "--output-format", "github")
    assert run.code == 1
    assert run.out.count("::error file=src/app/store.py,line=") == 2
    assert not (store.root / "src/app/store_boundary.py").exists()


def test_every_command_speaks_json_where_it_is_asked_to(store: Project) -> None:
    store.run("extract", "app.box:Box", "--yes")
    for arguments, code in {
        ("extract", "app.box:Box", "-o", "src/app/other.py"): 1,
        ("extract", "app.box:Box"): 2,
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
