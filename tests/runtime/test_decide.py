"""What a replay decides, from a view of its session alone: no thread, no loop, no clock."""

from typing import Any

import pytest

from vcr_gen.runtime.replay.decide import (
    AdvanceClock,
    Asker,
    Decision,
    Deliver,
    LastResort,
    Others,
    Release,
    Serve,
    Skip,
    Step,
    View,
    Wait,
    Wake,
    may_move,
    when_busy,
    when_idle,
    when_thread_asks,
    when_thread_waits,
)
from vcr_gen.runtime.replay.waiting import (
    BLOCKED_GRACE,
    LONG_WAIT,
    MOST_OVERTIME,
    POLL,
    TICK,
    Waiter,
)
from vcr_gen.runtime.tape.events import JOB, End, Start
from vcr_gen.runtime.tape.window import Slot

PATIENCE = 5.0


def slot(call: int = 1, *, at: float = 1.0, of: str = "Shell.run", strand: str = "0") -> Slot:
    """The answer of an outbound call, as it stands on the tape."""
    start = Start(call=call, of=of, arguments={}, at=at, strand=strand)
    end = End(call=call, outcome="returned", at=at)
    return Slot(end, index=2 * call, line=1, driven_by_application=False, strand="0", start=start)


ANSWER = slot()
LATER = slot(2, at=2.0, strand="0.1")
JOB_END = slot(3, of=JOB)

NOBODY = Others()
WORKS = Others(threads="working")
BLOCKED = Others(threads="waiting")
NOTHING = LastResort()


def view(**facts: Any) -> View:
    return View(patience=PATIENCE, **facts)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"others": NOBODY}, False),
        ({"others": WORKS}, True),
        ({"others": WORKS, "still_for": PATIENCE + 0.1}, False),
        ({"others": WORKS, "still_for": PATIENCE + 0.1, "recorded_gap": 1.0}, True),
        ({"others": BLOCKED, "still_for": BLOCKED_GRACE}, True),
        ({"others": BLOCKED, "still_for": BLOCKED_GRACE + 0.1}, False),
        ({"others": WORKS, "still_for": TICK * 2, "stuck": True}, False),
        ({"others": Others(jobs=True), "still_for": PATIENCE + 1}, False),
        ({"others": Others(jobs=True, longest_job=1.0), "still_for": PATIENCE + 1}, True),
        ({"others": Others(takes=True), "still_for": 100.0}, True),
        ({"others": Others(serves=True), "still_for": 100.0}, True),
    ],
)
def test_whether_anything_may_move(facts: dict[str, Any], expected: bool) -> None:
    assert may_move(view(**facts)) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, Step.LOOK),
        ({"others": WORKS}, Wait(TICK)),
        ({"others": NOBODY, "head": JOB_END}, Skip(3)),
        ({"others": NOBODY, "head": ANSWER}, Step.LOOK),
        ({"others": NOBODY, "head": ANSWER, "last": NOTHING}, Step.FAIL),
        ({"others": NOBODY, "last": LastResort(impatient=True)}, Wait(TICK)),
        ({"others": NOBODY, "last": LastResort(idle_workers=True)}, Wait(TICK)),
        ({"others": NOBODY, "last": LastResort(idle_workers=True), "still_for": 1.0}, Step.FAIL),
        (
            {"others": BLOCKED, "still_for": 1.0, "head": ANSWER, "last": LastResort((LATER,))},
            Wait(TICK),
        ),
        (
            {"others": BLOCKED, "still_for": 1.0, "head": LATER, "last": LastResort((LATER,))},
            Step.FAIL,  # no lock explains why a thread waits that has to do something itself
        ),
    ],
)
def test_what_a_waiting_thread_does(facts: dict[str, Any], expected: Decision) -> None:
    assert when_thread_waits(view(**facts)) == expected


_QUIET = {"still_for": TICK}
_STALLED: dict[str, Any] = {"still_for": 1.0, "others": BLOCKED, "head": ANSWER, "due": ANSWER}


@pytest.mark.parametrize(
    ("facts", "asker", "expected"),
    [
        ({"due": ANSWER}, Asker(1, stream_is_over=True), Step.END_STREAM),
        ({"due": ANSWER}, Asker(1, takes=True), Deliver(ANSWER)),
        ({"due": ANSWER}, Asker(2, serves=True), Serve(ANSWER)),
        ({"due": ANSWER}, Asker(2), None),
        ({"due": ANSWER}, Asker(2, watches=True), Wait(TICK)),
        ({"due": ANSWER, **_QUIET}, Asker(2), Step.LOOK),
        ({"due": ANSWER, **_QUIET, "others": WORKS}, Asker(2), Wait(TICK)),
        ({"due": ANSWER, "others": NOBODY}, Asker(2, holds_up_loop=True), Step.LOOK),
        (
            {"due": ANSWER, "others": NOBODY},
            Asker(2, holds_up_loop=True, answer=LATER),
            Release(LATER),
        ),
        (_STALLED, Asker(2), Step.LOOK),
        ({**_STALLED, "last": LastResort((LATER,))}, Asker(2), Release(LATER, is_suspicious=True)),
        ({**_STALLED, "last": LastResort((LATER,))}, Asker(7), Wake(2, TICK)),
        ({**_STALLED, "last": NOTHING}, Asker(2), Step.FAIL),
    ],
)
def test_what_a_thread_does_that_wants_an_event(
    facts: dict[str, Any], asker: Asker, expected: Decision | None
) -> None:
    assert when_thread_asks(view(**facts), asker) == (expected or Wait(LONG_WAIT))


_WAITER = Waiter(4)
_DEFIED = PATIENCE + 0.1
_TOO_LONG = MOST_OVERTIME + 1
_FINISHES = LastResort(finishes=True)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"due": ANSWER, "is_taken": True}, Deliver(ANSWER)),
        ({"due": ANSWER, "is_taken": True, "timer": 0.5}, AdvanceClock(0.5)),
        ({"due": ANSWER, "is_taken": True, "timer": 1.5}, Deliver(ANSWER)),
        ({"due": ANSWER, "timer": 0.5}, AdvanceClock(0.5)),
        ({"due": ANSWER, "is_taken": True, "works_aside": True}, Wait(POLL)),
        (
            {"due": ANSWER, "is_taken": True, "works_aside": True, "still_for": _DEFIED},
            Deliver(ANSWER),
        ),
        ({"due": ANSWER}, Step.LOOK),
        ({"due": ANSWER, "others": WORKS, "timer": 1.5}, Wait(POLL)),
        ({"due": ANSWER, "others": NOBODY, "timer": 1.5}, AdvanceClock(1.5)),
        ({"due": ANSWER, "others": NOBODY, "hears": True}, Wait(POLL)),
        ({"due": JOB_END, "others": NOBODY}, Skip(3)),
        ({"due": ANSWER, "others": NOBODY}, Step.LOOK),
        ({"others": NOBODY, "last": LastResort(leaving=_WAITER)}, Release(_WAITER)),
        ({"others": NOBODY, "last": LastResort(finishes=True)}, Step.FINISH),
        ({"others": NOBODY, "timer": 9.0, "overtime": MOST_OVERTIME}, AdvanceClock(9.0)),
        ({"others": NOBODY, "timer": 9.0, "overtime": _TOO_LONG}, Step.LOOK),
        (
            {"others": NOBODY, "timer": 9.0, "overtime": _TOO_LONG, "last": NOTHING},
            AdvanceClock(9.0),
        ),
        (
            {"others": NOBODY, "timer": 9.0, "overtime": _TOO_LONG, "last": _FINISHES},
            Step.FINISH,
        ),
        ({"others": NOBODY, "last": NOTHING}, Wait(TICK)),
        ({"others": NOBODY, "last": LastResort(forsaken=True)}, Step.FAIL),
        ({"others": NOBODY, "last": NOTHING, "anyone_waits": True}, Step.FAIL),
        ({"due": ANSWER, "others": NOBODY, "last": NOTHING}, Step.FAIL),
        ({"due": ANSWER, "others": NOBODY, "last": LastResort(idle_workers=True)}, Wait(POLL)),
        ({"due": ANSWER, "others": NOBODY, "last": LastResort(other_loop=True)}, Wait(POLL)),
        ({"failed_for": _DEFIED}, Step.GIVE_UP),
        ({"failed_for": 0.0, "untold": True}, Step.TELL),
        ({"failed_for": 0.0}, Step.LOOK),
        ({"failed_for": 0.0, "others": NOBODY, "last": LastResort(finishes=True)}, Step.FINISH),
        ({"failed_for": 0.0, "others": NOBODY, "last": NOTHING, "timer": 3.0}, AdvanceClock(3.0)),
        ({"failed_for": 0.0, "others": WORKS, "last": NOTHING}, Wait(POLL)),
        ({"failed_for": 0.0, "others": NOBODY, "last": NOTHING}, Step.GIVE_UP),
    ],
)
def test_what_happens_in_an_idle_loop(facts: dict[str, Any], expected: Decision) -> None:
    assert when_idle(view(**facts)) == expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"due": ANSWER, "is_taken": True}, Deliver(ANSWER)),
        ({"due": ANSWER}, AdvanceClock(9.0)),
        ({"due": ANSWER, "still_for": _DEFIED}, AdvanceClock(9.0)),
        ({"due": ANSWER, "still_for": _DEFIED, "anyone_waits": True}, Step.FAIL),
        ({"failed_for": 0.0}, Step.TELL),
        ({"failed_for": _DEFIED}, Step.GIVE_UP),
    ],
)
def test_what_happens_in_a_loop_that_is_never_idle(
    facts: dict[str, Any], expected: Decision
) -> None:
    assert when_busy(view(next_time=9.0, **facts)) == expected
