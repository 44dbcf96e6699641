from annotated_self.ports import Reversed, Rows
from vcr_annotated_self import VcrReversed, VcrRows


def taken(rows: Rows[float], words: Reversed[str]) -> tuple[int, str]:
    return rows.half(), words.last()


def given(rows: VcrRows[float], words: VcrReversed[str]) -> str:
    """Each wrapper of a specialisation is one."""
    return str(taken(rows, words))
