"""The fixtures' code: they open the cassette of a test, a module or the session.

The mode and options come from the marker, the fixture `vcrgen_options` and the command line.
"""

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack, final

import pytest

from vcr_gen.errors import UsageError, VcrError
from vcr_gen.gen.settings.config_reader import load_options
from vcr_gen.pytest.cassette_options import (
    CassetteOptions,
    Options,
    choose_mode,
    marked_options,
    read_options,
)
from vcr_gen.pytest.cassette_paths import CassettePaths, module_folder, test_id
from vcr_gen.pytest.constants import FOLDER, HOOKS
from vcr_gen.pytest.hooks import Hooks, as_failure
from vcr_gen.pytest.open_cassette import OpenCassette
from vcr_gen.pytest.summary import Summary
from vcr_gen.runtime.values.anchors import is_everywhere

if TYPE_CHECKING:
    from vcr_gen.boundaries.http import HttpMatch
    from vcr_gen.runtime.modes import Choice
    from vcr_gen.runtime.runs.cassette import Cassette

_stash_key: Final = pytest.StashKey["Fixtures"]()


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

    def __call__(self, name: str | None = None, **options: Unpack[CassetteOptions]) -> "Cassette":
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
        self._paths = CassettePaths(self._summary.used)
        try:
            self._hooks = Hooks(self._choice())
            self._http_options = load_options(config.rootpath, "http")
        except VcrError as error:  # an invalid VCR_RECORD or table
            raise pytest.UsageError(str(error)) from error
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

    def test_cassette(self, request: pytest.FixtureRequest, given: Options) -> "Cassette":
        """Open the cassette of a test; `given` is the value of the fixture `vcrgen_options`.

        The hooks close it: with the test, so that unused events fail it, or after the teardown of
        all fixtures if one of them may still use it.
        """
        automatic: dict[str, Path] = {}
        if "tmp_path" in request.fixturenames:  # a different folder in each run
            automatic["tmp"] = request.getfixturevalue("tmp_path")
        test = test_id(request.node)
        try:
            options = {
                **read_options("fixture vcrgen_options", given),
                **marked_options(request.node),
            }
            path = self._paths.for_test(request.node, options.get("format"))
            self._paths.claim(path, test)
            opened = self._open(path, options, automatic, test)
        except VcrError as error:
            raise as_failure(error) from None
        self._hooks.test_cassette_opened(opened, request.node)
        if _is_unittest(request.instance):  # its tests take no arguments
            request.instance.vcrgen_cassette = opened.cassette
        return opened.cassette

    def factory(self, request: pytest.FixtureRequest) -> Iterator[CassetteFactory]:
        """The factory of a module or of the session; its cassettes are closed with the scope."""
        scope: str = request.scope
        fixture = f"vcrgen_{scope}_cassette"
        in_module = scope == "module"
        folder = module_folder(request.path) if in_module else self._config.rootpath / FOLDER

        def open_by_name(name: str, options: Mapping[str, object]) -> "Cassette":
            try:
                given = read_options(fixture, options)
                path = self._paths.for_name(folder, name, given.get("format"))
                self._paths.claim(path, f"{scope} cassette {name!r}")
                opened = self._open(path, given, {}, request.node.nodeid)
                if opened.cassette.recording and hasattr(self._config, "workerinput"):
                    raise _refuse_to_record_in_parts(opened)
            except VcrError as error:
                raise as_failure(error) from None
            self._hooks.shared_cassette_opened(fixture, opened)
            return opened.cassette

        yield CassetteFactory(scope, open_by_name)
        self._hooks.close_shared(fixture)

    def _open(
        self, path: Path, options: Options, automatic: Mapping[str, Path], tests: str
    ) -> OpenCassette:
        own = {"name", "mode", "format", "anchors", "http"}
        given = {name: value for name, value in options.items() if name not in own}
        given["anchors"] = self._anchors(automatic, options.get("anchors", {}))
        if hermetic := self._config.getoption("vcrgen_hermetic"):
            given["hermetic"] = hermetic
        opened = OpenCassette(
            path,
            self._choice(options.get("mode")),
            given,
            record_with=self._command(tests, "all" if path.exists() else "once"),
            tests=tests,
            report=self._report(path),
            note=self._summary.note,
        )
        self._loosen(opened.cassette, options.get("http"))
        return opened

    def _loosen(self, cassette: "Cassette", http: "HttpMatch | None") -> None:
        """Let the options of a test decide how HTTP requests are compared, or else the project."""
        if http is not None:
            cassette.loosen(*http.rules())
        elif self._http_options:
            from vcr_gen.boundaries.http import HttpMatch

            cassette.loosen(*HttpMatch(**self._http_options).rules(), default=True)

    def _choice(self, asked: str | None = None) -> "Choice":
        return choose_mode(self._config.getoption("vcrgen_mode"), asked)

    def _anchors(
        self, automatic: Mapping[str, Path], given: Mapping[str, Any]
    ) -> Mapping[str, Path | None]:
        root = self._config.rootpath
        project = {} if is_everywhere(str(root)) else {"project": root}
        anchors = {**project, **automatic, **given}
        if anchors.get("project", root) is None:  # the cassette has no anchor `project` to drop
            del anchors["project"]
        return {name: None if folder is None else root / folder for name, folder in anchors.items()}

    def _report(self, path: Path) -> Path | None:
        """Where to write the HTML report of a failed replay: the cassette's path in the folder."""
        folder, root = self._config.getoption("vcrgen_report"), self._config.rootpath
        if not folder:
            return None
        base = root if path.is_relative_to(root) else Path(path.anchor)
        return Path(folder, path.relative_to(base).with_suffix(f"{path.suffix}.html"))

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


def _refuse_to_record_in_parts(opened: OpenCassette) -> UsageError:
    """A cassette that tests share needs all of them in one process to be recorded."""
    refused = UsageError(
        f"{opened.path}: xdist runs the tests that share this cassette in several processes, and "
        "each would record its own part\n\nhint: record without -n"
    )
    opened.fail(refused)
    opened.close()
    return refused
