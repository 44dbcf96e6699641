"""The plugin at work: made when the first test uses it, or when an option asks for it."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from vcr_gen.errors import VcrError
from vcr_gen.pytest.factory import CassetteFactory
from vcr_gen.pytest.hooks import Hooks, as_failure
from vcr_gen.pytest.reporting import Reporting
from vcr_gen.pytest.tape import Tape
from vcr_gen.pytest.words import HOOKS

if TYPE_CHECKING:
    from vcr_gen.runtime.runs.cassette import Cassette

__all__ = ["Active"]

_active: Final = pytest.StashKey["Active"]()


class Active:
    """What collection and fixtures need of the session."""

    def __init__(self, config: pytest.Config) -> None:
        try:
            self._reporting = Reporting(config)
        except VcrError as error:
            raise pytest.UsageError(str(error)) from error
        self._opener = self._reporting.opener
        self._hooks = Hooks(self._opener)
        config.pluginmanager.register(self._hooks, HOOKS)
        config.pluginmanager.register(self._reporting, "vcrgen-reporting")

    @staticmethod
    def of(config: pytest.Config) -> "Active":
        """The one of this session; made now, if there is none yet."""
        if _active not in config.stash:
            config.stash[_active] = Active(config)
        return config.stash[_active]

    def collected(self, collector: pytest.Collector, report: pytest.CollectReport) -> None:
        """A module or a class was collected; nothing is deselected yet."""
        self._opener.claims.collect(report.result)
        self._reporting.collected(collector, report)

    def prepare(self, worker: dict[str, Any]) -> None:
        """Tell one of xdist's workers what it cannot know."""
        self._reporting.prepare(worker)

    def cassette(
        self, request: pytest.FixtureRequest, given: Mapping[str, Any]
    ) -> "Iterator[Cassette]":
        """The cassette of one test, from its setup to its teardown."""
        anchors: dict[str, Path] = {}
        if "tmp_path" in request.fixturenames:  # another folder in each run
            anchors["tmp"] = request.getfixturevalue("tmp_path")
        try:
            tape = self._opener.for_test(request.node, given, anchors)
        except VcrError as error:
            raise as_failure(error) from None
        self._hooks.opened(tape)
        self._hooks.own = tape
        if _is_unittest(request.instance):  # its tests take no arguments
            request.instance.vcrgen_cassette = tape.cassette
        yield tape.cassette
        self._hooks.close_own(request.node)

    def factory(self, scope: str, tests: str, folder: Path) -> Iterator[CassetteFactory]:
        """A factory whose cassettes are closed with the scope; `tests` is the id of all in it."""
        fixture = f"vcrgen_{scope}_cassette"

        def open_tape(name: str, options: Mapping[str, object]) -> Tape:
            try:
                tape = self._opener.for_scope(scope, tests, folder, name, options)
            except VcrError as error:
                raise as_failure(error) from None
            self._hooks.opened(tape)
            self._hooks.scoped.setdefault(fixture, []).append(tape)
            return tape

        yield CassetteFactory(scope, open_tape)
        self._hooks.close_scope(fixture)


def _is_unittest(instance: object) -> bool:
    unittest = sys.modules.get("unittest")
    return unittest is not None and isinstance(instance, unittest.TestCase)
