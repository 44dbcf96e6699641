"""Opens cassettes as marker, fixture, configuration and command line together ask for them."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from vcr_gen.errors import CassetteMissingError, UsageError
from vcr_gen.pytest.claims import MARKER, Claims, test_id
from vcr_gen.pytest.decision import Decision, decide
from vcr_gen.pytest.notes import Note
from vcr_gen.pytest.options import Options, parse_age, read_options
from vcr_gen.pytest.pictures import Pictures
from vcr_gen.pytest.tape import Plan, Tape
from vcr_gen.runtime.values.anchors import is_everywhere

__all__ = ["DISTRIBUTED", "Opener", "marked_options"]

DISTRIBUTED: Final = "vcrgen_distributed"


class Opener:
    """Knows the session's settings and who has which cassette."""

    def __init__(self, config: pytest.Config, note: Callable[[Note], None]) -> None:
        self._config = config
        self._note = note
        self._ini = read_options(
            "pytest configuration",
            {
                name: config.getini(f"vcrgen_{name}") or None
                for name in ("mode", "format", "max_age", "when_stale", "hermetic")
            },
        )
        self.decision()  # a VCR_RECORD that means nothing is told before any test runs
        self.claims = Claims(self._ini.format or "yaml")
        folder = config.getoption("vcrgen_report")
        self._picture = Pictures(Path(folder), config.rootpath, note).write if folder else None

    def decision(self, asked: str | None = None) -> Decision:
        """The mode for a cassette whose marker or factory asks for `asked`."""
        return decide(
            command_line=self._config.getoption("vcrgen_mode"),
            asked=asked or self._ini.mode,
            environment=os.environ,
        )

    def for_test(self, item: pytest.Item, given: Mapping[str, Any], anchors: Any) -> Tape:
        """The tape of one test; `given` is what the fixture `vcrgen_options` says."""
        options = marked_options(item).over(
            read_options("fixture vcrgen_options", given, without=("name",))
        )
        path = self.claims.path(item, options.format)
        self.claims.claim(path, test_id(item))
        return self._open(path, options, anchors, test_id(item))

    def for_scope(
        self, scope: str, tests: str, folder: Path, name: str, options: Mapping[str, Any]
    ) -> Tape:
        """The tape that a factory of a wider scope is asked for, which `tests` use together."""
        read = read_options(f"vcrgen_{scope}_cassette", options, without=("name",))
        path = self.claims.named(folder, name, read.format)
        self.claims.claim(path, f"{scope} cassette {name!r}")
        tape = self._open(path, read, {}, tests)
        distributed = getattr(self._config, "workerinput", {}).get(DISTRIBUTED, "")
        if tape.cassette.recording and distributed not in _WHOLE[scope]:
            refused = UsageError(
                f"{path}: the tests of a {scope} run in several processes here, and each would "
                f"record its own part\n\nhint: record without -n{_INSTEAD[scope]}"
            )
            tape.fail(refused)
            tape.close()
            raise refused
        return tape

    def _open(self, path: Path, options: Options, anchors: Mapping[str, Any], tests: str) -> Tape:
        root = self._config.rootpath
        automatic = {} if is_everywhere(str(root)) else {"project": root}
        declared = {**automatic, **anchors, **(options.anchors or {})}
        if declared.get("project", root) is None:  # what the cassette does not know, it cannot drop
            del declared["project"]
        asked_guard = self._config.getoption("vcrgen_hermetic")
        options = Options(hermetic=asked_guard).over(options)
        options = options.over(
            Options(when_stale=self._ini.when_stale, hermetic=self._ini.hermetic)
        )
        asked_age = self._config.getoption("vcrgen_max_age")
        plan = Plan(
            path=path,
            mode=self.decision(options.mode).mode,
            options=replace(
                options,
                anchors={
                    name: None if folder is None else root / folder
                    for name, folder in declared.items()
                },
            ),
            max_age=parse_age(asked_age) if asked_age else options.over(self._ini).max_age,
            keep_failed=self._config.getoption("vcrgen_keep_failed"),
            record_with=self._command(tests, "all"),
            tests=tests,
            picture=self._picture,
        )
        try:
            return Tape(plan, self._note)
        except CassetteMissingError as error:
            raise CassetteMissingError(
                f"there is no cassette, and mode {plan.mode!r} does not record\n\n"
                f"hint: record it: {self._command(tests, 'once')}",
                path=path,
            ) from error

    def _command(self, tests: str, mode: str) -> str:
        """The command that runs one test, or all tests of a module, or of the run, in a mode."""
        import shlex

        command = f"pytest --vcrgen-mode={mode}"
        if not tests:
            return command
        file, separator, names = tests.partition("::")
        here = self._config.invocation_params.dir
        path = Path(os.path.relpath(self._config.rootpath / file, here)).as_posix()
        return f"{command} {shlex.quote(f'{path}{separator}{names}')}"


def marked_options(item: pytest.Item) -> Options:
    """What the markers of a test ask for; the closest one wins."""
    options = Options()
    for marker in item.iter_markers(MARKER):
        where = f"{test_id(item)}: @pytest.mark.{MARKER}"
        if marker.args:
            raise UsageError(
                f"{where}: options are given by name, such as name='login'; got {marker.args[0]!r}"
            )
        options = options.over(read_options(where, marker.kwargs))
    return options


_WHOLE: Final[Mapping[str, tuple[str, ...]]] = {"module": ("", "loadfile"), "session": ("",)}
_INSTEAD: Final[Mapping[str, str]] = {"module": ", or with --dist loadfile", "session": ""}
