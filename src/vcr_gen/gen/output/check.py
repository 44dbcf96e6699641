"""Says what a plan would change: as words, and as a unified diff that can be applied."""

import difflib
from collections.abc import Iterator

from vcr_gen.gen.output.plan import Change, Plan
from vcr_gen.gen.settings.config import Config

__all__ = ["summary", "unified_diff"]


def unified_diff(config: Config, plan: Plan) -> Iterator[str]:
    """The lines of one diff from what is on disk to what should be; for missing files too."""
    for change in plan.changes:
        yield from _diff(config.in_project(change.path), change)


def summary(plan: Plan, verbs: dict[str, str]) -> str:
    """One line that counts: `1 changed, 2 missing, 5 unchanged`."""
    counts = [
        f"{count} {verb}"
        for kind, verb in verbs.items()
        if (count := sum(change.kind == kind for change in plan.changes))
    ]
    return ", ".join([*counts, f"{plan.unchanged} unchanged"])


def _diff(name: str, change: Change) -> Iterator[str]:
    before = change.before.replace("\r\n", "\n").splitlines(keepends=True)
    lines = difflib.unified_diff(
        before,
        change.after.splitlines(keepends=True),
        fromfile="/dev/null" if change.kind == "missing" else f"a/{name}",
        tofile="/dev/null" if change.kind == "stale" else f"b/{name}",
    )
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
