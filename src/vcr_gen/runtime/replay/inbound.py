"""Delivering recorded inbound calls: to the driver's wrappers, and to what the program exported."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from inspect import iscoroutine
from typing import Any, TypeAlias, final

from vcr_gen.errors import DecodeError, DivergenceError, UsageError
from vcr_gen.runtime.boundary.call_kinds import Kind
from vcr_gen.runtime.boundary.port import port_of
from vcr_gen.runtime.boundary.spec import Boundary, make_call
from vcr_gen.runtime.loops.backends import Parked, Spawned, running_library
from vcr_gen.runtime.replay.callback_thread import CallbackThread, EnvironmentThreads
from vcr_gen.runtime.replay.collecting import UnansweredError
from vcr_gen.runtime.replay.engine import Engine
from vcr_gen.runtime.replay.replay_session import delivered_call
from vcr_gen.runtime.replay.replayed_streams import (
    AssertedAsyncStream,
    AssertedStream,
    GivenStreams,
)
from vcr_gen.runtime.tape.events import ROOT_STRAND, Signal, Start
from vcr_gen.runtime.tape.window import Slot
from vcr_gen.runtime.values.bound_methods import Bound
from vcr_gen.runtime.values.live_codecs import Crossing

Use: TypeAlias = Callable[[Mapping[str, object]], Any]
SeeThrough: TypeAlias = Callable[[int, AssertedStream], None]


@final
@dataclass(frozen=True, slots=True)
class Target:
    """Where a recorded inbound call goes."""

    bound: Bound
    use: Use
    """Makes the call with live arguments."""


@final
class Dispatcher:
    """Runs the application for inbound calls when the tape has them due."""

    def __init__(self, engine: Engine, wrappers: "Wrappers") -> None:
        self._engine = engine
        self._wrappers = wrappers
        self._given = GivenStreams(engine, self._note)
        self._tasks: dict[int, Spawned] = {}
        self._callers = EnvironmentThreads()
        self._callback_thread = CallbackThread(
            engine.state, engine.loops, is_mine=self._is_for_thread, deliver=self._in_own_thread
        )
        self._closing = False
        self.driver_is_busy = False
        """Whether a driver without a loop is blocked by a call, and makes no other."""
        self.running = 0
        """How many inbound calls are being served."""
        self.aside: set[int] = set()
        """Those among them that are made from threads in the environment's place."""
        self.errors: list[BaseException] = []
        """Failures of the serving code itself, which are not on the tape."""
        self._waiting_for_end: list[Parked[None]] = []
        engine.state.dispatcher = self

    def wait_for_end(self, released: Parked[None]) -> None:
        """Release a driver when the tape has no more inbound calls and all are served."""
        self._waiting_for_end.append(released)

    def finishes(self, *, failed: bool = False) -> bool:
        """Whether a driver waits for the end of the inbound calls, and this is it.

        A failed replay is at its end in any case.
        """
        self._waiting_for_end = [each for each in self._waiting_for_end if not each.done()]
        if not self._waiting_for_end:
            return False
        if failed:
            return True
        busy = self.is_busy or self._given.go_on
        return not busy and not self._engine.driver_is_needed()

    def finish(self) -> None:
        """Release the drivers that wait for the end."""
        for released in self._waiting_for_end:
            released.set_result(None)

    def in_loop(self, slot: Slot) -> Callable[[], None] | None:
        """The function that serves an event from an idle loop, in a new task."""
        event = slot.event
        if self._given.has(slot):
            return lambda: self._spawn_step(slot)
        if isinstance(event, Signal):
            task = self._tasks.get(event.call)
            return None if task is None else lambda: self._cancel(slot, task)
        assert isinstance(event, Start)
        target = self._wrappers.target(event)
        if target is None:
            return None
        return lambda: self._spawn(slot, event, target)

    def in_thread(self, slot: Slot) -> Callable[[], None] | None:
        """The function that serves a callback or a step of a stream in a thread that waits."""
        event = slot.event
        if not isinstance(event, Start):
            taken = self._given.has(slot) and self._engine.announce(slot)
            return partial(self._given.step, slot) if taken else None
        target = self._wrappers.target(event)
        if target is None or not self._engine.announce(slot):
            return None
        return lambda: self.serve(event, target, see_through=self._given.add)

    def serves(self, slot: Slot) -> bool:
        """Whether the object for an inbound call or a step of a stream exists."""
        if not isinstance(slot.event, Start):
            return self._given.has(slot)
        return self._wrappers.target(slot.start) is not None

    @property
    def is_busy(self) -> bool:
        """Whether inbound calls are being served whose answers may still come."""
        collected = self._engine.state.collected
        given_up = 0 if collected is None else sum(map(collected.is_passed_over, self._tasks))
        return self.running > given_up

    @property
    def given(self) -> tuple[int, ...]:
        """The calls of the streams that the environment reads step by step."""
        return self._given.calls

    def serve(self, start: Start, target: Target, see_through: SeeThrough | None = None) -> None:
        """Make an inbound call in this thread and complete it; `see_through` reads a stream."""
        self.running += 1
        try:
            result = copy_context().run(self._begin, start, target)
            if _is_under_way(result, target):
                _close(result)
                raise UsageError(f"{start.of} is asynchronous: replay it with `await driver.run()`")
            if isinstance(result, AssertedStream):
                (see_through or self._pull)(start.call, result)
        except DivergenceError:
            self._engine.give_up(start.call)
            raise
        except (GeneratorExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self._note(error)
        finally:
            self.running -= 1

    async def serve_async(self, start: Start, target: Target) -> None:
        """Make an inbound call in this task and complete it."""
        self.running += 1
        try:
            result = self._begin(start, target)
            if isinstance(result, AssertedAsyncStream):
                await self._pull_async(start.call, result)
            elif _is_under_way(result, target):
                await result
            elif isinstance(result, AssertedStream):
                self._given.add(start.call, result)
            await self.serve_soon(start.call)
        except (DivergenceError, UnansweredError):  # kept: asyncio would print it as unretrieved
            self._engine.give_up(start.call)
        except (GeneratorExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            if _cancels(error, running_library().cancelled):
                raise
            self._note(error)
        finally:
            self.running -= 1
            self._tasks.pop(start.call, None)

    async def serve_soon(self, call: int) -> None:
        """Serve, in this task, the callbacks that came after a call before the loop was idle."""
        while (slot := self._engine.soon_after(call)) is not None:
            start = slot.event
            target = self._wrappers.target(start) if isinstance(start, Start) else None
            if not isinstance(start, Start) or start.soon is None or target is None:
                return
            for _ in range(start.soon.rounds):
                await running_library().pause()
            if slot.done:
                return
            if _needs_a_loop(target):  # a stream, which is then pulled in turns
                self._spawn(slot, start, target)
            else:
                self._engine.announce(slot)
                self.serve(start, target, see_through=self._given.add)
            call = start.call

    def attend(self) -> None:
        """Make calls also while no thread waits for the tape."""
        self._callback_thread.attend()

    def watch(self) -> None:
        """Watch for a program that would wait forever."""
        self._callback_thread.watch()

    def takes(self, head: Slot | None) -> bool:
        """Whether the callback thread makes an inbound call, now or later."""
        return self._callers.begin_soon or self._callback_thread.takes(head)

    def close(self) -> None:
        """Stop serving: from now on the callback thread leaves the tape alone."""
        self._closing = True
        self._callback_thread.close()

    def end(self) -> None:
        """End the threads that served, once the session is over for them too."""
        self._callers.close()

    def _begin(self, start: Start, target: Target) -> Any:
        try:
            arguments = target.bound.feed(self._engine.rendered(start).arguments)
        except DecodeError as error:
            raise self._engine.unreadable(error, start) from None
        delivered_call.set(start.call)
        return target.use(arguments)

    def _note(self, error: BaseException) -> None:
        """Keep an error, unless it is the application's own: that has been asserted already.

        A call that is still at work when the session is over is refused, which is not a failure.
        """
        if self._closing:
            return
        failed = self._engine.state.failure is not None
        if isinstance(error, UsageError) or (not failed and _is_ours(error)):
            self.errors.append(error)

    def _spawn(self, slot: Slot, start: Start, target: Target) -> None:
        self._engine.announce(slot)
        work = self.serve_async(start, target)
        self._tasks[start.call] = running_library().spawn(work)

    def _spawn_step(self, slot: Slot) -> None:
        self._engine.announce(slot)
        running_library().spawn(self._step(slot))

    async def _step(self, slot: Slot) -> None:
        with suppress(DivergenceError):  # the engine keeps it
            self._given.step(slot)

    def _cancel(self, slot: Slot, task: Spawned) -> None:
        self._engine.announce(slot)
        task.cancel()

    def _is_for_thread(self, slot: Slot) -> bool:
        """Whether a call came from a thread of the environment's, and can be made from one."""
        start = slot.start
        # Calls that the session's own thread made on an object are made again by the test itself.
        in_thread = start.on[:1] == "#" and start.strand != ROOT_STRAND
        if not isinstance(slot.event, Start) or not (in_thread or self.driver_is_busy):
            return False
        target = self._wrappers.target(start)
        return target is not None and not _needs_a_loop(target)

    def _in_own_thread(self, slot: Slot) -> bool:
        """Start a call in its own thread, unless another call is just about to begin."""
        start = slot.start
        target = self._wrappers.target(start)
        if target is None or self._callers.begin_soon:
            return False
        self._engine.announce(slot)
        self.aside.add(start.call)
        self._callers.run(start.strand, partial(self._serve_aside, start, target))
        return True

    def _serve_aside(self, start: Start, target: Target) -> None:
        with suppress(DivergenceError):  # the engine keeps it; a thread would only print it
            self.serve(start, target)
        self.aside.discard(start.call)

    def _pull(self, call: int, stream: AssertedStream) -> None:
        while self._engine.upcoming(call) is not None:
            event = self._engine.hear(call)
            try:
                stream.follow(event)
            except StopIteration:
                return
            except Exception as error:  # asserted; the stream may continue
                self._note(error)

    async def _pull_async(self, call: int, stream: AssertedAsyncStream) -> None:
        from asyncio import CancelledError

        while self._engine.upcoming(call) is not None:
            event = None if stream.is_asked_at_once else await self._engine.hear_async(call)
            try:
                await (stream.go_on() if event is None else stream.follow(event))
            except StopAsyncIteration:
                return
            except DivergenceError:
                await stream.abandon()
                raise
            except CancelledError:  # asserted, too
                if stream.is_over:
                    raise
                _stay()
            except Exception as error:
                self._note(error)


def _needs_a_loop(target: Target) -> bool:
    """Whether a call is asynchronous: the idle loop takes it, and no thread."""
    bound = target.bound
    return bound.method.asynchronous or bound.kind in (Kind.AWAITABLE, Kind.ASYNC_STREAM)


def _is_under_way(result: object, target: Target) -> bool:
    """Whether a call continues until its result is awaited.

    The result of a call that returns `Awaitable[T] | T` is a value: the environment may await it.
    """
    return iscoroutine(result) or (_needs_a_loop(target) and isinstance(result, Awaitable))


def _close(awaitable: Any) -> None:
    if hasattr(awaitable, "close"):
        awaitable.close()


def _cancels(error: BaseException, cancelled: type[BaseException]) -> bool:
    """Whether an exception ends a task that was cancelled, alone or among others."""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(cancelled) is not None
    return isinstance(error, cancelled)


def _stay() -> None:
    """Go on in a task that was cancelled: in the recording only a step of a stream was."""
    from asyncio import current_task

    task = current_task()
    if task is not None:
        task.uncancel()


def _is_ours(error: BaseException) -> bool:
    return type(error).__module__ == UsageError.__module__


@final
class Wrappers:
    """Finds the wrapper, or the exported object, that a recorded inbound call was made on."""

    def __init__(self, crossing: Crossing) -> None:
        self._crossing = crossing
        self._roots: dict[str, tuple[Boundary, Any]] = {}

    def add(self, boundary: Boundary, on: str, wrapper: Any) -> None:
        """Let a wrapper take the inbound calls of its boundary."""
        name = on or boundary.name
        if name in self._roots and self._roots[name][1] is not wrapper:
            raise UsageError(f"{boundary.name} already has a driver")
        self._roots[name] = (boundary, wrapper)

    def target(self, start: Start) -> Target | None:
        """The object that takes this call, if there is one."""
        boundary_name, _, key = start.of.partition(".")
        if start.on.startswith("#") and start.on[1:].isdigit():
            return self._exported(int(start.on[1:]), key)
        root = self._roots.get(start.on or boundary_name)
        if root is None:
            return None
        return self._of_boundary(*root, key)

    def _exported(self, number: int, key: str) -> Target | None:
        wrapper = self._crossing.objects.exported(number)
        if wrapper is None:
            return None
        kind = self._crossing.kind_of(number)
        if isinstance(kind, Boundary):
            return self._of_boundary(kind, wrapper, key)
        if key not in kind.methods:
            return None
        bound = self._crossing.binder.bind(kind.methods[key])
        return Target(bound, lambda arguments: kind.use(wrapper, key, arguments))

    def _of_boundary(self, boundary: Boundary, wrapper: Any, key: str) -> Target | None:
        call = boundary.calls.get(key)
        if call is None:
            return None
        method = boundary.method(call)

        port = port_of(wrapper)
        # Not through the wrapper's own method: one that is a `@contextmanager` calls when entered.
        carry: Any = port.acall if method.asynchronous else port.call

        def use(arguments: Mapping[str, object]) -> Any:
            return carry(make_call(call, method, arguments))

        return Target(self._crossing.binder.bind(method), use)
