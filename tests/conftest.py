"""Lets the tests below import the helpers that lie here, and interrupt what they start."""

import gc
import signal
from collections.abc import Iterator

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell ignores interrupts for what it runs in the background, and so would all below it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep Python's collector from walking through thousands of test modules again and again.

    Many tests collect garbage; over what all the imports left, each time would cost 0.2 seconds.
    """
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Show the collector everything again: Hypothesis, if imported only now, asks it."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def plain_environment() -> Iterator[None]:
    """An environment that asks for no mode, also where the tests themselves run in CI."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("VCR_RECORD", raising=False)
        patch.delenv("CI", raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def folder_of_inner_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where a pytest that a test starts has its folders: it tidies up, and would among ours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DEBUG_TEMPROOT", str(tmp_path_factory.mktemp("inner")))
        yield
