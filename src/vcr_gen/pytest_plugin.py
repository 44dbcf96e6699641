"""The pytest plugin: options, the marker and the fixtures.

Every test run in an environment with vcr-gen imports this module, so it imports nothing that only
a run with cassettes needs. The rest of the plugin is in `vcr_gen.pytest`.
"""

import gc
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import aiohttp
    import httpx
    import requests

    from vcr_gen.boundaries.http.proxy import HttpProxy
    from vcr_gen.boundaries.mcp import McpOnCassette
    from vcr_gen.pytest.fixtures import CassetteFactory, Fixtures
    from vcr_gen.runtime.runs.cassette import Cassette

__all__ = [
    "pytest_addoption",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_load_initial_conftests",
    "pytest_make_collect_report",
    "pytest_runtest_makereport",
    "pytest_unconfigure",
    "vcrgen_aiohttp",
    "vcrgen_async_httpx",
    "vcrgen_cassette",
    "vcrgen_httpx",
    "vcrgen_mcp",
    "vcrgen_module_cassette",
    "vcrgen_options",
    "vcrgen_proxy",
    "vcrgen_requests",
    "vcrgen_session_cassette",
    "vcrgen_sync_websocket_connect",
    "vcrgen_websocket_connect",
]


_MISSING = ("No module named '", "cannot import name 'Vcr")


class _OwnModules:
    """Imports our modules as Python does by default, without pytest's import hook.

    pytest rewrites the asserts of every module of a distribution that has a plugin. Without stored
    bytecode, as in most containers, it does so on each start, which takes a second.
    """

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        """The module, if it belongs to vcr-gen."""
        return PathFinder.find_spec(name, path, target) if name.startswith("vcr_gen.") else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; all have the prefix `--vcrgen-`."""
    sys.meta_path.insert(0, _OwnModules)
    from vcr_gen.pytest.constants import HERMETIC, MODES

    group = parser.getgroup("vcrgen", "record and replay what crosses boundaries (vcr-gen)")
    group.addoption(
        "--vcrgen-mode",
        dest="vcrgen_mode",
        choices=MODES,
        help="replay only (none, the default), record what is missing (once), record what follows "
        "a tape (new_episodes), record again (all), or compare the real thing with the tapes "
        "(verify); wins over markers",
    )
    group.addoption(
        "--vcrgen-check-unused",
        dest="vcrgen_check_unused",
        action="store_true",
        help="fail when there are cassettes that no test has",
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


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; load the plugin now if an option is set, to check and show it."""
    from vcr_gen.pytest.constants import PREFIX

    config.addinivalue_line(
        "markers",
        "vcrgen(name=…, mode=…, format=…, anchors=…, max_age=…, when_stale=…, initial_state=…, "
        "codecs=…, order=…, strategy=…, rules=…, http=…, templates=…, redaction=…, "
        "before_record=…, before_replay=…, patience=…, pace=…, hermetic=…): how the test's "
        "cassette is opened",
    )
    # Python ignores every ResourceWarning; the filters of the project come later and win.
    config.getini("filterwarnings").insert(0, "default:.*was never closed, so:ResourceWarning")
    options = ("mode", "check_unused", "hermetic", "report")
    if os.environ.get("VCR_RECORD") or any(config.getoption(f"{PREFIX}{name}") for name in options):
        _fixtures(config)


def pytest_sessionfinish() -> None:
    """Let cassettes that tests never closed be reported in the summary of warnings."""
    if "vcr_gen.runtime.runs.cassette" in sys.modules:
        gc.collect()


def pytest_unconfigure() -> None:
    """Restore the import system of this process."""
    if _OwnModules in sys.meta_path:
        sys.meta_path.remove(_OwnModules)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config,
) -> Generator[None, object, object]:
    """Say what to do about wrappers that a `conftest.py` cannot import."""
    try:
        return (yield)
    except Exception as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, ImportError):
            from vcr_gen.pytest.missing_wrappers import add_cure

            add_cure(cause, early_config)
        raise


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Load the plugin for tests that use it; runs innermost, before any test is deselected."""
    from vcr_gen.pytest.constants import HOOKS

    report = yield
    config = collector.config
    if report.failed and any(each in str(report.longrepr) for each in _MISSING):
        from vcr_gen.pytest.missing_wrappers import add_cure_to_report

        add_cure_to_report(report, config)
    if isinstance(collector, pytest.Module | pytest.Class) and (
        config.pluginmanager.has_plugin(HOOKS) or any(map(_uses_plugin, report.result))
    ):
        _fixtures(config).collected(collector, report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show only the user's frames and what differs, also for cassettes without our fixtures."""
    from vcr_gen.pytest.constants import HOOKS

    error = None if call.excinfo is None else call.excinfo.value
    if isinstance(error, ImportError):
        from vcr_gen.pytest.missing_wrappers import add_cure

        add_cure(error, item.config)
    if error is not None and (
        type(error).__module__ == "vcr_gen.errors" or item.config.pluginmanager.has_plugin(HOOKS)
    ):
        from vcr_gen.pytest.hooks import begin_summary, hide_our_frames_in

        hide_our_frames_in(item, call)
        report = yield
        begin_summary(report, error)
        return report
    return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let the controller of xdist print the summary of all its workers."""
    from vcr_gen.pytest.summary import Summary

    Summary.of(node.config)


@pytest.fixture(scope="session")
def vcrgen_options() -> Mapping[str, Any]:
    """Options for the cassettes of all tests; override it in any scope. A marker wins over it."""
    return {}


@pytest.fixture
def vcrgen_cassette(
    request: pytest.FixtureRequest, vcrgen_options: Mapping[str, Any]
) -> "Cassette":
    """The cassette of this test: `VcrShell.attach(vcrgen_cassette, RealShell)`."""
    if "vcrgen_proxy" in request.fixturenames:  # clients open connections in any order
        vcrgen_options = {"order": {"http": "lanes"}, **vcrgen_options}
    return _fixtures(request.config).test_cassette(request, vcrgen_options)


@pytest.fixture
def vcrgen_httpx(vcrgen_cassette: "Cassette") -> "Iterator[httpx.Client]":
    """An `httpx.Client` on the test's cassette."""
    _require("httpx", "vcrgen_httpx")
    import httpx

    from vcr_gen.boundaries.http import http_transport

    with httpx.Client(transport=http_transport(vcrgen_cassette)) as client:
        yield client


@pytest.fixture
def vcrgen_async_httpx(vcrgen_cassette: "Cassette") -> "httpx.AsyncClient":
    """An `httpx.AsyncClient` on the test's cassette: `async with vcrgen_async_httpx as client`."""
    _require("httpx", "vcrgen_async_httpx")
    import httpx

    from vcr_gen.boundaries.http import async_http_transport

    return httpx.AsyncClient(transport=async_http_transport(vcrgen_cassette))


@pytest.fixture
def vcrgen_requests(vcrgen_cassette: "Cassette") -> "Iterator[requests.Session]":
    """A `requests.Session` on the test's cassette."""
    _require("requests", "vcrgen_requests")
    import requests

    from vcr_gen.boundaries.http import requests_adapter

    with requests.Session() as session:
        adapter = requests_adapter(vcrgen_cassette)
        for scheme in ("https://", "http://"):
            session.mount(scheme, adapter)
        yield session


@pytest.fixture
def vcrgen_aiohttp(vcrgen_cassette: "Cassette") -> "Callable[..., aiohttp.ClientSession]":
    """Makes sessions on the test's cassette: `async with vcrgen_aiohttp() as session`."""
    _require("aiohttp", "vcrgen_aiohttp")
    import aiohttp

    from vcr_gen.boundaries.http import aiohttp_middleware

    def make(*, middlewares: Sequence[Any] = (), **options: Any) -> aiohttp.ClientSession:
        ours = aiohttp_middleware(vcrgen_cassette)
        return aiohttp.ClientSession(middlewares=[*middlewares, ours], **options)

    return make


@pytest.fixture
def vcrgen_websocket_connect(vcrgen_cassette: "Cassette") -> "Callable[..., Any]":
    """The `connect` of `websockets.asyncio.client` on the test's cassette."""
    from vcr_gen.boundaries.http import websocket_connect

    connect: Callable[..., Any] = websocket_connect(vcrgen_cassette)
    return connect


@pytest.fixture
def vcrgen_sync_websocket_connect(vcrgen_cassette: "Cassette") -> "Callable[..., Any]":
    """The `connect` of `websockets.sync.client` on the test's cassette."""
    from vcr_gen.boundaries.http import sync_websocket_connect

    connect: Callable[..., Any] = sync_websocket_connect(vcrgen_cassette)
    return connect


@pytest.fixture
def vcrgen_proxy(
    vcrgen_cassette: "Cassette", monkeypatch: pytest.MonkeyPatch
) -> "Iterator[HttpProxy]":
    """A proxy that records and replays the requests of the test, and of programs it starts."""
    from vcr_gen.boundaries.http import http_proxy

    with http_proxy(vcrgen_cassette) as proxy:
        for name, value in proxy.environment.items():
            monkeypatch.setenv(name, value)
        yield proxy
    if proxy.complaints:
        pytest.fail("\n".join(proxy.complaints), pytrace=False)


@pytest.fixture
def vcrgen_mcp(vcrgen_cassette: "Cassette") -> "McpOnCassette":
    """MCP on the test's cassette: `Client(vcrgen_mcp.transport(["python", "-m", "server"]))`."""
    from vcr_gen.boundaries.mcp import McpOnCassette

    return McpOnCassette(vcrgen_cassette)


@pytest.fixture(scope="module")
def vcrgen_module_cassette(request: pytest.FixtureRequest) -> "Iterator[CassetteFactory]":
    """Opens cassettes that all tests of a module share: `vcrgen_module_cassette("login")`."""
    yield from _fixtures(request.config).factory(request)


@pytest.fixture(scope="session")
def vcrgen_session_cassette(request: pytest.FixtureRequest) -> "Iterator[CassetteFactory]":
    """Opens cassettes that all tests share: `vcrgen_session_cassette("login")`."""
    yield from _fixtures(request.config).factory(request)


def _require(library: str, fixture: str) -> None:
    from vcr_gen.boundaries.required_packages import require

    require(library, extra=library, wanted_by=f"the fixture {fixture}")


def _fixtures(config: pytest.Config) -> "Fixtures":
    from vcr_gen.pytest.fixtures import Fixtures

    return Fixtures.of(config)


def _uses_plugin(node: pytest.Item | pytest.Collector) -> bool:
    from vcr_gen.pytest.constants import PREFIX

    return isinstance(node, pytest.Item) and (
        any(name.startswith(PREFIX) for name in getattr(node, "fixturenames", ()))
        or node.get_closest_marker("vcrgen") is not None
    )
