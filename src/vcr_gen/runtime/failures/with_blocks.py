"""A `with` block that was left in a different way than recorded, in words.

On the tape that is a call of `manager.exit`, which no program makes.
"""

import re
from collections.abc import Mapping

from vcr_gen.runtime.failures.show import show
from vcr_gen.runtime.plain import Plain

__all__ = ["left_block"]


def left_block(
    title: str, recorded: Mapping[str, Plain], actual: Mapping[str, Plain]
) -> tuple[str, str, str]:
    """The method that made the block, a headline, and what most likely changed."""
    found = re.search(r"the context manager that (\S+) returned", title)
    method = found[1] if found else "manager.exit"
    block = f"the block `with {method}()`" if found else f"the block of {title}"
    before, after = recorded.get("exception"), actual.get("exception")
    now = "ended normally" if after is None else f"ended with {show(after, 60)}"
    then = "it ended normally" if before is None else f"{show(before, 60)} left it"
    if before is None:
        likely = "an exception now leaves the block"
    elif after is None:
        likely = "no exception leaves the block any more"
    else:
        likely = "a different exception leaves the block"
    return method, f"{block} {now}; in the recording {then}", likely
