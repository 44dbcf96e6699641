from annotated_self.ports import Pile, Reversed, Rows
from vcr_annotated_self import VcrPile, VcrReversed, VcrRows


def taken(pile: Pile[list[int]], rows: Rows[float], words: Reversed[str]) -> tuple[int, float, str]:
    return pile.top() + pile.last, rows.average(), words.last()


def given(pile: VcrPile[list[int]], rows: VcrRows[float], words: VcrReversed[str]) -> str:
    """Each wrapper of a specialisation is one."""
    return str(taken(pile, rows, words))
