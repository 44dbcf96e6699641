"""The pytest plugin: options, the marker and the fixtures.

Every test run of an environment in which vcr-gen is installed imports this module, so it imports
nothing that only a run with cassettes needs.
"""

import os
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from vcr_gen.pytest.active import Active
    from vcr_gen.pytest.factory import CassetteFactory
    from vcr_gen.runtime.runs.cassette import Cassette

__all__ = [
    "pytest_addoption",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_make_collect_report",
    "pytest_runtest_makereport",
    "pytest_unconfigure",
    "vcrgen_cassette",
    "vcrgen_module_cassette",
    "vcrgen_options",
    "vcrgen_session_cassette",
]


class _OwnModules:
    """Finds our modules as Python does by default, before pytest's import hook sees them.

    pytest rewrites the asserts of every module of a distribution that has a plugin. Where no
    bytecode is written, as in most containers, it does so on each start, and that takes a second.
    """

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        """The module, if it is one of ours."""
        return PathFinder.find_spec(name, path, target) if name.startswith("vcr_gen.") else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; all of them carry our own prefix."""
    sys.meta_path.insert(0, _OwnModules)
    from vcr_gen.pytest.words import FORMATS, HERMETIC, MODES, STALE

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
    group.addoption(
        "--vcrgen-hermetic",
        dest="vcrgen_hermetic",
        nargs="?",
        const="fail",
        choices=HERMETIC,
        help="notice connections, processes and files that go past the boundaries in a replay: "
        "fail (the default) or warn; wins over markers",
    )
    group.addoption(
        "--vcrgen-report",
        dest="vcrgen_report",
        type=os.path.abspath,  # workers of xdist may be elsewhere
        metavar="DIR",
        help="write an HTML report of each replay that fails into this folder",
    )
    parser.addini("vcrgen_mode", f"the mode without a marker: {', '.join(MODES)}", default="")
    parser.addini("vcrgen_format", f"the format of new files: {', '.join(FORMATS)}", default="")
    parser.addini("vcrgen_max_age", "how old cassettes may be, such as 30d", default="")
    parser.addini("vcrgen_when_stale", f"what happens then: {', '.join(STALE)}", default="")
    parser.addini("vcrgen_hermetic", f"guard replays: {', '.join(HERMETIC)}", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; start at once where an option is set, to check it and to show it."""
    from vcr_gen.pytest.words import PREFIX

    config.addinivalue_line(
        "markers",
        "vcrgen(name=…, mode=…, format=…, anchors=…, max_age=…, when_stale=…, initial_state=…, "
        "codecs=…, order=…, strategy=…, rules=…, templates=…, redaction=…, before_record=…, "
        "before_replay=…, patience=…, hermetic=…): how the test's cassette is opened",
    )
    options = ("mode", "check_unused", "max_age", "keep_failed", "hermetic", "report")
    settings = ("mode", "format", "max_age", "when_stale", "hermetic")
    if (
        os.environ.get("VCR_RECORD")
        or any(config.getoption(f"{PREFIX}{name}") for name in options)
        or any(config.getini(f"{PREFIX}{name}") for name in settings)
    ):
        _active(config)


def pytest_unconfigure() -> None:
    """Leave the imports of this process as they were."""
    if _OwnModules in sys.meta_path:
        sys.meta_path.remove(_OwnModules)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Look for tests that use us; innermost, so that all are seen whatever is selected."""
    from vcr_gen.pytest.words import HOOKS

    report = yield
    if isinstance(collector, pytest.Module | pytest.Class):
        config = collector.config
        if config.pluginmanager.has_plugin(HOOKS) or any(map(_uses_us, report.result)):
            _active(config).collected(collector, report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Show the user's frames alone where a cassette was opened without our fixtures, too."""
    if call.excinfo is not None and call.excinfo.type.__module__ == "vcr_gen.errors":
        from vcr_gen.pytest.shortening import shorten

        shorten(item, call)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """With xdist, the tests run in workers and the summary is made here."""
    _active(node.config).prepare(node.workerinput)


@pytest.fixture(scope="session")
def vcrgen_options() -> Mapping[str, Any]:
    """Options for all cassettes of tests; override it, in any scope. A marker wins over it."""
    return {}


@pytest.fixture
def vcrgen_cassette(
    request: pytest.FixtureRequest, vcrgen_options: Mapping[str, Any]
) -> "Iterator[Cassette]":
    """The cassette of this test: `VcrShell.attach(vcrgen_cassette, RealShell)`."""
    yield from _active(request.config).cassette(request, vcrgen_options)


@pytest.fixture(scope="module")
def vcrgen_module_cassette(request: pytest.FixtureRequest) -> "Iterator[CassetteFactory]":
    """Opens cassettes that all tests of a module share: `vcrgen_module_cassette("login")`."""
    from vcr_gen.pytest.naming import module_folder

    yield from _active(request.config).factory(
        "module", request.node.nodeid, module_folder(request.path)
    )


@pytest.fixture(scope="session")
def vcrgen_session_cassette(request: pytest.FixtureRequest) -> "Iterator[CassetteFactory]":
    """Opens cassettes that all tests share: `vcrgen_session_cassette("login")`."""
    from vcr_gen.pytest.words import FOLDER

    yield from _active(request.config).factory("session", "", request.config.rootpath / FOLDER)


def _active(config: pytest.Config) -> "Active":
    from vcr_gen.pytest.active import Active

    return Active.of(config)


def _uses_us(node: pytest.Item | pytest.Collector) -> bool:
    from vcr_gen.pytest.words import PREFIX

    return isinstance(node, pytest.Item) and (
        any(name.startswith(PREFIX) for name in getattr(node, "fixturenames", ()))
        or node.get_closest_marker("vcrgen") is not None
    )


def _age(text: str) -> str:
    import argparse

    from vcr_gen.pytest.options import parse_age

    try:
        parse_age(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text
