"""Whether the threads that are not at the tape can still move a replay."""

import threading
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Literal, TypeAlias, final
from weakref import WeakSet

from vcr_gen.runtime.replay.waiting import Waiter
from vcr_gen.runtime.strands.stack_frames import frames_from, frames_of_threads, is_neutral, is_ours

OWN_THREAD = "vcr-gen"
"""The prefix of the names of the runtime's own threads."""

Activity: TypeAlias = Literal["none", "waiting", "working"]
"""Whether threads of the program run outside the tape, and if so, whether one is busy."""

_IDLE_WORKERS = {
    ("_worker", "thread.py"),
    ("_work", "_thread_cache.py"),
    ("_next", "callback_thread.py"),
}
"""Where workers of `concurrent.futures`, of trio and of our own wait for something to do."""


@final
class Threads:
    """Tells how long it is worth waiting for the threads that are not parked at the tape."""

    def __init__(self) -> None:
        self._bystanders = frozenset(threading.enumerate()) - {threading.current_thread()}
        self._seen: WeakSet[threading.Thread] = WeakSet()
        self._seen_last: threading.Thread | None = None

    def see(self) -> None:
        """The running thread uses the session: it is part of the program."""
        thread = threading.current_thread()
        if thread is not self._seen_last:
            self._seen_last = thread
            self._seen.add(thread)

    def activity(self, waiters: Iterable[Waiter]) -> Activity:
        """The state of the threads that do not wait for the tape.

        A thread that existed before the session and never used it (a test runner's, say) does not
        count; neither does an idle pool worker. Only another thread or its own timeout can wake a
        thread that sits in a wait of the standard library.
        """
        found: Activity = "none"
        for _, frame in self._elsewhere(waiters):
            if not waits(frame):
                return "working"
            found = "waiting"
        return found

    def busy(self, waiters: Iterable[Waiter]) -> list[threading.Thread]:
        """The threads of the program that are not at the tape."""
        return [thread for thread, _ in self._elsewhere(waiters)]

    def idle(self, waiters: Iterable[Waiter]) -> bool:
        """Whether idle workers exist: one may just have got work, and still look idle."""
        return any(_is_idle_worker(frame) for _, frame in self._all_elsewhere(waiters))

    def all_wait(self, waiters: Iterable[Waiter]) -> bool | None:
        """Whether all of them sit in a wait of the standard library; None if there are none.

        A thread that waits inside the runtime does not count.
        """
        frames = [frame for _, frame in self._elsewhere(waiters) if not _is_in_our_code(frame)]
        return all(map(waits, frames)) if frames else None

    def _elsewhere(self, waiters: Iterable[Waiter]) -> Iterator[tuple[threading.Thread, FrameType]]:
        return (found for found in self._all_elsewhere(waiters) if not _is_idle_worker(found[1]))

    def _all_elsewhere(
        self, waiters: Iterable[Waiter]
    ) -> Iterator[tuple[threading.Thread, FrameType]]:
        parked = {waiter.thread for waiter in waiters if waiter.future is None}
        parked.add(threading.current_thread())
        frames = frames_of_threads()
        for thread in threading.enumerate():
            if thread in parked or thread.name.startswith(OWN_THREAD):
                continue
            if thread in self._bystanders and thread not in self._seen:
                continue
            frame = frames.get(thread.ident or 0)
            if frame is not None:
                yield thread, frame


def _is_idle_worker(frame: FrameType) -> bool:
    code = frame.f_code
    return (code.co_name, code.co_filename.rpartition("/")[2]) in _IDLE_WORKERS


def _is_in_our_code(top: FrameType) -> bool:
    caller = next((frame for frame in frames_from(top) if not is_neutral(frame)), None)
    return caller is not None and is_ours(caller)


def waits(frame: FrameType) -> bool:
    """Whether a thread with this innermost frame sits in a wait of the standard library.

    A bare lock has no frame: a thread that waits for one looks as if it were at work.
    """
    file = frame.f_code.co_filename
    return file.endswith(("/threading.py", "/queue.py", "/selectors.py"))
