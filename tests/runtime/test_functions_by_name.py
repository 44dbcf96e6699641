"""Functions that are the environment's work: stored by name, and not called in a replay."""

from functools import partial

import pytest
from sample.work import AttrsJob, Job, ModelJob
from tape_data import read_tape
from vcr_sample import VcrWorkers

from vcr_gen.errors import DivergenceError, IncompleteError

called = []


def double(number):
    called.append(number)
    return 2 * number


def twice(number):
    return double(number)


class Work:
    @staticmethod
    def double(number):
        return double(number)

    @classmethod
    def also(cls, number):
        return double(number)

    def method(self, number):
        return double(number)


class RealWorkers:
    def submit(self, job):
        return job.func(job.number)

    def submit_attrs(self, job):
        return job.func(1)

    def submit_model(self, job):
        return job.func(1)

    def run(self, func, number):
        assert func is not None
        return func(number)

    def try_run(self, func=None, *, number=1):
        return 0 if func is None else func(number)

    def last(self):
        return Job(double, 1)


def every_place(workers, func=double):
    return [
        workers.submit(Job(func, 1)),
        workers.submit(Job(func, 2, failed=func)),
        workers.submit_attrs(AttrsJob(func)),
        workers.submit_model(ModelJob(func=func, failed=func)),
        workers.run(func, 3),
        workers.try_run(func),
        workers.try_run(),
    ]


def test_a_function_is_stored_by_its_name_and_not_called_in_a_replay(tape):
    called.clear()
    recorded = tape.record(VcrWorkers, RealWorkers, every_place)
    assert recorded == [2, 4, 2, 2, 6, 2, 0]
    assert called == [1, 2, 1, 1, 3, 1]
    called.clear()
    assert tape.replay(VcrWorkers, every_place) == recorded
    assert called == []
    name = "test_functions_by_name:double"
    assert [entry["of"] for entry in read_tape(tape.path)] == [
        *["Workers.submit"] * 2,
        "Workers.submit_attrs",
        "Workers.submit_model",
        "Workers.run",
        *["Workers.try_run"] * 2,
    ]
    assert read_tape(tape.path)[1]["args"] == {"job": {"func": name, "number": 2, "failed": name}}


def test_another_function_is_a_divergence_though_it_gives_the_same(tape):
    tape.record(VcrWorkers, RealWorkers, every_place)
    with pytest.raises(DivergenceError, match="test_functions_by_name:twice"):
        tape.replay(VcrWorkers, lambda workers: every_place(workers, twice))


@pytest.mark.parametrize("func", [len, int, Work.double, Work.also, Work])
def test_whatever_its_name_leads_to_can_be_named(tape, func):
    class Counting(RealWorkers):
        def run(self, func, number):
            return number

    def program(workers):
        return workers.run(func, 5)

    assert tape.same(VcrWorkers, Counting, program) == 5


def make():
    def inner(number):
        return number

    return inner


@pytest.mark.parametrize(
    ("func", "words"),
    [
        (lambda number: number, "got a lambda"),
        (make(), "got make.<locals>.inner, which is defined inside a function"),
        (partial(double), "got a partial object"),
        (Work().method, "got Work.method, which is bound to an object"),
    ],
)
def test_a_function_that_its_name_does_not_lead_to_is_refused(tape, func, words):
    with pytest.raises(IncompleteError, match=r"Workers\.run: argument `func`: expected") as caught:
        tape.record(VcrWorkers, RealWorkers, lambda workers: workers.run(func, 5))
    assert words in str(caught.value)
    assert "define it with `def` at the top of a module" in str(caught.value)


def test_a_function_that_was_replaced_is_refused(tape, monkeypatch):
    original = double
    monkeypatch.setitem(globals(), "double", twice)
    with pytest.raises(IncompleteError, match="double, which is not what its module has"):
        tape.record(VcrWorkers, RealWorkers, lambda workers: workers.run(original, 5))


def test_a_function_that_comes_in_is_refused(tape):
    """A cassette must not say which function the program calls."""
    with pytest.raises(IncompleteError, match="a value that goes out, where it is marked ByName"):
        tape.record(VcrWorkers, RealWorkers, lambda workers: workers.last())
