"""The interrupt does not raise where our own code could leave a lock behind, but soon after."""

import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import vcr_gen.runtime
from concurrency.sessions import watchdog
from vcr_gen.runtime.replay.watchdog import Interrupt

OURS = """
class Lock:
    def __init__(self, real, ring):
        self.real, self.ring = real, ring
        self.acquire, self.release = real.acquire, real.release

    def __enter__(self):
        self.real.acquire()
        self.ring()

    def __exit__(self, *_):
        self.real.release()

def take(condition, done):
    with condition:
        done.append("taken")

def wait_for(lock):
    lock.acquire()
"""
"""Code that passes for a part of the runtime."""


class Told(BaseException):
    """What the interrupt raises."""


class Session:
    def answer(self, _: FrameType) -> BaseException:
        return Told()


@pytest.fixture
def ours() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(OURS, str(Path(vcr_gen.runtime.__file__).with_name("made.py")), "exec"), names)
    return names


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def interrupt(session: Session) -> Iterator[Interrupt]:
    interrupt = Interrupt(session.answer, 0.2)
    interrupt.set()
    yield interrupt
    interrupt.unset()


def test_a_lock_of_ours_is_given_back_before_the_interrupt_raises(
    ours: dict[str, Any], interrupt: Interrupt
) -> None:
    lock = threading.Lock()
    done: list[str] = []

    def program() -> None:
        ours["take"](threading.Condition(ours["Lock"](lock, interrupt.send)), done)
        len(done)  # Python looks for signals when it calls something

    with pytest.raises(Told):
        program()
    assert done == ["taken"]
    assert not lock.locked()
    assert not interrupt.is_put_off


def test_a_main_thread_that_is_stuck_in_our_code_is_interrupted_there(
    ours: dict[str, Any], interrupt: Interrupt
) -> None:
    lock = threading.Lock()
    lock.acquire()
    over = threading.Event()

    def ring() -> None:
        while not over.wait(0.05):
            interrupt.send()

    ringing = threading.Thread(target=ring)
    ringing.start()
    try:
        with watchdog(), pytest.raises(Told):
            ours["wait_for"](lock)
    finally:
        over.set()
        ringing.join()
