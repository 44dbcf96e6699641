"""What the fixtures do: they open a cassette as asked, and close it when the scope ends.

The mode and options come from the marker, the fixture `vcrgen_options`, the configuration and the
command line.
"""

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack, final

import pytest

from vcr_gen.errors import CassetteMissingError, UsageError, VcrError
from vcr_gen.pytest.cassette_paths import CassettePaths, module_folder, test_id
from vcr_gen.pytest.constants import DISTRIBUTED, FOLDER, HOOKS
from vcr_gen.pytest.hooks import Hooks, as_failure
from vcr_gen.pytest.open_cassette import OpenCassette, Plan
from vcr_gen.pytest.options import (
    FactoryOptions,
    ModeChoice,
    Options,
    choose_mode,
    marked_options,
    parse_age,
    read_options,
)
from vcr_gen.pytest.summary import Summary
from vcr_gen.runtime.values.anchors import is_everywhere

if TYPE_CHECKING:
    from vcr_gen.runtime.runs.cassette import Cassette

__all__ = ["CassetteFactory", "Fixtures"]

_stash_key: Final = pytest.StashKey["Fixtures"]()

_RECORDS_WITH_XDIST: Final[Mapping[str, tuple[str, ...]]] = {
    "module": ("", "loadfile"),
    "session": ("",),
}
"""The ways of distributing tests that keep all tests of a scope in one process."""


@final
class CassetteFactory:
    """Opens cassettes by name; each is closed at the end of the scope.

    A second call with the same name returns the cassette that is already open.
    """

    def __init__(
        self, default: str, open_by_name: Callable[[str, Mapping[str, object]], "Cassette"]
    ) -> None:
        self._default = default
        self._open_by_name = open_by_name
        self._open: dict[str, Cassette] = {}

    def __call__(self, name: str | None = None, **options: Unpack[FactoryOptions]) -> "Cassette":
        """The cassette of that name; it takes the same options as the marker."""
        name = name or self._default
        if name not in self._open:
            self._open[name] = self._open_by_name(name, options)
        return self._open[name]


class Fixtures:
    """The plugin of a session in which a test uses a cassette, or an option is set."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._summary = Summary.of(config)
        names = ("mode", "format", "max_age", "when_stale", "hermetic")
        try:
            self._ini = read_options(
                "pytest configuration",
                {name: config.getini(f"vcrgen_{name}") or None for name in names},
            )
            self.choose_mode()  # reports an invalid VCR_RECORD before any test runs
        except VcrError as error:
            raise pytest.UsageError(str(error)) from error
        self._paths = CassettePaths(self._ini.format or "yaml", self._summary.used)
        self._hooks = Hooks(self.choose_mode())
        config.pluginmanager.register(self._hooks, HOOKS)

    @staticmethod
    def of(config: pytest.Config) -> "Fixtures":
        """The fixtures of this session; made on first use."""
        if _stash_key not in config.stash:
            config.stash[_stash_key] = Fixtures(config)
        return config.stash[_stash_key]

    def collected(self, collector: pytest.Collector, report: pytest.CollectReport) -> None:
        """Name the cassettes of a collected module or class, before any test is deselected."""
        self._paths.collect(report.result)
        self._summary.collected(collector, report)

    def choose_mode(self, asked: str | None = None) -> ModeChoice:
        """The mode of a cassette whose marker or factory asks for `asked`."""
        return choose_mode(
            command_line=self._config.getoption("vcrgen_mode"),
            asked=asked or self._ini.mode,
            environment=os.environ,
        )

    def test_cassette(
        self, request: pytest.FixtureRequest, given: Mapping[str, Any]
    ) -> "Iterator[Cassette]":
        """The cassette of a test; `given` is the value of the fixture `vcrgen_options`.

        The hooks may close it earlier, to fail the test itself for unused events, or later, to
        put a recording in place only after a teardown without errors.
        """
        anchors: dict[str, Path] = {}
        if "tmp_path" in request.fixturenames:  # a different folder in each run
            anchors["tmp"] = request.getfixturevalue("tmp_path")
        test = test_id(request.node)
        try:
            options = marked_options(request.node).over(
                read_options("fixture vcrgen_options", given, without=("name",))
            )
            path = self._paths.for_test(request.node, options.format)
            self._paths.claim(path, test)
            opened = self._open(path, options, anchors, test)
        except VcrError as error:
            raise as_failure(error) from None
        self._hooks.test_cassette_opened(opened)
        if _is_unittest(request.instance):  # its tests take no arguments
            request.instance.vcrgen_cassette = opened.cassette
        yield opened.cassette
        self._hooks.close_replay(request.node)

    def module_factory(self, request: pytest.FixtureRequest) -> Iterator[CassetteFactory]:
        """The factory of a module; its cassettes are closed with the module."""
        return self._factory("module", request.node.nodeid, module_folder(request.path))

    def session_factory(self) -> Iterator[CassetteFactory]:
        """The factory of the session; its cassettes are closed with the session."""
        return self._factory("session", "", self._config.rootpath / FOLDER)

    def _factory(self, scope: str, tests: str, folder: Path) -> Iterator[CassetteFactory]:
        fixture = f"vcrgen_{scope}_cassette"

        def open_by_name(name: str, options: Mapping[str, object]) -> "Cassette":
            try:
                given = read_options(fixture, options, without=("name",))
                path = self._paths.for_name(folder, name, given.format)
                self._paths.claim(path, f"{scope} cassette {name!r}")
                opened = self._open(path, given, {}, tests)
                self._refuse_to_record_in_parts(scope, opened)
            except VcrError as error:
                raise as_failure(error) from None
            self._hooks.shared_cassette_opened(fixture, opened)
            return opened.cassette

        yield CassetteFactory(scope, open_by_name)
        self._hooks.close_shared(fixture)

    def _refuse_to_record_in_parts(self, scope: str, opened: OpenCassette) -> None:
        """A recording needs all tests of its scope in one process."""
        distributed = getattr(self._config, "workerinput", {}).get(DISTRIBUTED, "")
        if opened.cassette.recording and distributed not in _RECORDS_WITH_XDIST[scope]:
            instead = ", or with --dist loadfile" if scope == "module" else ""
            refused = UsageError(
                f"{opened.plan.path}: the tests of a {scope} run in several processes here, and "
                f"each would record its own part\n\nhint: record without -n{instead}"
            )
            opened.fail(refused)
            opened.close()
            raise refused

    def _open(
        self, path: Path, options: Options, anchors: Mapping[str, Any], tests: str
    ) -> OpenCassette:
        config = self._config
        options = Options(hermetic=config.getoption("vcrgen_hermetic")).over(options)
        options = options.over(
            Options(when_stale=self._ini.when_stale, hermetic=self._ini.hermetic)
        )
        max_age = config.getoption("vcrgen_max_age")
        reports = config.getoption("vcrgen_report")
        plan = Plan(
            path=path,
            mode=self.choose_mode(options.mode).mode,
            options=replace(options, anchors=self._anchors(anchors, options)),
            max_age=parse_age(max_age) if max_age else options.over(self._ini).max_age,
            keep_failed=config.getoption("vcrgen_keep_failed"),
            record_with=self._command(tests, "all"),
            tests=tests,
            root=config.rootpath,
            reports=Path(reports) if reports else None,
        )
        try:
            return OpenCassette(plan, self._summary.note)
        except CassetteMissingError as error:
            raise CassetteMissingError(
                f"there is no cassette, and mode {plan.mode!r} does not record\n\n"
                f"hint: record it: {self._command(tests, 'once')}",
                path=path,
            ) from error

    def _anchors(self, automatic: Mapping[str, Any], options: Options) -> Mapping[str, Path | None]:
        root = self._config.rootpath
        project = {} if is_everywhere(str(root)) else {"project": root}
        anchors = {**project, **automatic, **(options.anchors or {})}
        if anchors.get("project", root) is None:  # the cassette has no anchor `project` to drop
            del anchors["project"]
        return {name: None if folder is None else root / folder for name, folder in anchors.items()}

    def _command(self, tests: str, mode: str) -> str:
        """The command that runs a test, a module or everything in a mode."""
        command = f"pytest --vcrgen-mode={mode}"
        if not tests:
            return command
        file, separator, names = tests.partition("::")
        path = os.path.relpath(self._config.rootpath / file, self._config.invocation_params.dir)
        return f"{command} {shlex.quote(f'{Path(path).as_posix()}{separator}{names}')}"


def _is_unittest(instance: object) -> bool:
    unittest = sys.modules.get("unittest")
    return unittest is not None and isinstance(instance, unittest.TestCase)
