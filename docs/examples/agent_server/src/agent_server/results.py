"""Results of steps, and the words in which they are told to the agent and in the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Result:
    """What a step came to."""

    step: str
    output: str = ""
    complaint: str = ""
    failure: str = ""
    """Why it failed; empty when it did not."""

    @property
    def mark(self) -> str:
        """One sign that says how it went."""
        return "✗" if self.failure else "✓"


def tell(results: Sequence[Result]) -> str:
    """The steps that were done, for the agent."""
    return "\n".join(["### Steps done", *(_tell(result) for result in results)])


def report(title: str, results: Sequence[Result], *, began: datetime, ended: datetime) -> str:
    """The report that is kept of a script."""
    failed = sum(bool(result.failure) for result in results)
    seconds = (ended - began).total_seconds()
    lines = [
        f"# {title}",
        "",
        f"Began {began:%Y-%m-%d %H:%M:%S}, took {seconds:.1f} s.",
        f"Steps: {len(results)}, failed: {failed}.",
        "",
        *(f"- {result.mark} {result.step}" for result in results),
    ]
    return "\n".join(lines) + "\n"


def _tell(result: Result) -> str:
    headline = f"- {result.mark} {result.step}"
    if result.failure:
        headline += f": {result.failure}"
    body = [line for text in (result.output, result.complaint) for line in text.splitlines()]
    return "\n".join([headline, *(f"    {line}" for line in body)])
