"""What redaction costs a recording that has no secrets."""

from time import process_time
from typing import Any

from guarded.bridges import Echo
from vcr_guarded import VcrApi

from vcr_gen import Cassette, Redaction
from vcr_gen.runtime.privacy import Secrets

CALLS = 300


def seconds(work: Any) -> float:
    started = process_time()
    work()
    return process_time() - started


def test_redaction_is_a_small_part_of_a_recorded_call(tmp_path):
    """A twentieth, when the machine is idle; here it must be less than a third in every case."""
    values = [{"name": f"step {n}", "targets": ["build", "test"], "cpu": n} for n in range(CALLS)]
    secrets = Secrets(Redaction())

    def record() -> None:
        with Cassette(tmp_path / "tape.jsonl", "all") as cassette:
            api = VcrApi(cassette=cassette, inner=Echo())
            for value in values:
                api.ask(value)

    def redact() -> None:
        for value in values:
            secrets.redact("Api.ask", "call", {"value": value})
            secrets.redact("Api.ask", "returned", value)

    redact()
    assert min(seconds(redact) for _ in range(3)) < min(seconds(record) for _ in range(3)) / 3
