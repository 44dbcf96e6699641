"""The pytest plugin: options, the marker and the fixtures. What is heavy is imported on use."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from vcr_gen.errors import VcrError
from vcr_gen.pytest.factory import CassetteFactory
from vcr_gen.pytest.hooks import Hooks, as_failure
from vcr_gen.pytest.naming import FOLDER, module_folder
from vcr_gen.pytest.opening import Opener
from vcr_gen.pytest.options import FORMATS, MODES, STALE, parse_age
from vcr_gen.pytest.reporting import Reporting
from vcr_gen.pytest.tape import Tape

if TYPE_CHECKING:
    from vcr_gen.runtime.cassette import Cassette

__all__ = [
    "pytest_addoption",
    "pytest_configure",
    "vcrgen_cassette",
    "vcrgen_module_cassette",
    "vcrgen_options",
    "vcrgen_session_cassette",
]

_hooks: Final = pytest.StashKey[Hooks]()
_opener: Final = pytest.StashKey[Opener]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; all of them carry our own prefix."""
    group = parser.getgroup("vcrgen", "record and replay what crosses boundaries (vcr-gen)")
    group.addoption(
        "--vcrgen-mode",
        dest="vcrgen_mode",
        choices=MODES,
        help="replay only (none, the default), record what is missing (once), record what follows "
        "a tape (new_episodes), record afresh (all), or compare the real thing with the tapes "
        "(verify); wins over markers",
    )
    group.addoption(
        "--vcrgen-check-unused",
        dest="vcrgen_check_unused",
        action="store_true",
        help="fail when there are cassettes that no test has",
    )
    group.addoption(
        "--vcrgen-max-age",
        dest="vcrgen_max_age",
        type=_age,
        metavar="AGE",
        help="how old cassettes may be, such as 30d",
    )
    group.addoption(
        "--vcrgen-keep-failed",
        dest="vcrgen_keep_failed",
        action="store_true",
        help="put a recording in place even though its test failed",
    )
    parser.addini("vcrgen_mode", f"the mode without a marker: {', '.join(MODES)}", default="")
    parser.addini("vcrgen_format", f"the format of new files: {', '.join(FORMATS)}", default="")
    parser.addini("vcrgen_max_age", "how old cassettes may be, such as 30d", default="")
    parser.addini("vcrgen_when_stale", f"what happens then: {', '.join(STALE)}", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker and start following the tests."""
    config.addinivalue_line(
        "markers",
        "vcrgen(name=…, mode=…, format=…, anchors=…, max_age=…, when_stale=…, initial_state=…, "
        "codecs=…, patience=…): how the test's cassette is opened",
    )
    reporting = Reporting(config)
    try:
        reporting.opener = opener = Opener(config, reporting.note)
    except VcrError as error:
        raise pytest.UsageError(str(error)) from error
    hooks = Hooks(config, opener)
    config.stash[_hooks] = hooks
    config.stash[_opener] = opener
    config.pluginmanager.register(hooks, "vcrgen-hooks")
    config.pluginmanager.register(reporting, "vcrgen-reporting")


@pytest.fixture(scope="session")
def vcrgen_options() -> Mapping[str, Any]:
    """Options for all cassettes of tests; override it, in any scope. A marker wins over it."""
    return {}


@pytest.fixture
def vcrgen_cassette(
    request: pytest.FixtureRequest, vcrgen_options: Mapping[str, Any]
) -> "Iterator[Cassette]":
    """The cassette of this test: `VcrShell.attach(vcrgen_cassette, RealShell)`."""
    hooks = request.config.stash[_hooks]
    item = request.node
    anchors: dict[str, Path] = {}
    if "tmp_path" in request.fixturenames:  # another folder in each run
        anchors["tmp"] = request.getfixturevalue("tmp_path")
    try:
        tape = request.config.stash[_opener].for_test(item, vcrgen_options, anchors)
    except VcrError as error:
        raise as_failure(error) from None
    hooks.own = tape
    if _is_unittest(request.instance):  # its tests take no arguments
        request.instance.vcrgen_cassette = tape.cassette
    yield tape.cassette
    hooks.close_own(item)


@pytest.fixture(scope="module")
def vcrgen_module_cassette(request: pytest.FixtureRequest) -> Iterator[CassetteFactory]:
    """Opens cassettes that all tests of a module share: `vcrgen_module_cassette("login")`."""
    yield from _factory(request, "module", module_folder(request.path))


@pytest.fixture(scope="session")
def vcrgen_session_cassette(request: pytest.FixtureRequest) -> Iterator[CassetteFactory]:
    """Opens cassettes that all tests share: `vcrgen_session_cassette("login")`."""
    yield from _factory(request, "session", request.config.rootpath / FOLDER)


def _factory(request: pytest.FixtureRequest, scope: str, folder: Path) -> Iterator[CassetteFactory]:
    hooks = request.config.stash[_hooks]
    fixture = f"vcrgen_{scope}_cassette"

    def open_tape(name: str, options: Mapping[str, object]) -> Tape:
        try:
            tape = request.config.stash[_opener].for_scope(scope, folder, name, options)
        except VcrError as error:
            raise as_failure(error) from None
        hooks.scoped.setdefault(fixture, []).append(tape)
        return tape

    yield CassetteFactory(scope, open_tape)
    hooks.close_scope(fixture)


def _is_unittest(instance: object) -> bool:
    unittest = sys.modules.get("unittest")
    return unittest is not None and isinstance(instance, unittest.TestCase)


def _age(text: str) -> str:
    import argparse

    try:
        parse_age(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text
