"""What a test that does not pass does to its cassette."""

from plugin_project import PluginProject

pytest_plugins = ["pytester"]

FILE = "cassettes/test_it/test_one.yaml"
PARTIAL = FILE + ".partial"
GOOD = 'def test_one(shell):\n    assert shell.run("a")\n'
BAD = 'def test_one(shell):\n    assert shell.run("a") == "no"\n'


def test_a_failing_test_leaves_the_good_cassette_and_its_own_recording_beside_it(
    project: PluginProject,
) -> None:
    project.write("test_it.py", GOOD)
    project.record()
    before = project.cassettes()[FILE]
    project.write("test_it.py", BAD)
    output = project.run("--vcrgen-mode=all", WORLD="new")
    assert "1 not recorded" in output
    assert "test_one.yaml.partial contains the events so far)" in output
    assert before == project.cassettes()[FILE]
    assert "returned: new a" in project.cassettes()[PARTIAL]


def test_a_failing_teardown_and_a_skip_count_as_not_passed(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import pytest

        @pytest.fixture
        def fragile():
            yield
            raise OSError("broken")

        def test_teardown(fragile, shell):
            shell.run("a")

        def test_skipped(shell):
            shell.run("a")
            pytest.skip("not today")

        def test_nothing_happened(shell):
            assert False
        """,
    )
    output = project.record()
    assert "3 not recorded" in output
    assert list(project.cassettes()) == [
        "cassettes/test_it/test_skipped.yaml.partial",
        "cassettes/test_it/test_teardown.yaml.partial",
    ]
    assert "test_nothing_happened.yaml  (no cassette; nothing was recorded" in output


def test_a_test_that_should_fail_and_passes_leaves_the_good_cassette(
    project: PluginProject,
) -> None:
    project.write("test_it.py", GOOD)
    project.record()
    before = project.cassettes()[FILE]
    project.write("test_it.py", "import pytest\n\n@pytest.mark.xfail(strict=True)\n" + GOOD)
    assert "1 failed" in project.run("--vcrgen-mode=all", WORLD="new")
    assert before == project.cassettes()[FILE]


def test_a_file_of_another_recorder_is_not_replaced(project: PluginProject) -> None:
    project.write("test_it.py", GOOD)
    foreign = "interactions:\n- request:\n    body: the vcr-gen of tomorrow\nversion: 1\n"
    project.write(FILE, foreign)
    output = project.record()
    assert "this file is not a cassette of vcr-gen, so it is not replaced" in output
    assert project.cassettes() == {FILE: foreign}


def test_an_interrupted_recording_leaves_the_good_cassette(project: PluginProject) -> None:
    project = project.in_processes()  # pytester passes the interrupt on to the outer run
    project.write("test_it.py", GOOD)
    project.record()
    before = project.cassettes()[FILE]
    project.write(
        "test_it.py", 'def test_one(shell):\n    shell.run("a")\n    raise KeyboardInterrupt\n'
    )
    output = project.run("--vcrgen-mode=all", WORLD="new")
    assert "exit 2" in output
    assert "1 not recorded" in output
    assert before == project.cassettes()[FILE]
    assert "returned: new a" in project.cassettes()[PARTIAL]


def test_a_test_that_was_run_again_and_recorded_is_not_called_partial(
    project: PluginProject,
) -> None:
    project.write(
        "conftest_rerun.py",
        """
        from _pytest.runner import runtestprotocol

        def pytest_runtest_protocol(item, nextitem):
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for attempt in (1, 2):
                item.attempt = attempt
                item._initrequest()
                reports = runtestprotocol(item, nextitem=nextitem, log=False)
                for report in reports:
                    if report.failed and attempt == 1:
                        report.outcome = "rerun"
                    item.ihook.pytest_runtest_logreport(report=report)
                if all(report.passed for report in reports):
                    break
            return True
        """,
    )
    project.write(
        "test_it.py",
        """
        def test_one(request, shell):
            shell.run("a")
            assert request.node.attempt == 2
        """,
    )
    output = project.run("--vcrgen-mode=all", "-pconftest_rerun", WORLD="old")
    assert "cassettes: 1 recorded\n" in output
    assert "not recorded" not in output


def test_a_recording_with_a_hole_is_not_put_in_place(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        def test_one(shell):
            try:
                shell.run(object())
            except Exception:
                pass
        """,
    )
    output = project.record()
    assert "the recording is incomplete" in output
    assert "1 not recorded" in output
    assert FILE not in project.cassettes()


def test_a_test_that_fails_by_itself_is_not_verified(project: PluginProject) -> None:
    project.write("test_it.py", GOOD)
    project.record()
    project.write("test_it.py", BAD)
    output = project.run("--vcrgen-mode=verify", WORLD="old")
    assert "1 failed" in output
    assert "cassettes:" not in output


def test_a_recording_that_cannot_be_written_fails_the_test_and_keeps_the_cassette(
    project: PluginProject,
) -> None:
    project = project.in_processes()  # the limit holds for the whole process
    project.write(
        "test_it.py",
        """
        import os, resource

        def test_one(shell):
            soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            if limit := int(os.environ.get("LIMIT", "0")):
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            for number in range(50):
                assert shell.run("a" * number)
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        """,
    )
    project.record()
    before = project.cassettes()[FILE]
    output = project.run("--vcrgen-mode=all", WORLD="new", LIMIT="3000")
    assert "1 passed, 1 error" in output
    assert "the recording is incomplete and was not saved" in output
    assert "File too large" in output
    assert "test_one.yaml.partial contains the events so far)" in output
    assert before == project.cassettes()[FILE]


def test_an_interrupt_from_a_tape_fails_its_test_alone(project: PluginProject) -> None:
    project.write(
        "test_it.py",
        """
        import os

        import pytest
        from app.real import RealShell
        from vcr_app import VcrShell

        class Interrupted(RealShell):
            def run(self, command):
                raise KeyboardInterrupt

        @pytest.fixture
        def shell(vcrgen_cassette):
            return VcrShell.attach(vcrgen_cassette, Interrupted)

        def test_one(shell):
            try:
                shell.run("a")
            except KeyboardInterrupt:
                if "CATCH" not in os.environ:
                    raise

        def test_two():
            pass
        """,
    )
    assert "2 passed" in project.run("--vcrgen-mode=all", WORLD="old", CATCH="1")
    output = project.run()
    assert "1 failed, 1 passed" in output
    assert "Shell.run raised KeyboardInterrupt(), as recorded, but the program did not" in output
