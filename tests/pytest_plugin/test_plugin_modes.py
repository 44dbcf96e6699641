"""Which mode a test's cassette is opened in, and what each mode does."""

import pytest
from plugin_project import PluginProject

from vcr_gen.pytest.cassette_options import choose_mode

pytest_plugins = ["pytester"]

ONE_TEST = """
    def test_one(shell):
        assert shell.run("a").endswith("a")
    """
FILE = "cassettes/test_it/test_one.yaml"


def test_one_line_serves_recording_and_replay(project: PluginProject) -> None:
    project.write("test_it.py", ONE_TEST)
    recorded = project.run("--vcrgen-mode=once", WORLD="old")
    assert "cassettes: 1 recorded" in recorded
    assert "exit 0" in recorded
    assert list(project.cassettes()) == [FILE]
    replayed = project.run("--vcrgen-mode=once")  # without a world to call
    assert "cassettes: 1 replayed" in replayed
    assert "exit 0" in replayed


def test_without_a_mode_nothing_is_recorded_and_the_command_is_told(project: PluginProject) -> None:
    project.write("test_it.py", ONE_TEST)
    output = project.run(WORLD="old")
    missing = f"\n{FILE}: there is no cassette, and mode 'none' does not record\n"
    assert missing in output
    assert "hint: record it: pytest --vcrgen-mode=once test_it.py::test_one" in output
    assert "exit 1" in output
    assert project.cassettes() == {}


def test_all_replaces_the_cassette_and_verify_compares_it_with_the_world(
    project: PluginProject,
) -> None:
    project.write("test_it.py", ONE_TEST)
    project.record()
    assert "returned: old a" in project.cassettes()[FILE]
    same = project.run("--vcrgen-mode=verify", WORLD="old")
    assert "cassettes: 1 verified" in same
    assert "exit 0" in same
    other = project.run("--vcrgen-mode=verify", WORLD="new")
    assert "the real environment no longer behaves as recorded" in other
    assert "record again: pytest --vcrgen-mode=all test_it.py::test_one" in other
    assert "1 failed" in other
    assert "returned: old a" in project.cassettes()[FILE]
    project.run("--vcrgen-mode=all", WORLD="new")
    assert "returned: new a" in project.cassettes()[FILE]


def test_new_episodes_records_what_follows_the_tape(project: PluginProject) -> None:
    project.write("test_it.py", ONE_TEST)
    project.record()
    project.write("test_it.py", 'def test_one(shell):\n    shell.run("a"), shell.run("b")\n')
    extended = project.run("--vcrgen-mode=new_episodes", WORLD="new")
    assert "cassettes: 1 recorded" in extended
    text = project.cassettes()[FILE]
    assert "returned: old a" in text
    assert "returned: new b" in text
    assert "exit 0" in project.run()


def marked(mode: str) -> str:
    """A test that asks for a mode."""
    return f"""
        import pytest

        @pytest.mark.vcrgen(mode="{mode}")
        def test_one(shell):
            shell.run("a")
        """


def test_vcr_record_does_not_make_a_test_record_that_asks_for_none(project: PluginProject) -> None:
    project.write("test_it.py", marked("none"))
    assert "1 recorded" in project.run("--vcrgen-mode=once", WORLD="old")
    assert "1 replayed" in project.run(VCR_RECORD="1", WORLD="new")
    assert "returned: old a" in project.cassettes()[FILE]


def test_ci_records_what_a_marker_asks_to_record_afresh(project: PluginProject) -> None:
    project.write("test_it.py", marked("all"))
    assert "1 recorded" in project.run(CI="true", WORLD="old")


def test_ci_records_once_only_when_the_command_line_asks(project: PluginProject) -> None:
    project.write("test_it.py", marked("once"))
    assert "exit 1" in project.run(CI="true", WORLD="old")
    ignored = project.run(CI="true", VCR_RECORD="1", WORLD="old")
    assert (
        "vcrgen: VCR_RECORD=1 is ignored because CI is set: replaying; --vcrgen-mode=all records"
    ) in ignored
    assert "there is no cassette, and nothing is recorded while CI is set" in ignored
    assert (
        "hint: record it outside CI, and commit it: "
        "pytest --vcrgen-mode=once test_it.py::test_one"
    ) in ignored
    assert project.cassettes() == {}
    assert "exit 0" in project.run("--vcrgen-mode=once", CI="true", WORLD="old")
    assert list(project.cassettes()) == [FILE]


def test_vcr_record_records_afresh_unless_the_command_line_says_otherwise(
    project: PluginProject,
) -> None:
    project.write("test_it.py", ONE_TEST)
    assert "1 recorded" in project.run(VCR_RECORD="1", WORLD="old")
    assert "1 replayed" in project.run("--vcrgen-mode=none", VCR_RECORD="1")
    assert "1 recorded" in project.run(VCR_RECORD="1", WORLD="new")
    assert "returned: new a" in project.cassettes()[FILE]


def test_a_mode_in_vcr_record_is_refused_before_any_test_runs(project: PluginProject) -> None:
    project.write("test_it.py", ONE_TEST)
    refused = project.run(VCR_RECORD="none", WORLD="old")
    assert "VCR_RECORD must be 1 or 0; got 'none'" in refused
    assert "to pytest: --vcrgen-mode=none" in refused
    assert "--vcrgen-mode=none" in refused
    assert "exit 4" in refused
    assert project.cassettes() == {}
    assert "1 recorded" in project.run("--vcrgen-mode=once", VCR_RECORD="none", WORLD="old")


@pytest.mark.parametrize(
    ("command_line", "asked", "environment", "expected"),
    [
        (None, None, {}, "none"),
        (None, "once", {}, "once"),
        (None, "rewrite", {}, "all"),
        ("none", "all", {"VCR_RECORD": "1"}, "none"),
        ("all", "none", {"CI": "1"}, "all"),
        (None, None, {"VCR_RECORD": "1"}, "all"),
        (None, "once", {"VCR_RECORD": "1"}, "all"),
        (None, "none", {"VCR_RECORD": "1"}, "none"),
        (None, "verify", {"VCR_RECORD": "1"}, "verify"),
        (None, "new_episodes", {"VCR_RECORD": "1"}, "new_episodes"),
        (None, "once", {"VCR_RECORD": "0", "CI": "false"}, "once"),
        (None, "once", {"CI": "true"}, "none"),
        (None, "new_episodes", {"CI": "true"}, "none"),
        (None, "verify", {"CI": "true"}, "verify"),
        (None, "rewrite", {"CI": "true"}, "all"),
        (None, "none", {"CI": "true", "VCR_RECORD": "1"}, "none"),
        (None, None, {"CI": "true", "VCR_RECORD": "1"}, "none"),
    ],
)
def test_the_command_line_wins_and_an_explicit_none_stays_none(
    command_line: str | None,
    asked: str | None,
    environment: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("CI", "VCR_RECORD"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert expected == choose_mode(command_line, asked).mode.value


def test_a_cassette_that_is_never_closed_is_reported_by_the_run_that_opened_it(
    project: PluginProject,
) -> None:
    project.write(
        "test_it.py",
        """
        from app.real import RealShell
        from vcr_app import VcrShell
        from vcr_gen import Cassette

        def test_one():
            cassette = Cassette("one.yaml", "once")
            assert VcrShell.attach(cassette, RealShell).run("a") == "old a"
        """,
    )
    output = project.in_processes().run(WORLD="old")
    assert "ResourceWarning: one.yaml: the cassette was never closed, so the recording" in output
    assert 'cassette = Cassette("one.yaml", "once")' in output
    assert "exit 0" in output
