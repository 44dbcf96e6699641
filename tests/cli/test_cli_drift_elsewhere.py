"""Drift that starts in another file than the Protocol's: bases, imports, conditions, settings."""

import json

import pytest
from mini_project import Project

BASE = '''
from collections.abc import Iterator
from typing import Protocol, TypeVar

__all__ = ["Base", "Farther", "First", "LIMIT", "Second"]

T = TypeVar("T")
LIMIT = 3


class First:
    """One value."""


class Second:
    """Another."""


class Farther(Protocol):
    def far(self, depth: int = 1) -> Iterator[First]: ...


class Base(Farther, Protocol[T]):
    def inherited(self, x: T, *, again: bool = False) -> list[T]:
        """Said in the base."""
        ...


def helper(x: int) -> int:
    return x
'''

EXPORTS = """
from .base import *
from .base import First as Item
from vcr_gen.boundary import Secret as Hidden, outbound as marked
"""

PORTS = """
import sys
from typing import Annotated, Protocol, overload

from typing_extensions import deprecated

from .base import LIMIT as MOST
from .exports import Base, Hidden, Item, Second, marked


@marked(name="port_NUMBER")
class Port(Base[int], Protocol):
    @overload
    def get(self, key: int) -> int: ...
    @overload
    def get(self, key: str, limit: int = MOST) -> str: ...

    @deprecated("use get")
    def old(self, item: Annotated[dict[str, list[tuple[Item, int | None]]], Hidden]) -> None: ...

    @property
    def state(self) -> Second: ...

    @state.setter
    def state(self, value: Second) -> None: ...

    if sys.version_info >= (3, 11):
        def recent(self) -> int: ...
    else:
        def ancient(self) -> int: ...
"""

EDITS = {
    "a base's parameter renamed": ("base", "x: T,", "y: T,"),
    "a base's default changed": ("base", "again: bool = False", "again: bool = True"),
    "a base's method made async": ("base", "def inherited", "async def inherited"),
    "a base's docstring changed": ("base", "Said in the base.", "Said below."),
    "a base's method added": ("base", "def helper", "    def more(self) -> int: ...\n\ndef helper"),
    "a base's base changed": ("base", "depth: int = 1", "depth: int = 2"),
    "a base's base dropped": (
        "base",
        "class Base(Farther, Protocol[T])",
        "class Base(Protocol[T])",
    ),
    "a base's type deep inside changed": ("base", "Iterator[First]", "Iterator[Second]"),
    "a base's variable made another": ("base", "-> list[T]", "-> list[list[T]]"),
    "the argument of a base changed": ("ports", "Base[int]", "Base[str]"),
    "an import means another name": ("exports", "First as Item", "Second as Item"),
    "a mark means the other direction": ("exports", "outbound as", "inbound as"),
    "a default is another name": ("ports", "LIMIT as MOST", "T as MOST"),
    "a branch is taken no more": ("ports", "(3, 11)", "(3, 99)"),
    "overloads are swapped": (
        "ports",
        "    def get(self, key: int) -> int: ...\n    @overload\n"
        "    def get(self, key: str, limit: int = MOST) -> str: ...\n",
        "    def get(self, key: str, limit: int = MOST) -> str: ...\n    @overload\n"
        "    def get(self, key: int) -> int: ...\n",
    ),
    "the default of an overload changed": ("ports", "limit: int = MOST", "limit: int = 4"),
    "a decorator's argument changed": ("ports", '"use get"', '"use get instead"'),
    "a decorator dropped": ("ports", '    @deprecated("use get")\n', ""),
    "an annotation changed at depth": ("ports", "int | None", "str | None"),
    "a marker dropped at depth": (
        "ports",
        "Annotated[dict[str, list[tuple[Item, int | None]]], Hidden]",
        "dict[str, list[tuple[Item, int | None]]]",
    ),
    "a setter dropped": (
        "ports",
        "    @state.setter\n    def state(self, value: Second) -> None: ...\n",
        "",
    ),
}

HARMLESS = {
    "comment": ("ports", "import sys", "# why\nimport sys"),
    "blank lines": ("ports", "\n@marked", "\n\n\n\n@marked"),
    "another function's body": ("base", "return x", "return x + 1"),
    "another class": ("base", '    """Another."""', '    """Another."""\n    size = 1'),
    "a method's body": ("base", "        ...\n", "        raise NotImplementedError\n"),
    "module docstring": ("ports", "import sys", '"""Ports."""\n\nimport sys'),
    "spaces in a signature": ("base", "x: T, *,", "x:T,*,"),
    "order of imports": ("ports", "Base, Hidden, Item,", "Hidden, Base, Item,"),
}


def _packages(project: Project, edits: dict[str, tuple[str, str, str]]) -> None:
    (project.root / "src/app/ports.py").unlink()
    project.write("pyproject.toml", '[tool.vcr-gen]\ntarget-version = "3.11"\n')
    for number in range(len(edits)):
        for name, text in {"base": BASE, "exports": EXPORTS, "ports": PORTS}.items():
            path = f"src/app/p{number}/{name}.py"
            project.write(path, text.replace("NUMBER", str(number)))
    assert project.run().code == 0
    assert project.run("--check").code == 0
    for number, (name, old, new) in enumerate(edits.values()):
        project.replace(f"src/app/p{number}/{name}.py", old, new)


def test_check_and_verify_report_edits_of_other_files(project: Project) -> None:
    _packages(project, EDITS)
    wanted = {f"generated/vcr_app/p{number}/ports.py": name for number, name in enumerate(EDITS)}
    for arguments in ((), ("--no-cache",)):
        run = project.run("--check", "--output-format", "json", *arguments)
        document = json.loads(run.out)
        assert (run.code, document["fix"]) == (1, "vcr-gen")
        found = {one["path"] for one in document["files"]}
        assert [name for path, name in wanted.items() if path not in found] == []
    run = project.run("verify", "--no-mypy", "--output-format", "json")
    found = {one["path"] for one in json.loads(run.out)["diagnostics"]}
    assert [name for path, name in wanted.items() if path not in found] == []


def test_edits_that_cannot_matter_are_no_drift(project: Project) -> None:
    _packages(project, HARMLESS)
    for arguments in (("--check",), ("--check", "--no-cache"), ("verify", "--no-mypy")):
        run = project.run(*arguments)
        assert (run.code, run.out) == (0, ""), run.err


RULE = """
[tool.vcr-gen]
line-length = 80

[[tool.vcr-gen.boundary]]
protocol = "app.bare:Mailer"
direction = "outbound"
name = "mail"
secret = ["login.password"]
volatile = ["send.text"]
match = ["send.to = app.bare:same"]

[[tool.vcr-gen.overrides]]
module = "app.bare"
line-length = 70
"""

BARE = """
from typing import Protocol


def same(one: object, other: object) -> bool:
    return str(one).lower() == str(other).lower()


class Mailer(Protocol):
    def login(self, user: str, password: str, *, remember: bool = False) -> None: ...
    def send(self, to: str, text: str) -> None: ...
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('direction = "outbound"', 'direction = "inbound"'),
        ('name = "mail"\n', ""),
        ("login.password", "login.user"),
        ('volatile = ["send.text"]\n', ""),
        ("send.to =", "send.text ="),
        ("line-length = 70", "line-length = 120"),
    ],
)
def test_a_changed_setting_is_drift(project: Project, old: str, new: str) -> None:
    (project.root / "src/app/ports.py").unlink()
    project.write("src/app/bare.py", BARE)
    project.write("pyproject.toml", RULE)
    assert project.run("-q").code == 0
    project.replace("pyproject.toml", old, new)
    run = project.run("--check")
    assert (run.code, run.err.splitlines()[-1]) == (1, "to fix: vcr-gen")
    assert "changed generated/vcr_app/bare.py" in run.out
