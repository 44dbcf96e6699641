"""How long a replay waits for what: every timing constant of it."""

from typing import Final

__all__ = [
    "AT_WORK",
    "BLOCKED_GRACE",
    "INTERRUPT_AGAIN",
    "LONG_WAIT",
    "LOOK_AGAIN",
    "MOMENT",
    "POLL",
    "SLOWER_NOW",
    "TICK",
    "UNEXPECTED",
]

INTERRUPT_AGAIN: Final = 0.05
"""Seconds after which a main thread that was met in code of ours is interrupted again."""

TICK: Final = 0.02
"""Seconds after which a thread that waits looks again; so long nothing moves in a quiet session."""

LONG_WAIT: Final = 1.0
"""Seconds after which a thread looks again that waits for its answer, and is not the watcher."""

POLL: Final = 0.002
"""Seconds that a loop really waits while other threads may still do something."""

LOOK_AGAIN: Final = 0.05
"""Seconds that a loop really waits that has used up the tape: a thread may still diverge."""

BLOCKED_GRACE: Final = 0.2
"""Seconds that threads are waited for which all sit in a wait of the standard library."""

SLOWER_NOW: Final = 2.0
"""How much longer than in the recording work may take: this machine may be slower, or busy."""

MOMENT: Final = 0.001
"""Seconds after which the callback thread looks again whether the program waits."""

AT_WORK: Final = 0.05
"""Seconds that a thread at work has before a callback comes: the system may let it wait."""

UNEXPECTED: Final = 10
"""How many times `patience` a program may wait for something that is not on the tape."""
