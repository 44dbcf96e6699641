"""Calls of two tapes are paired in order, and cheaply."""

from itertools import pairwise
from time import process_time

from hypothesis import given, settings
from hypothesis import strategies as st

from vcr_gen.cassette_tools.comparison import align

keys = st.lists(st.integers(0, 6), max_size=30)


@settings(deadline=None)
@given(left=keys, right=keys)
def test_pairs_are_equal_grow_on_both_sides_and_leave_nothing_that_could_be_paired(left, right):
    pairs = align(left, right)
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    ends = [(-1, -1), *pairs, (len(left), len(right))]
    for (i, j), (k, m) in pairwise(ends):
        assert not set(left[i + 1 : k]) & set(right[j + 1 : m])


@settings(deadline=None)
@given(left=keys, at=st.integers(0, 30), added=st.lists(st.integers(7, 9), max_size=5))
def test_what_was_inserted_is_all_that_is_left_over(left, at, added):
    at = min(at, len(left))
    pairs = align(left, [*left[:at], *added, *left[at:]])
    assert [i for i, _ in pairs] == list(range(len(left)))
    assert [i for i, _ in align([*left[:at], *added, *left[at:]], left)] == [
        i for i in range(len(left) + len(added)) if not at <= i < at + len(added)
    ]


def test_the_cost_does_not_explode_where_everything_is_alike_or_nothing_is():
    def cost(left: list[int], right: list[int]) -> float:
        started = process_time()
        align(left, right)
        return process_time() - started

    many = list(range(20_000))
    alike = [n % 3 for n in many]
    few = 2 * cost(many[:2000], many[:2000]) + 0.02
    for left, right in (
        (many, many[::-1]),
        (alike, [*alike[1:], 7]),
        (alike, [n % 2 for n in many]),
        (many, [n + 20_000 for n in many]),
    ):
        assert cost(left, right) < 100 * few
