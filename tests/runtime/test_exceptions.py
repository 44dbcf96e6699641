"""What a bridge raises is raised again in a replay; how calls end otherwise."""

import asyncio
import gc
import importlib.util
import sys
from operator import attrgetter
from types import ModuleType

import pytest
from sample.bridges import RealLocks, RealShell, an_error
from sample.models import BoomError, OddError
from tape_data import read_tape
from vcr_sample import VcrLocks, VcrShell

from vcr_gen import Cassette, Registry
from vcr_gen.errors import DecodeError, DivergenceError, IncompleteError
from vcr_gen.runtime.tape.reading import partial_of

KINDS = [
    "boom",
    "frozen",
    "notes",
    "cause",
    "attributes",
    "group",
    "file",
    "unicode",
    "stop",
    "timeout",
    "exit",
    "cancelled",
]
KIND = pytest.mark.parametrize("kind", KINDS)


def facts(error):
    """All that one can tell of an exception."""
    return (
        type(error),
        repr(error.args),
        str(error),
        vars(error),
        type(error.__cause__),
        getattr(error.__cause__, "args", None),
        [facts(inner) for inner in getattr(error, "exceptions", ())],
    )


@KIND
def test_the_same_exception_is_raised_by_a_sync_call(tape, kind):
    def program(shell):
        with pytest.raises(BaseException) as caught:  # noqa: PT011
            shell.fail(kind)
        return facts(caught.value)

    assert tape.same(VcrShell, RealShell, program) == facts(an_error(kind))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("stop", "exit")])
def test_the_same_exception_is_raised_by_an_async_call(tape, kind):
    async def program(shell):
        with pytest.raises(BaseException) as caught:  # noqa: PT011
            await shell.afail(kind)
        return facts(caught.value)

    assert tape.same(VcrShell, RealShell, program) == facts(an_error(kind))


def test_a_stop_iteration_out_of_a_coroutine_is_pythons_runtime_error_both_times(tape):
    async def program(shell):
        with pytest.raises(RuntimeError) as caught:
            await shell.afail("stop")
        return facts(caught.value)[:3]

    tape.same(VcrShell, RealShell, program)


def test_the_bridges_own_exception_object_is_raised_while_recording(tape):
    error = BoomError(1, where="here")

    class Fails(RealShell):
        def fail(self, kind):
            raise error

        async def afail(self, kind):
            raise error

    async def program(shell):
        for call in (shell.fail, shell.afail):
            with pytest.raises(BoomError) as caught:
                await call("x")
            assert caught.value is error

    tape.record(VcrShell, Fails, program)


def test_an_exception_keeps_its_traceback_to_the_caller(tape):
    def program(shell):
        with pytest.raises(BoomError) as caught:
            shell.fail("boom")
        return caught.tb.tb_frame.f_code.co_name

    assert tape.same(VcrShell, RealShell, program) == "program"


def test_an_interruption_that_the_program_handles_is_replayed(tape):
    def program(shell):
        try:
            shell.fail("interrupt")
        except KeyboardInterrupt:
            return shell.grep("after")

    assert tape.same(VcrShell, RealShell, program) == ["after", "after"]


def test_an_interruption_of_the_session_leaves_the_recording_partial(tape):
    with pytest.raises(KeyboardInterrupt):
        tape.record(VcrShell, RealShell, lambda shell: shell.fail("interrupt"))
    assert not tape.path.exists()
    assert partial_of(tape.path).exists()


def test_a_call_cancelled_by_the_application_is_cancelled_again(tape):
    async def program(shell):
        task = asyncio.create_task(shell.hang())
        await shell.arun("meanwhile")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await shell.arun("after")).out

    assert tape.same(VcrShell, RealShell, program) == "after"
    assert any("cancelled" in entry for entry in read_tape(tape.path))


def test_a_time_out_expires_in_a_replay_where_it_expired(tape):
    async def program(shell):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await shell.hang()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(shell.arun("x", delay=5), 0.01)
        return (await shell.arun("after")).out

    assert tape.same(VcrShell, RealShell, program) == "after"


def test_a_call_that_the_application_no_longer_cancels_is_a_divergence(tape):
    async def program(shell, patient=False):
        task = asyncio.create_task(shell.hang())
        await asyncio.sleep(0.001)
        if not patient:
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    tape.record(VcrShell, RealShell, program)
    with pytest.raises(DivergenceError, match=r"Shell\.hang"):
        tape.replay(VcrShell, lambda shell: program(shell, patient=True))


def test_a_call_that_never_finished_is_on_the_tape_without_an_end(tape):
    async def program(shell, wait=False):
        task = asyncio.create_task(shell.hang())
        result = await shell.arun("one")
        if wait:
            await task
        return result.out

    with asyncio.Runner() as runner, Cassette(tape.path, "all") as cassette:
        runner.run(program(VcrShell(cassette=cassette, inner=RealShell())))
    assert sum("returned" in entry for entry in read_tape(tape.path)) == 1
    with pytest.raises(DivergenceError, match="in flight"):
        tape.replay(VcrShell, lambda shell: program(shell, wait=True))


class Refusing(RealShell):
    """Its errors hold what cannot be stored, as those of HTTP clients hold the response."""

    def fail(self, kind):
        error = OddError(kind)
        error.response = object()
        raise error


def test_an_exception_that_holds_more_than_can_be_stored_says_what_to_register(tape):
    def program(shell):
        with pytest.raises(OddError):
            shell.fail("x")

    with pytest.raises(IncompleteError, match=r"exception\.attributes\.response: ") as refused:
        tape.record(VcrShell, Refusing, program)
    assert "registry.register(OddError, encode, decode)" in str(refused.value)


def test_an_exception_with_a_codec_of_its_own_is_replayed_by_that(tape):
    registry = Registry()
    registry.register(
        OddError, lambda error: list(error.args), lambda args: OddError(*args, "again")
    )

    def program(shell):
        with pytest.raises(OddError) as caught:
            shell.fail("x")
        return caught.value.args

    assert tape.record(VcrShell, Refusing, program, codecs=registry) == ("x",)
    assert tape.replay(VcrShell, program, codecs=registry) == ("x", "again")


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("gone.errors", "import gone.errors before, or register the type, or record again: "),
        ("__main__", "define the type in a module that can be imported"),
    ],
)
def test_an_exception_whose_type_is_not_loaded_in_a_replay_says_what_to_import(
    tape, module, words, monkeypatch
):
    holder = sys.modules.get(module) or ModuleType(module)

    class RealThing(RealShell):
        def fail(self, kind):
            raise holder.GoneError(kind)

    def program(shell):
        with pytest.raises(OddError):
            shell.fail("x")

    with monkeypatch.context() as loaded:
        loaded.setitem(sys.modules, module, holder)
        gone = type("GoneError", (OddError,), {"__module__": module})
        loaded.setattr(holder, "GoneError", gone, raising=False)
        tape.record(VcrShell, RealThing, program)
    del gone
    gc.collect()
    with pytest.raises(DecodeError, match="a loaded type below BaseException") as refused:
        tape.replay(VcrShell, program)
    assert words in refused.value.hint


class Made:
    """Makes the class of what it raises, as clients of some services do."""

    def __init__(self, **attributes):
        self.error = type("NoSuchKey", (OddError,), attributes)


class Model:
    """Holds the class of what it raises, under another name than its own."""

    Missing = type("ModelMissing", (OddError,), {})


def failing_with(error):
    class Failing(RealShell):
        def fail(self, kind):
            raise error(kind)

    return Failing


@pytest.mark.parametrize("attributes", [{}, {"__module__": "json"}])
def test_an_exception_of_a_class_that_no_replay_can_find_is_refused_with_what_to_do(
    tape, attributes
):
    def program(shell):
        with pytest.raises(OddError):
            shell.fail("x")

    with pytest.raises(IncompleteError, match="NoSuchKey") as refused:
        tape.record(VcrShell, failing_with(Made(**attributes).error), program)
    assert "a class that a replay can find" in str(refused.value)
    assert "such as sample.models.OddError" in str(refused.value)
    assert "registry.register(NoSuchKey, encode, decode)" in str(refused.value)
    assert not tape.path.exists()


def test_an_exception_of_a_class_that_the_program_defines_in_a_function_is_raised_again(tape):
    class LocalError(OddError):
        pass

    def program(shell):
        with pytest.raises(LocalError, match="x"):
            shell.fail("x")

    tape.same(VcrShell, failing_with(LocalError), program)


def test_a_replay_before_whose_call_nobody_defined_the_class_says_what_to_do(tape):
    class LocalError(OddError):
        pass

    def program(shell):
        with pytest.raises(LocalError):
            shell.fail("x")

    tape.record(VcrShell, failing_with(LocalError), program)
    tape.path.write_text(tape.path.read_text().replace("LocalError", "UndefinedError"))
    with pytest.raises(DecodeError) as refused:
        tape.replay(VcrShell, lambda shell: shell.fail("x"))
    assert "call the function that defines it before, or define it" in refused.value.hint


def test_an_exception_of_a_class_that_another_class_holds_is_raised_again(tape):
    def program(shell):
        with pytest.raises(Model.Missing, match="x"):
            shell.fail("x")

    tape.same(VcrShell, failing_with(Model.Missing), program)


def test_an_exception_of_a_registered_class_that_no_module_holds_is_raised_again(tape):
    made, registry = Made().error, Registry()
    registry.register(made, encode=str, decode=made)

    def program(shell):
        with pytest.raises(made, match="x"):
            shell.fail("x")

    tape.record(VcrShell, failing_with(made), program, codecs=registry)
    tape.replay(VcrShell, program, codecs=registry)


def test_what_the_application_itself_raises_may_be_of_any_class(tape):
    def program(locks):
        class LocalError(OddError):
            pass

        with pytest.raises(LocalError), locks.lock("door", False):
            raise LocalError("x")

    tape.same(VcrLocks, RealLocks, program)


PLUGIN = """
from dataclasses import dataclass


@dataclass
class Reason:
    code: int


class PluginError(LookupError):
    reason: Reason

    def __init__(self, code: int) -> None:
        super().__init__(f"no plugin {code}")
        self.reason = Reason(code)


class Registry:
    class BusyError(PluginError):
        pass
"""


def load_plugin(folder):
    """A module as plugin systems load it: under no name that can be imported."""
    file = folder / "a_plugin.py"
    file.write_text(PLUGIN, "utf-8")
    spec = importlib.util.spec_from_file_location("a_plugin_of_ours", file)
    module = importlib.util.module_from_spec(spec)
    exec(compile(PLUGIN, str(file), "exec"), vars(module))
    assert module.__name__ not in sys.modules
    return module


@pytest.mark.parametrize("name", ["PluginError", "Registry.BusyError"])
def test_an_exception_of_a_module_that_the_program_loads_by_itself_is_raised_again(
    tape, tmp_path, name
):
    def program(shell):
        with pytest.raises(LookupError) as caught:
            shell.fail("x")
        return type(caught.value).__qualname__, str(caught.value), caught.value.reason.code

    def record():
        error = attrgetter(name)(load_plugin(tmp_path))
        return tape.record(VcrShell, failing_with(lambda _: error(7)), program)

    recorded = record()
    assert recorded == (name, "no plugin 7", 7)
    gc.collect()
    again = load_plugin(tmp_path)
    assert tape.replay(VcrShell, program) == recorded
    assert again.PluginError


def test_an_exception_that_cannot_be_stored_reaches_the_program_as_it_is(tape):
    class OddWorld(RealShell):
        def fail(self, kind):
            raise made(kind)

    made = Made().error

    def program(shell):
        with pytest.raises(made, match="x"):
            shell.fail("x")
        assert shell.read(1) == 1  # and the program goes on

    with pytest.raises(IncompleteError, match="NoSuchKey"):
        tape.record(VcrShell, OddWorld, program)
