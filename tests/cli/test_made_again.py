"""After a change, only what it has a say in is made again, and all is as if everything were."""

import random
from dataclasses import dataclass
from typing import Any

import pytest
from mini_project import Project

from vcr_gen.gen.diagnostics import RefusedError
from vcr_gen.gen.model.boundaries import SourceModule
from vcr_gen.gen.output.write import apply_plan
from vcr_gen.gen.runs import portion
from vcr_gen.gen.runs.pipeline import generate
from vcr_gen.gen.runs.run import Request, plan_run
from vcr_gen.gen.runs.wanted import wanted_files
from vcr_gen.gen.settings.config_file import load_config
from vcr_gen.gen.sources.library import Library

_HEAD = "from typing import Protocol\nfrom app.marks import out\n"

FILES = {
    "pyproject.toml": """
        [tool.vcr-gen]
        [[tool.vcr-gen.boundary]]
        protocol = "app.api:Plain"
        direction = "inbound"
        """,
    "src/app/__init__.py": "",
    "src/app/marks.py": "from vcr_gen.boundary import outbound as out\n",
    "src/app/values.py": "class Thing: ...\nclass Other: ...\nNames = list[str]\nLIMIT = 3\n",
    "src/app/generic.py": 'from typing import TypeVar\nT = TypeVar("T")\n',
    "src/app/bases.py": """
        from typing import Protocol
        from app.generic import T
        class Base(Protocol[T]):
            def first(self, x: T) -> T: ...
        """,
    "src/app/offers.py": "from app.values import *\nfrom app.bases import Base as Base\n",
    "src/app/plain.py": "from typing import Protocol\nclass Plain(Protocol):\n    x: int\n",
    "src/app/api.py": "from app.plain import Plain as Plain\n",
    "src/app/inherits.py": f"""{_HEAD}from app.offers import Base, Thing
@out
class Inherits(Base[Thing], Protocol): ...
""",
    "src/app/aliased.py": f"""{_HEAD}from app import values
@out
class Aliased(Protocol):
    def names(self, limit: int = values.LIMIT) -> values.Names: ...
""",
    "src/app/dotted.py": f"""{_HEAD}import app.values
@out
class Dotted(Protocol):
    def names(self) -> app.values.Names: ...
""",
    "src/app/handles.py": f"""{_HEAD}from app.alone import Alone
@out
class Handles(Protocol):
    def open(self) -> Alone: ...
""",
    "src/app/alone.py": f"{_HEAD}@out\nclass Alone(Protocol):\n    def f(self) -> int: ...\n",
    "src/app/stubbed.py": "class Hidden: ...\n",
    "src/app/stubbed.pyi": "class Shown: ...\nclass Hidden: ...\n",
    "src/app/uses_stub.py": f"""{_HEAD}from app.stubbed import Hidden, Shown
@out
class UsesStub(Protocol):
    def f(self, a: Hidden, b: Shown) -> None: ...
""",
    "src/app/unmarked.py": "from typing import Protocol\nclass Unmarked(Protocol): ...\n",
    "src/app/nothing.py": "def helper() -> int:\n    return 1\n",
}


@dataclass(frozen=True)
class Edit:
    """One change of a source, and the modules that must be read again for it."""

    file: str
    old: str
    new: str
    again: tuple[str, ...] | None = None
    """None where all must, because the change has a say in which boundaries there are.

    `dotted` is left out: `import app.values` gives it a way into all of `app`.
    """

    @property
    def path(self) -> str:
        """The file's name."""
        return self.file if "." in self.file else f"{self.file}.py"


EDITS = [
    Edit("nothing", "1", "2", ()),
    Edit("alone", "-> int", "-> str", ("alone", "handles")),
    Edit("alone", "f(self)", "f(self, x: int = 0)", ("alone", "handles")),
    Edit("alone", "@out\n", "", None),
    Edit("alone", "Alone", "Solo", None),
    Edit("handles", "-> Alone", '-> "list[Alone]"', ("handles",)),
    Edit("handles", "app.alone import Alone", "app.plain import Plain as Alone", ("handles",)),
    Edit("unmarked", "class", "from app.marks import out\n@out\nclass", None),
    Edit("values", "list[str]", "set[str]", ("aliased", "inherits")),
    Edit("values", "class Thing", "class Things", ("aliased", "inherits")),
    Edit("values", "LIMIT = 3", "LIMIT = 3\nLIMIT = 4", ("aliased", "inherits")),
    Edit("generic", 'TypeVar("T")', 'TypeVar("T", bound=int)', ("inherits",)),
    Edit("bases", "first", "second", ("inherits",)),
    Edit(
        "offers",
        "from app.bases import Base as Base",
        "from app.plain import Plain as Base",
        ("inherits",),
    ),
    Edit("marks", "outbound", "inbound", None),
    Edit("plain", "x: int", "y: str", ("api",)),
    Edit("api", "import Plain", "import Plain as Old\nfrom app.unmarked import Unmarked", None),
    Edit("stubbed", "class Hidden: ...", "class Hidden: ...\nclass Shown: ...", ("uses_stub",)),
    Edit(
        "stubbed.pyi", "class Shown: ...", "from app.values import Thing as Shown", ("uses_stub",)
    ),
]


@pytest.fixture
def web(empty: Project) -> Project:
    """A project whose modules have a say in each other in many ways, generated once."""
    for path, text in FILES.items():
        empty.write(path, text)
    _run(empty)
    return empty


def _run(project: Project) -> None:
    config = load_config(project.root)
    apply_plan(plan_run(config, Request()))


def _expected(project: Project) -> dict[str, bytes] | RefusedError:
    """All files as they should be, made without a memory."""
    config = load_config(project.root)
    generation = generate(config)
    if generation.diagnostics:
        return RefusedError(generation.diagnostics)
    files = wanted_files(config, generation.files, known={})
    return {config.display(path): text.encode() for path, text in files.items()}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The source modules whose boundaries are read, as it happens."""
    found: list[str] = []
    plainly = portion.read_module

    def noted(library: Library, name: str, *rest: Any) -> SourceModule:
        found.append(name.removeprefix("app."))
        return plainly(library, name, *rest)

    monkeypatch.setattr(portion, "read_module", noted)
    return found


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.file}: {edit.new}")
def test_what_a_change_has_a_say_in_is_made_again(
    web: Project, edit: Edit, read: list[str]
) -> None:
    web.replace(f"src/app/{edit.path}", edit.old, edit.new)
    _run(web)
    if edit.again is None:
        assert {"aliased", "inherits", "uses_stub"} <= set(read)
    else:
        assert sorted(set(read) - {"dotted"}) == list(edit.again)
    assert web.files() == _expected(web)


@pytest.mark.parametrize("seed", range(2))
def test_changes_one_after_the_other_come_to_the_same_as_a_run_without_memory(
    web: Project, seed: int
) -> None:
    chosen = random.Random(seed)
    refused = 0
    for edit in chosen.sample(EDITS, len(EDITS)):
        path = web.root / f"src/app/{edit.path}"
        before = path.read_text()
        path.write_text(before.replace(edit.old, edit.new))
        wanted = _expected(web)
        if isinstance(wanted, RefusedError):
            refused += 1
            with pytest.raises(RefusedError) as caught:
                _run(web)
            assert caught.value.diagnostics == wanted.diagnostics
            path.write_text(before)
            continue
        if chosen.random() < 0.3:  # a run that writes nothing must not spoil the next
            plan_run(load_config(web.root), Request())
        _run(web)
        assert web.files() == wanted
    assert refused < len(EDITS) / 2


def test_a_wrapper_that_was_edited_or_deleted_is_made_again_alone(
    web: Project, read: list[str]
) -> None:
    before = web.files()
    web.replace("generated/vcr_app/alone.py", "-> int", "-> str")
    (web.root / "generated/vcr_app/aliased.py").unlink()
    _run(web)
    assert sorted(read) == ["aliased", "alone"]
    assert web.files() == before


def test_a_package_file_that_was_edited_is_made_again_alone(web: Project, read: list[str]) -> None:
    before = web.files()
    web.replace("generated/vcr_app/__init__.py", "VcrAlone", "VcrNobody")
    _run(web)
    assert read == []
    assert web.files() == before


def test_a_source_that_came_or_went_may_have_a_say_anywhere(web: Project, read: list[str]) -> None:
    web.write("src/app/values.pyi", "class Thing: ...\nNames = tuple[str, ...]\nLIMIT = 3\n")
    _run(web)
    assert {"aliased", "alone"} <= set(read)
    assert web.files() == _expected(web)
    read.clear()
    (web.root / "src/app/values.pyi").unlink()
    _run(web)
    assert {"aliased", "alone"} <= set(read)
    assert web.files() == _expected(web)
