"""Golden cases: each is compared, executed, type-checked by two checkers, and re-formatted.

After a wanted change, `python tests/gen/update_golden.py` writes the new expectations.
"""

import ast
import asyncio
import contextlib
import importlib
import inspect
import json
import subprocess
import sys
import typing
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from gen_projects import (
    CASES,
    GOLDEN,
    HERE,
    REJECTED,
    blackened,
    golden_files,
    messages,
    project,
)

from vcr_gen import Cassette
from vcr_gen.gen.pipeline.generation import generate
from vcr_gen.gen.types.import_targets import AT_HAND
from vcr_gen.runtime import Boundary

UNTYPED = {"missing_annotations", "stub_source", "nested_and_conditional"}
"""Sources that a strict checker rejects itself; nothing is promised for their wrappers."""
FORBIDDEN = {"final_attributes"}
"""Sources that mypy alone rejects; of their wrappers neither checker complains."""
BRACKETS = {"mixed_type_parameters", "names_in_brackets", "type_parameters"}
"""Cases with type parameters of PEP 695."""
RULES = "I,F,B010,B018,RUF022"
"""What ruff checks in generated text that no Protocol decides."""


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return golden_files()


@pytest.fixture(scope="module")
def importable() -> Iterator[None]:
    added = [str(CASES), str(GOLDEN)]
    sys.path[:0] = added
    yield
    for path in added:
        sys.path.remove(path)


def boundaries() -> Iterator[tuple[str, Boundary]]:
    for path in sorted(GOLDEN.rglob("*.py")):
        name = ".".join(path.relative_to(GOLDEN).with_suffix("").parts)
        if path.name == "__init__.py" or not runs_here(path):
            continue
        module = importlib.import_module(name)
        for value in vars(module).values():
            if isinstance(value, Boundary) and value.wrapper.__module__ == name:
                yield name, value


def runs_here(path: Path) -> bool:
    """Whether the running Python knows the syntax; newer cases run under newer Pythons."""
    try:
        ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_generated_text_is_what_was_agreed(case: str, files: dict[str, str]) -> None:
    folder = GOLDEN / f"vcr_{case}"
    expected = {
        path.relative_to(GOLDEN).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.py"))
    }
    generated = {name: text for name, text in files.items() if name.startswith(f"{folder.name}/")}
    assert expected == generated, "run: python tests/gen/update_golden.py"


def test_there_is_a_golden_file_for_each_generated_one_and_no_other(files: dict[str, str]) -> None:
    expected = {path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*.py")}
    assert expected == set(files), "run: python tests/gen/update_golden.py"


def test_black_leaves_all_generated_text_alone(files: dict[str, str]) -> None:
    changed = [name for name, text in files.items() if blackened(text) != text]
    assert changed == []


def test_ruff_would_sort_and_say_nothing_otherwise(files: dict[str, str]) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", RULES, "--quiet"]
    roots = ["--config", f"src={json.dumps([str(CASES), str(GOLDEN)])}", "--line-length", "100"]
    result = subprocess.run(
        [*command, *roots, str(GOLDEN)], capture_output=True, text=True, check=False
    )
    assert result.stdout == ""


def test_what_is_imported_for_real_is_imported_by_the_runtime_anyway() -> None:
    code = "import sys, vcr_gen.runtime; print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert AT_HAND - set(shown.stdout.split()) == set()


@pytest.mark.usefixtures("importable")
def test_every_wrapper_has_the_signatures_of_its_protocol() -> None:
    different = []
    for name, boundary in boundaries():
        case = name.partition(".")[0].removeprefix("vcr_")
        for key in boundary.calls:
            member = key.partition("#")[0]
            if case == "stub_source" or not compared(boundary, member):
                continue
            theirs = inspect.signature(getattr(boundary.protocol_type, member))
            ours = inspect.signature(getattr(boundary.wrapper, member))
            # A type parameter of PEP 695 cannot be imported: each class has its own `T`.
            if theirs != ours and (case not in BRACKETS or str(theirs) != str(ours)):
                different.append((boundary.protocol, member, theirs, ours))
    assert different == []


def compared(boundary: Boundary, member: str) -> bool:
    """Functions that the project itself declares, not through a generic or a standard base."""
    declared = inspect.getattr_static(boundary.protocol_type, member, None)
    if not inspect.isfunction(declared) and not isinstance(declared, classmethod | staticmethod):
        return False
    function = getattr(boundary.protocol_type, member)
    wrapper = getattr(boundary.wrapper, member)
    declaring = next(one for one in function_home(boundary) if member in vars(one))
    generic = declaring is not boundary.protocol_type and hasattr(declaring, "__parameters__")
    filled_in = generic and bool(declaring.__parameters__)
    return (
        function.__module__.partition(".")[0] == boundary.protocol.partition(".")[0]
        and not typing.get_overloads(wrapper)
        and not filled_in
    )


def function_home(boundary: Boundary) -> tuple[typing.Any, ...]:
    return typing.cast("type", boundary.protocol_type).__mro__


@pytest.mark.usefixtures("importable")
def test_every_wrapper_has_every_member() -> None:
    missing = [
        (boundary.protocol, key)
        for _, boundary in boundaries()
        for key in boundary.calls
        if not hasattr(boundary.wrapper, key.partition("#")[0].partition(".")[0])
    ]
    assert missing == []


@pytest.mark.usefixtures("importable")
def test_overloads_of_both_kinds_replay(tmp_path: Path) -> None:
    module = importlib.import_module("vcr_overloads_that_overlap.ports")

    class Real:
        def next(self, key: str, default: int = 0) -> object:
            return asyncio.sleep(0, default) if default else key

        def __call__(self, /, *names: str, **options: int) -> object:
            return names[0] if names else sum(options.values())

    async def session(mode: str) -> list[object]:
        with Cassette(tmp_path / "overloads.yaml", mode=mode) as cassette:
            either = module.VcrMaybeAsync.attach(cassette, Real)
            options = module.VcrOptions.attach(cassette, Real)
            return [either.next("k"), await either.next("k", 7), options("n"), options(self=3)]

    assert asyncio.run(session("all")) == asyncio.run(session("none")) == ["k", 7, "n", 3]


@pytest.mark.usefixtures("importable")
def test_the_name_of_a_function_replays(tmp_path: Path) -> None:
    module = importlib.import_module("vcr_attributes.ports")

    def real(number: int) -> int:
        return number + 1

    def session(mode: str) -> list[object]:
        with Cassette(tmp_path / "names.yaml", mode=mode) as cassette:
            function = module.VcrFunction.attach(cassette, lambda: real)
            assert not hasattr(function, "__wrapped__")
            return [function.__name__, function(1)]

    assert session("all") == session("none") == ["real", 2]


@pytest.mark.usefixtures("importable")
def test_context_managers_that_are_class_and_static_methods_replay(tmp_path: Path) -> None:
    module = importlib.import_module("vcr_context_managers.ports")

    class Real:
        @classmethod
        @contextlib.contextmanager
        def opened(cls, name: str) -> Iterator[str]:
            yield f"{name} opened"

        @staticmethod
        @contextlib.asynccontextmanager
        async def connected(name: str) -> AsyncIterator[str]:
            yield f"{name} connected"

    async def session(mode: str) -> list[object]:
        with Cassette(tmp_path / "managers.yaml", mode=mode) as cassette:
            opener = module.VcrOpener.attach(cassette, Real)
            with opener.opened("a") as first:
                async with opener.connected("b") as second:
                    return [first, second]

    replayed = asyncio.run(session("all")), asyncio.run(session("none"))
    assert replayed == (["a opened", "b connected"],) * 2


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("entered", [None, "a name"])
def test_members_whose_types_nobody_says_replay(tmp_path: Path, entered: str | None) -> None:
    module = importlib.import_module("vcr_missing_annotations.ports")

    class Real:
        def __enter__(self) -> object:
            return entered or self

        def __exit__(self, kind: object, error: object, traceback: object) -> bool:
            return kind is KeyError

        def __iter__(self) -> Iterator[int]:
            yield 1

        async def __aiter__(self) -> AsyncIterator[int]:
            yield 2

        def watch(self, notify: typing.Callable[[int], int]) -> dict[str, object]:
            return {"seen": notify(3)}

    async def session(mode: str) -> list[object]:
        with Cassette(tmp_path / "work.yaml", mode=mode) as cassette:
            work = module.VcrWork.attach(cassette, Real)
            with work as inside:
                raise KeyError
            seen = [one async for one in work]
            return [inside in (work, "a name"), [*work, *seen], work.watch(lambda n: n + 1)]

    replayed = asyncio.run(session("all")), asyncio.run(session("none"))
    assert replayed == ([True, [1, 2], {"seen": 4}],) * 2


@pytest.mark.usefixtures("importable")
def test_overloads_of_class_and_static_methods_replay(tmp_path: Path) -> None:
    module = importlib.import_module("vcr_class_and_static_methods.ports")

    class Real:
        @classmethod
        def named(cls, name: object) -> object:
            return name

        @staticmethod
        def doubled(value: str) -> str:
            return value * 2

    def session(mode: str) -> list[object]:
        with Cassette(tmp_path / "overloads.yaml", mode=mode) as cassette:
            plugin = module.VcrPlugin.attach(cassette, Real)
            return [
                plugin.named("a"),
                plugin.named(1),
                plugin.doubled("b"),
                plugin.doubled(value=2),
            ]

    assert session("all") == session("none") == ["a", 1, "bb", 4]


def test_mypy_strict_accepts_every_wrapper(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.13"]
    options = ["--config-file=", "--explicit-package-bases", "--cache-dir", str(tmp_path)]
    paths = f"{CASES}:{GOLDEN}:{HERE.parent.parent / 'src'}"
    result = subprocess.run(
        [*command, *options, str(CASES), str(GOLDEN)],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": paths, "PATH": ""},
    )
    complaints = [line for line in result.stdout.splitlines() if ": error:" in line]
    assert [line for line in complaints if not _is_untyped(line)] == []
    assert complaints, "the untyped sources should have been read, and complained about"


@pytest.mark.slow
def test_pyright_strict_accepts_every_wrapper() -> None:
    command = [sys.executable, "-m", "pyright", "--project", str(HERE), "--outputjson"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(result.stdout)["generalDiagnostics"]
    complaints = [
        f"{one['file']}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in found
        if ("/golden/" in one["file"] or one["file"].endswith("/uses.py"))
    ]
    assert [line for line in complaints if not _is_untyped(line)] == []


def _is_untyped(line: str) -> bool:
    wrappers = {f"vcr_{case}" for case in UNTYPED}
    return any(f"/{case}/" in line for case in UNTYPED | FORBIDDEN | wrappers)


@pytest.mark.parametrize("case", sorted(path.name for path in REJECTED.iterdir()))
def test_a_rejected_protocol_is_told_why(case: str) -> None:
    folder = REJECTED / case
    assert (folder / "messages.txt").read_text(encoding="utf-8") == messages(folder)


def test_nothing_is_generated_when_one_protocol_is_rejected() -> None:
    generation = generate(project(REJECTED))
    assert generation.diagnostics
    assert generation.files == ()


@pytest.mark.parametrize(("seed", "folder"), [("0", "/"), ("1", str(HERE)), ("4242", "/tmp")])
def test_text_does_not_depend_on_hash_seed_or_working_directory(
    seed: str, folder: str, files: dict[str, str]
) -> None:
    program = (
        f"import sys, json; sys.path.insert(0, {str(HERE)!r}); import gen_projects; "
        "print(json.dumps(gen_projects.golden_files()))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(HERE.parent.parent / "src")},
        check=True,
    )
    assert json.loads(result.stdout) == files
