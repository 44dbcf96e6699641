"""A Protocol without a mark that a boundary mentions is a boundary too."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run_command

from vcr_gen import Cassette

PORTS = '''
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Protocol

from vcr_gen import Unrecorded, outbound


class Label(Protocol):
    """Describes data."""

    @property
    def text(self) -> str: ...


class Rows(Protocol):
    def __iter__(self) -> Iterator[int]: ...
    def label(self) -> Label: ...


class Listener(Protocol):
    def heard(self, rows: Rows) -> str: ...


class Hook(Protocol):
    def __call__(self, text: str) -> str: ...


class Tracer(Protocol):
    def trace(self) -> None: ...


@dataclass
class Found:
    rows: Rows


@outbound
class Store(Protocol):
    def find(self, query: str) -> Found: ...
    def listen(self, listener: Listener, hook: Hook) -> str: ...
    def each(self, take: Callable[[Rows], str]) -> list[str]: ...
    def traced(self, tracer: Annotated[Tracer, Unrecorded]) -> None: ...
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.vcr-gen]\n")
    (tmp_path / "src" / "followed").mkdir(parents=True)
    (tmp_path / "src" / "followed" / "__init__.py").touch()
    (tmp_path / "src" / "followed" / "ports.py").write_text(PORTS)
    return tmp_path


def listed(project: Path) -> dict[str, tuple[str, str]]:
    run = run_command("--list", "--output-format", "json", cwd=project)
    assert run.code == 0, run.err
    boundaries = json.loads(run.out)["boundaries"]
    return {each["name"]: (each["direction"], each["reached_from"]) for each in boundaries}


def test_the_way_in_which_objects_cross_gives_the_direction(project: Path) -> None:
    assert listed(project) == {
        "Store": ("outbound", ""),
        "Rows": ("outbound", "followed.ports.Store.find: result"),
        "Listener": ("inbound", "followed.ports.Store.listen: parameter `listener`"),
    }


def test_what_a_marked_protocol_says_of_the_way_counts(project: Path) -> None:
    (project / "src" / "followed" / "ports.py").write_text(
        "from typing import Protocol\nfrom vcr_gen import outbound\n"
        "class Task(Protocol):\n    def run_after(self, other: 'Task') -> None: ...\n"
        "@outbound\nclass Log(Protocol):\n    def upload(self, task: Task) -> None: ...\n"
    )
    assert listed(project)["Task"] == ("inbound", "followed.ports.Log.upload: parameter `task`")


def test_the_list_shows_where_a_protocol_is_mentioned(project: Path) -> None:
    assert (
        "reached from followed.ports.Store.find: result" in run_command("--list", cwd=project).out
    )


def test_a_mark_wins(project: Path) -> None:
    ports = project / "src" / "followed" / "ports.py"
    ports.write_text(PORTS.replace("class Rows", '@outbound(name="rows")\nclass Rows'))
    assert listed(project)["rows"] == ("outbound", "")


def test_it_can_be_switched_off(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.vcr-gen]\nfollow = false\n")
    assert listed(project) == {"Store": ("outbound", "")}


def test_what_cannot_be_wrapped_is_not_followed(project: Path) -> None:
    ports = project / "src" / "followed" / "ports.py"
    ports.write_text(PORTS.replace("def label(self) -> Label", "def label() -> Label"))
    assert run_command("--list", cwd=project).code == 0
    assert "Rows" not in listed(project)


def test_two_of_one_name_are_told_apart(project: Path) -> None:
    (project / "src" / "followed" / "more.py").write_text(
        "from typing import Protocol\nfrom vcr_gen import outbound\n"
        "class Rows(Protocol):\n    def all(self) -> list[int]: ...\n"
        "@outbound\nclass Other(Protocol):\n    def find(self) -> Rows: ...\n"
    )
    assert {"followed.more.Rows", "followed.ports.Rows"} <= set(listed(project))


def test_a_class_that_only_python_finds_is_followed_into_its_package(project: Path) -> None:
    package = project / "lib" / "rowlib"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "from typing import Protocol\nclass Far(Protocol):\n    def near(self) -> int: ...\n"
    )
    (project / "pyproject.toml").write_text('[tool.vcr-gen]\nsearch-path = ["lib"]\n')
    (project / "src" / "followed" / "ports.py").write_text(
        "from typing import Protocol\nfrom rowlib import Far\nfrom vcr_gen import outbound\n"
        "@outbound\nclass Store(Protocol):\n    def far(self) -> Far | None: ...\n"
    )
    assert listed(project)["Far"] == ("outbound", "followed.ports.Store.far: result")


@pytest.mark.parametrize(
    ("imported", "spelled"), [("import rowlib", "rowlib.Far"), ("from rowlib import Far", "Far")]
)
def test_a_wrapper_knows_a_protocol_that_a_package_hands_on(
    project: Path, imported: str, spelled: str
) -> None:
    package = project / "lib" / "rowlib"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from rowlib._rows import Far as Far\n")
    (package / "_rows.py").write_text(
        "from typing import Protocol\nclass Far(Protocol):\n    def near(self) -> int: ...\n"
    )
    (project / "pyproject.toml").write_text('[tool.vcr-gen]\nsearch-path = ["lib"]\n')
    (project / "src" / "followed" / "ports.py").write_text(
        f"from typing import Protocol\n{imported}\nfrom vcr_gen import outbound\n"
        f"@outbound\nclass Store(Protocol):\n    def far(self) -> {spelled} | None: ...\n"
    )
    assert run_command(cwd=project).code == 0
    wrapper = (project / "generated" / "vcr_followed" / "ports.py").read_text()
    assert 'handles=("vcr_rowlib._rows:FAR",)' in wrapper


class Tag:
    def __init__(self) -> None:
        self.text = "three"


class RealRows:
    def __iter__(self) -> Iterator[int]:
        return iter([1, 2, 3])

    def label(self) -> Tag:
        return Tag()


def test_their_objects_are_handles(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_command(cwd=project).code == 0
    for folder in ("src", "generated"):
        monkeypatch.syspath_prepend(str(project / folder))
    for name in [name for name in sys.modules if name.partition(".")[0].endswith("followed")]:
        monkeypatch.delitem(sys.modules, name)
    ports: Any = importlib.import_module("followed.ports")
    wrappers: Any = importlib.import_module("vcr_followed")

    class RealStore:
        def find(self, query: str) -> Any:
            return ports.Found(RealRows())

        def listen(self, listener: Any, hook: Any) -> str:
            return str(hook(listener.heard(RealRows())))

        def each(self, take: Any) -> list[str]:
            return [take(RealRows())]

        def traced(self, tracer: object) -> None: ...

    class Listening:
        def heard(self, rows: Any) -> str:
            return f"heard {list(rows)} {rows.label().text}"

    def session(mode: str) -> list[object]:
        with Cassette(project / "tape.yaml", mode) as cassette:
            store = wrappers.VcrStore.attach(cassette, RealStore)
            return [
                list(store.find("all").rows),
                store.listen(Listening(), str.upper),
                store.each(lambda rows: str(sum(rows))),
            ]

    recorded = session("all")
    assert recorded == [[1, 2, 3], "HEARD [1, 2, 3] THREE", ["6"]]
    assert session("none") == recorded


def test_protocols_inside_of_pydantic_are_not_followed(project: Path) -> None:
    ports = project / "src" / "followed" / "ports.py"
    ports.write_text(
        PORTS.replace("@dataclass\nclass Found:", "class Found(BaseModel):")
        + "\n\nfrom pydantic import BaseModel\n"
    )
    assert set(listed(project)) == {"Store", "Rows", "Listener"}
