"""Replaying calls: outbound ones are answered from the tape, inbound ones run the application."""

from collections.abc import Awaitable
from contextvars import ContextVar
from functools import partial
from typing import Any, final

from vcr_gen.errors import DivergenceError
from vcr_gen.runtime.boundary.call_kinds import Kind, awaitable_of
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.loops.backends import as_answer, running_library
from vcr_gen.runtime.replay.collecting import UnansweredError
from vcr_gen.runtime.replay.engine import Engine
from vcr_gen.runtime.replay.replayed_streams import (
    AssertedAsyncStream,
    AssertedStream,
    ReplayedAsyncStream,
    ReplayedStream,
    raised,
)
from vcr_gen.runtime.tape.events import End, Event
from vcr_gen.runtime.values.bound_methods import Bound
from vcr_gen.runtime.values.channel import ValueChannel

delivered_call: ContextVar[int] = ContextVar("vcr_gen_delivered_call", default=0)
"""The number of the inbound call that the runtime is delivering.

A context variable, because the wrapper is called like the application, with the parameters of the
Protocol, and maybe in a separate task.
"""


@final
class Replayer:
    """Carries calls over the boundary of a recorded session."""

    calls_real = False

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def go_out(self, operation: Operation) -> Any:
        """Assert an outbound call and answer it from the tape."""
        if operation.bound.method.leaves and self._is_ended_by_us(operation):
            return None
        bound = operation.bound
        encoded = self._engine.calls.encoded_arguments(operation)
        if bound.kind is Kind.VALUE:
            answer = self._engine.calls.take_equal(operation, encoded)
            if answer is not None:
                return _outcome(self._engine, answer, bound, bound.value)
        call = self._engine.calls.start(operation, encoded)
        match self._given(call, bound.kind):
            case Kind.STREAM:
                return ReplayedStream(self._engine, call, bound)
            case Kind.ASYNC_STREAM:
                return ReplayedAsyncStream(self._engine, call, bound)
            case Kind.AWAITABLE:
                begin = partial(self._await_out, call, bound)
                return awaitable_of(bound.method.result, begin)
        passing = bound.whole if bound.kind is Kind.ITERABLE else bound.value
        return _outcome(self._engine, self._engine.hear(call), bound, passing)

    def _is_ended_by_us(self, leaving: Operation) -> bool:
        """Whether a failure of this replay leaves a block: it passes, and the tape is not asked."""
        return any(map(self._engine.state.has_raised, leaving.arguments.values()))

    def _given(self, call: int, kind: Kind) -> Kind:
        """The kind of answer of a recorded outbound call; VALUE if it raised at once."""
        if kind is Kind.VALUE:
            return kind
        upcoming = self._engine.upcoming(call)
        if not isinstance(upcoming, End):
            return Kind.STREAM if kind is Kind.ITERABLE else kind
        if upcoming.at_call:
            return Kind.VALUE
        if kind is Kind.ITERABLE:
            whole = upcoming.outcome == "returned" and upcoming.value is not None
            return Kind.VALUE if whole else Kind.STREAM
        return kind

    async def go_out_async(self, operation: Operation) -> Any:
        """Assert an outbound call, and answer it from the tape in its turn."""
        running_library()
        if operation.bound.method.leaves and self._is_ended_by_us(operation):
            return None
        bound = operation.bound
        encoded = self._engine.calls.encoded_arguments(operation)
        call = await self._engine.calls.start_async(operation, encoded)
        return await self._await_out(call, bound)

    def come_in(self, operation: Operation) -> Any:
        """Run the application for an inbound call and assert what it answers."""
        bound = operation.bound
        call = self._entered(operation)
        with self._engine.strands.inside(call):
            try:
                value = operation.perform(operation.arguments)
            except DivergenceError:
                raise
            except (GeneratorExit, KeyboardInterrupt):
                raise
            except BaseException as error:
                self._answer(call, "raised", bound.raised, error)
                raise
            items = bound.items(value) if bound.kind is Kind.ITERABLE else None
            if items is not None:
                return AssertedStream(self._engine, call, bound, items)
            match bound.kind:
                case Kind.STREAM:
                    return AssertedStream(self._engine, call, bound, value)
                case Kind.ASYNC_STREAM:
                    return AssertedAsyncStream(self._engine, call, bound, value)
                case Kind.AWAITABLE:
                    return self._await_in(call, bound, value)
            passing = bound.whole if bound.kind is Kind.ITERABLE else bound.value
            self._answer(call, "returned", passing, value)
            return passing.forward(value)

    async def come_in_async(self, operation: Operation) -> Any:
        """Run the application for an inbound call, await it, and assert what it answers."""
        call = self._entered(operation)
        return await self._await_in(call, operation.bound, operation.perform(operation.arguments))

    async def _await_out(self, call: int, bound: Bound) -> Any:
        event = await self._engine.hear_async(call)
        return _outcome(self._engine, event, bound, bound.value)

    async def _await_in(self, call: int, bound: Bound, application: Awaitable[Any]) -> Any:
        with self._engine.strands.inside(call):
            try:
                value = await application
            except (DivergenceError, UnansweredError):
                raise
            except (GeneratorExit, KeyboardInterrupt):
                raise
            except BaseException as error:
                self._answer(call, "raised", bound.raised, as_answer(error))
                raise
            self._answer(call, "returned", bound.value, value)
            return bound.value.forward(value)

    def _answer(self, call: int, outcome: Any, passing: ValueChannel, value: Any) -> None:
        end = End(call=call, outcome=outcome, value=self._engine.answers.store(passing, value))
        self._engine.answers.produce(call, end, passing)

    def _entered(self, operation: Operation) -> int:
        """The number of the inbound call: being delivered, or made by the test itself."""
        call = delivered_call.get()
        if call:
            delivered_call.set(0)  # what the application calls in turn is not this delivery
            return call
        return self._engine.enter(operation, self._engine.calls.stored_arguments(operation))


def _outcome(engine: Engine, event: Event, bound: Bound, passing: ValueChannel) -> Any:
    if isinstance(event, End) and event.outcome == "returned":
        return engine.restore(passing, event)
    __tracebackhide__ = True
    raise raised(engine, event, bound)
