"""Two texts side by side: what is shown, and that it never takes long."""

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from vcr_gen.runtime.failures.text_diff import diff_lines, diff_texts

LINES = st.lists(st.sampled_from(["a", "b", "", "a long line of text"]), max_size=12)


@given(st.text(max_size=300), st.text(max_size=300))
def test_marks_stand_below_letters_that_differ(recorded: str, actual: str) -> None:
    rows = diff_texts(recorded, actual)

    assert [row[:2] for row in rows if row[0] != "?"] == ["- ", "+ "]
    assert all(row.isprintable() for row in rows)
    for above, marks in pairwise(rows):
        if marks[0] == "?":
            assert len(marks) <= len(above)
            assert set(marks[2:]) <= {" ", "^"}
    assert (recorded == actual) == (not any(row[0] == "?" for row in rows))


@given(LINES, LINES)
def test_what_is_taken_away_and_added_leads_from_one_text_to_the_other(
    recorded: list[str], actual: list[str]
) -> None:
    before, after = "\n".join(recorded), "\n".join(actual)
    rows = diff_lines(before, after)
    missing = [row[2:] for row in rows if row[:1] == "-"]
    added = [row[2:] for row in rows if row[:1] == "+"]

    rest = before.split("\n")
    for line in missing:
        rest.remove(line)
    assert sorted([*rest, *added]) == sorted(after.split("\n"))


def test_a_long_line_is_shown_around_its_change() -> None:
    rows = diff_texts("x" * 5000 + "red" + "y" * 5000, "x" * 5000 + "white" + "y" * 5000)

    assert all(len(row) < 200 for row in rows)
    assert "xredy" in rows[0]
    assert rows[0].index("red") == rows[1].index("^^^")
    assert "xwhitey" in rows[2]


def test_many_equal_lines_take_no_quadratic_time() -> None:
    began = time.monotonic()
    rows = diff_lines("\n".join("ab" * 20_000), "\n".join("ba" * 20_000 + "c"))

    assert rows[-1].endswith("more lines")
    assert time.monotonic() - began < 20  # aligned line by line, it would be minutes
