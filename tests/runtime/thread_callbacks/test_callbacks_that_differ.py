"""A program that answers, waits for or does in a callback what it did not is told so."""

import queue
import threading
from collections import deque
from pathlib import Path

import pytest
from broker import Broker
from vcr_sample import VcrBus

from vcr_gen import DivergenceError


def listening(answer=str, wanted=3, timeout=None):
    def program(bus):
        inbox = queue.Queue()

        def notify(number):
            inbox.put(number)
            return answer(number)

        bus.on("news", notify)
        return [inbox.get(timeout=timeout) for _ in range(wanted)]

    return program


def test_another_answer_of_the_callback_is_a_divergence_for_the_main_program(tape):
    tape.record(VcrBus, Broker, listening())
    with pytest.raises(DivergenceError, match=r"returned a different value") as caught:
        tape.replay(VcrBus, listening(answer=lambda number: f"{number % 3}"), patience=0.3)
    assert [(found.recorded, found.actual) for found in caught.value.divergence.differences] == [
        ("3", "0")
    ]


def test_a_program_that_waits_for_more_callbacks_than_there_were_does_not_hang(tape):
    tape.record(VcrBus, Broker, listening())
    with pytest.raises(DivergenceError, match="waits"):
        tape.replay(VcrBus, listening(wanted=4), patience=0.3)


def test_a_program_that_takes_fewer_callbacks_still_gets_them_all(tape):
    answered = deque()
    tape.record(VcrBus, Broker, listening())
    program = listening(answer=lambda number: answered.append(number) or str(number), wanted=1)
    assert tape.replay(VcrBus, program) == [1]
    assert list(answered) == [1, 2, 3]


def test_a_call_that_the_callback_makes_otherwise_is_a_divergence(tape):
    def program(shift):
        def run(bus):
            done = threading.Event()

            def notify(number):
                heard = bus.publish(number + shift)
                if number == 3:
                    done.set()
                return str(heard)

            bus.on("news", notify)
            return done.wait(5)

        return run

    tape.record(VcrBus, Broker, program(0))
    with pytest.raises(DivergenceError, match=r"Bus\.publish"):
        tape.replay(VcrBus, program(1), patience=0.3)


def test_a_program_that_waits_for_callbacks_without_having_asked_for_them_does_not_hang(tape):
    def forgetful(bus):
        return [queue.Queue().get() for _ in range(3)]

    tape.record(VcrBus, Broker, listening())
    with pytest.raises(DivergenceError, match=r"Bus\.on was dropped") as caught:
        tape.replay(VcrBus, forgetful, patience=0.3)
    assert "waits for something else at" in str(caught.value)
    assert Path(__file__).name in str(caught.value)
