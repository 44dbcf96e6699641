"""What a recorded event is to who waits for the tape."""

from vcr_gen.runtime.replay.waiters import Waiter
from vcr_gen.runtime.tape.events import LOCK, End, Event, Signal, Start
from vcr_gen.runtime.tape.window import Slot

__all__ = ["is_answer", "is_due", "is_for", "is_leave"]


def is_answer(slot: Slot) -> bool:
    """Whether an event is what an outbound call returned or raised."""
    event = slot.event
    if not isinstance(event, End) or slot.start.of == LOCK:
        return False
    return event.outcome != "cancelled" and not slot.start.inbound


def is_for(head: Slot, waiter: Waiter) -> bool:
    """Whether the oldest event is what someone waits for."""
    return is_due(head, waiter.call, pulls=waiter.pulls, leaves=waiter.leaves)


def is_due(head: Slot, call: int, *, pulls: bool, leaves: bool = False) -> bool:
    """Whether the oldest event is what a caller is to be told, or a cancelled one leaves with."""
    if head.event.call != call:
        return False
    if isinstance(head.event, Start):
        return pulls and not head.event.inbound  # a call that waits to begin
    if isinstance(head.event, Signal) and head.event.kind == "cancel":
        return False
    if is_leave(head.event):
        return leaves
    return not leaves and (pulls or not head.driven_by_application)


def is_leave(event: Event) -> bool:
    """Whether an event says that who waited was cancelled, and had no answer."""
    match event:
        case End(outcome="cancelled") | Signal(kind="left"):
            return True
    return False
