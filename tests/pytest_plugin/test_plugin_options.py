"""The options of marker, fixture and configuration."""

import re
from datetime import timedelta

import pytest
from plugin_project import PluginProject

from vcr_gen.errors import UsageError
from vcr_gen.pytest.options import Options, parse_age, read_options

pytest_plugins = ["pytester"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mod": "once"}, "here: unknown option `mod`; did you mean `mode`?"),
        ({"zzzzzzz": 1}, "here: unknown option `zzzzzzz`; known: name, mode, format"),
        ({"mode": "onec"}, "got 'onec'; did you mean `once`?"),
        ({"max_age": 3}, "`max_age` must be a timedelta or a string such as '30d'; got 3"),
        ({"max_age": "soon"}, "an age is a number and one of s, m, h, d, w, such as 30d"),
        ({"when_stale": "explode"}, "`when_stale` must be one of warn, fail, record"),
        ({"anchors": "/"}, "`anchors` must be a mapping of names to folders; got '/'"),
    ],
)
def test_a_wrong_option_is_refused_with_a_suggestion(
    given: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        read_options("here", given)


def test_all_wrong_options_are_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        read_options("here", {"nam": "x", "mode": 1})
    assert str(caught.value).count("here: ") == 2


def test_closer_options_win_one_by_one() -> None:
    near, far = Options(name="x", patience=1.0), Options(mode="once", patience=2.0)
    assert near.over(far) == Options(name="x", mode="once", patience=1.0)


@pytest.mark.parametrize(
    ("text", "age"),
    [("30d", timedelta(days=30)), ("1.5h", timedelta(minutes=90)), ("2 w", timedelta(weeks=2))],
)
def test_ages_are_a_number_and_a_unit(text: str, age: timedelta) -> None:
    assert parse_age(text) == age


@pytest.mark.parametrize("text", ["", "d", "30", "30 days", "-1d", "9" * 20 + "w"])
def test_other_ages_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="age"):
        parse_age(text)


def test_wrong_markers_settings_and_options_are_refused_by_pytest(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import pytest

        @pytest.mark.vcrgen(mod="once")
        def test_typo(shell): ...

        @pytest.mark.vcrgen("login")
        def test_positional(): ...
        """,
    )
    output = project.record("--strict-markers")
    assert (
        "test_it.py::test_typo: @pytest.mark.vcrgen: unknown option `mod`; did you mean `mode`?"
    ) in output
    assert "options are given by name, such as name='login'; got 'login'" in output
    assert "2 errors" in output
    setting = project.run("-o", "vcrgen_mode=onec")
    assert "pytest configuration: `mode` must be one of" in setting
    assert "did you mean `once`?" in setting
    assert "exit 4" in setting
    assert "exit 4" in project.run("--vcrgen-max-age=soon")
    assert "exit 4" in project.run("--vcrgen-mode=onec")


def test_options_reach_the_cassette_and_paths_are_stored_relative(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import pytest

        @pytest.fixture
        def vcrgen_options():
            return {"initial_state": {"user": "ada"}, "max_age": "1w"}

        @pytest.mark.vcrgen(max_age="2w")
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


def test_cassettes_above_their_age_are_named_or_refused_or_made_anew(
    project: PluginProject,
) -> None:
    project.write("test_it.py", 'def test_one(shell):\n    shell.run("a")\n')
    project.record("--vcrgen-max-age=30d")
    file = "cassettes/test_it/test_one.yaml"
    recorded = project.cassettes()[file]
    assert "max_age" not in recorded  # the command line's is about this run, not the cassette
    project.write(file, re.sub(r'recorded_at: "\d{4}', 'recorded_at: "2020', recorded))
    assert "too old" not in project.run()
    named = project.run("--vcrgen-max-age=30d")
    assert "1 passed" in named
    assert "cassettes: 1 replayed, 1 too old" in named
    assert f"too old:\n  {file}  the recording is" in named
    assert "StaleCassetteWarning" in named
    refused = project.run("--vcrgen-max-age=30d", "-o", "vcrgen_when_stale=fail")
    assert "1 error" in refused
    assert "1 too old" in refused
    # In a mode that does not record, making it anew is not possible.
    again = project.run("-o", "vcrgen_max_age=30d", "-o", "vcrgen_when_stale=record")
    assert "1 error" in again
    anew = project.run(
        "--vcrgen-mode=once",
        *("-o", "vcrgen_max_age=30d", "-o", "vcrgen_when_stale=record"),
        WORLD="new",
    )
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
