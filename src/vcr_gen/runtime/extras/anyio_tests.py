"""How anyio's pytest plugin runs tests on trio: in guest mode, so that a test is a normal call.

Its host does nothing but wait for the run. One task of the run awaits the tests and asynchronous
fixtures, one after the other.
"""

from collections.abc import Coroutine
from inspect import getcoroutinelocals
from typing import Any


def running_tests(runner: Any) -> Coroutine[Any, Any, Any] | None:
    """The coroutine that awaits the tests; None in a run that is not anyio's."""
    main: Any = runner.main_task
    code = getattr(None if main is None else main.coro, "cr_code", None)
    is_of_anyio = getattr(code, "co_qualname", "") == "TestRunner._run_tests_and_fixtures"
    return main.coro if is_of_anyio else None


def is_between_tests(tests: Coroutine[Any, Any, Any] | None) -> bool:
    """Whether the plugin waits for the next test, and nothing of the program runs."""
    if tests is None:
        return False
    outcome = getcoroutinelocals(tests).get("outcome_holder")
    return outcome is None or bool(outcome)
