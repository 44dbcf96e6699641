"""The options of marker and fixture."""

import inspect
import re

import pytest
from plugin_project import PluginProject, generate

from vcr_gen import Cassette
from vcr_gen.errors import UsageError
from vcr_gen.pytest.cassette_options import CassetteOptions, read_options

pytest_plugins = ["pytester"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mod": "once"}, "here: unknown option `mod`; did you mean `mode`?"),
        ({"zzzzzzz": 1}, "here: unknown option `zzzzzzz`; known: mode, format, anchors"),
        ({"mode": "onec"}, "got 'onec'; did you mean `once`?"),
        ({"when_stale": "explode"}, "`when_stale` must be one of warn, fail, record"),
    ],
)
def test_a_wrong_option_is_refused_with_a_suggestion(
    given: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        read_options("here", given)


def test_all_wrong_options_are_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        read_options("here", {"nam": "x", "mode": "y"})
    assert str(caught.value).count("here: ") == 2


def test_a_test_takes_every_option_of_a_cassette() -> None:
    parameters = set(inspect.signature(Cassette).parameters) - {"path", "record_with"}
    assert parameters | {"format", "http"} == set(CassetteOptions.__annotations__)


def test_wrong_markers_and_options_are_refused_by_pytest(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import pytest

        @pytest.mark.vcrgen(mod="once")
        def test_typo(shell): ...

        @pytest.mark.vcrgen("login")
        def test_positional(shell): ...
        """,
    )
    output = project.record("--strict-markers")
    assert (
        "test_it.py::test_typo: @pytest.mark.vcrgen: unknown option `mod`; did you mean `mode`?"
    ) in output
    assert "options are given by name, such as name='login'; got 'login'" in output
    assert "2 errors" in output
    assert "exit 4" in project.run("--vcrgen-mode=onec")


def test_options_reach_the_cassette_and_paths_are_stored_relative(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        from datetime import timedelta

        import pytest

        @pytest.fixture
        def vcrgen_options():
            return {"initial_state": {"user": "ada"}, "max_age": timedelta(weeks=1)}

        @pytest.mark.vcrgen(max_age=timedelta(weeks=2))
        def test_one(vcrgen_cassette, shell, tmp_path, request):
            assert vcrgen_cassette.initial_state == {"user": "ada"}
            assert shell.run(f"ls {tmp_path}/x") == f"old ls {tmp_path}/x"
            shell.run(f"ls {request.config.rootpath}/y")
        """,
    )
    assert "1 passed" in project.record()
    text = project.cassettes()["cassettes/test_it/test_one.yaml"]
    assert "command: ls ${tmp}/x" in text
    assert "command: ls ${project}/y" in text
    assert "max_age: 1209600" in text
    assert "1 passed" in project.run()  # tmp_path is another one in each run


def test_a_marker_switches_one_anchor_off_and_leaves_the_others(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import pytest

        @pytest.mark.vcrgen(anchors={"project": None, "data": "data"})
        def test_project(shell, tmp_path, request):
            root = request.config.rootpath
            shell.run(f"ls {tmp_path}/x {root}/y {root}/data/z")

        @pytest.mark.vcrgen(anchors={"tmp": None})
        def test_tmp(shell, tmp_path, request):
            shell.run(f"ls {request.config.rootpath}/y /tmp")
        """,
    )
    assert "2 passed" in project.record()
    cassettes = project.cassettes()
    first = cassettes["cassettes/test_it/test_project.yaml"]
    assert "command: ls ${tmp}/x ${home}/y ${data}/z" in first  # pytester sets a home
    assert "command: ls ${project}/y /tmp" in cassettes["cassettes/test_it/test_tmp.yaml"]
    assert "2 passed" in project.run()


def test_cassettes_above_their_age_warn_fail_or_are_recorded_again(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import os
        from datetime import timedelta

        import pytest

        @pytest.fixture
        def vcrgen_options():
            return {"max_age": timedelta(days=30), "when_stale": os.environ.get("STALE", "warn")}

        def test_one(shell):
            shell.run("a")
        """,
    )
    project.record()
    file = "cassettes/test_it/test_one.yaml"
    recorded = project.cassettes()[file]
    project.write(file, re.sub(r'recorded_at: "\d{4}', 'recorded_at: "2020', recorded))
    warned = project.run()
    assert "1 passed" in warned
    assert "StaleCassetteWarning" in warned
    refused = project.run(STALE="fail")
    assert "1 error" in refused
    assert "the maximum age is 30 days" in refused
    assert "record again: pytest --vcrgen-mode=all test_it.py::test_one" in refused
    # In a mode that does not record, making it anew is not possible.
    assert "1 error" in project.run(STALE="record")
    anew = project.run("--vcrgen-mode=once", STALE="record", WORLD="new")
    assert "cassettes: 1 recorded" in anew
    assert "returned: new a" in project.cassettes()[file]


def test_rules_strategies_and_templates_reach_the_cassette(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import json, random

        import pytest
        from vcr_gen import Rule
        from vcr_gen.boundary import Volatile

        @pytest.fixture
        def vcrgen_options():
            return {"rules": [Rule("Shell.run", "command.$json.id", Volatile)]}

        def test_a_rule(shell):
            shell.run(json.dumps({"id": random.random()}))

        @pytest.mark.vcrgen(strategy={"Shell": "method"}, rules=[])
        def test_a_strategy(shell):
            shell.run(str(random.random()))

        @pytest.mark.vcrgen(order="lanes", rules=[])
        def test_an_order(shell):
            for command in random.sample("abcdefgh", 8):
                shell.run(command)

        @pytest.mark.vcrgen(templates=True, rules=[])
        def test_a_template(shell):
            assert shell.run("a") in ("old a", "made for a")
        """,
    )
    project.record()
    file = "cassettes/test_it/test_a_template.yaml"
    text = project.cassettes()[file]
    project.write(
        file, text.replace("returned: old a", 'returned: !template "made for {{ args.command }}"')
    )

    output = project.run("-W", "error")

    assert "4 passed" in output
    assert "made for" in project.cassettes()[file]


def test_a_recording_lists_the_classes_that_it_stores_by_their_attributes(
    project: PluginProject,
) -> None:
    project.write(
        "app/ports.py",
        """
        from typing import Protocol

        from vcr_gen.boundary import outbound


        class User:
            def __init__(self, name: str) -> None:
                self.name = name


        @outbound
        class Shell(Protocol):
            def run(self, user: User) -> User: ...
        """,
    )
    generate(project.root)
    project.write(
        "test_it.py",
        """
        from app.ports import User

        def test_one(shell):
            assert shell.run(User("ann")).name == "ann"

        def test_two(shell):
            assert shell.run(User("bob")).name == "bob"
        """,
    )
    project.write(
        "app/real.py", "class RealShell:\n    def run(self, user):\n        return user\n"
    )
    assert (
        "cassettes: 2 recorded\n"
        "recorded:\n"
        "  cassettes/test_it/test_one.yaml\n"
        "  cassettes/test_it/test_two.yaml\n"
        "objects of these classes were stored by their attributes:\n"
        "  app.ports.User\n"
    ) in project.record()

    replayed = project.run()
    assert "cassettes: 2 replayed" in replayed
    assert "by their attributes" not in replayed
