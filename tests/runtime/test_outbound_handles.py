"""Handles: objects of the environment that are boundaries themselves."""

import gc
from dataclasses import dataclass

import pytest
from sample.bridges import RealBranch, RealCursor, RealDatabase, RealSettings
from tape_data import read_tape
from taping import Tape
from vcr_sample import VcrBranch, VcrCursor, VcrDatabase, VcrDesk, VcrSettings

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError, IncompleteError, UsageError


@dataclass
class Named:
    """Data that has what a branch has, too."""

    name: str

    def up(self):
        return self


def test_a_handle_is_a_wrapper_whose_calls_name_it(tape):
    def program(database):
        one, two = database.cursor(), database.cursor()
        return [two.fetch(1), one.fetch(2), isinstance(one, VcrCursor), one is two]

    assert tape.same(VcrDatabase, RealDatabase, program) == [
        [(0, "0")],
        [(0, "0"), (1, "1")],
        True,
        False,
    ]
    assert [entry.get("on") for entry in read_tape(tape.path)] == [None, None, "#2", "#1"]


def test_calling_another_handle_than_recorded_is_a_divergence(tape):
    def program(database, first=True):
        one, two = database.cursor(), database.cursor()
        (one if first else two).close()

    tape.record(VcrDatabase, RealDatabase, program)
    with pytest.raises(DivergenceError, match=r"Cursor\.close"):
        tape.replay(VcrDatabase, lambda database: program(database, first=False))


def test_handles_cross_inside_lists_dicts_tuples_and_optionals(tape):
    def program(database):
        pool, named, pair = database.pool(), database.named(), database.pair()
        found = [database.find(True), database.find(False)]
        return [
            [cursor.fetch(1) for cursor in pool],
            {name: cursor.fetch(1) for name, cursor in named.items()},
            pair[0].fetch(pair[1]),
            found[0].fetch(0),
            found[1],
            named["same"] is pool[1],
        ]

    seen = tape.same(VcrDatabase, RealDatabase, program)
    assert seen[3:] == [[], None, True]


def test_each_object_of_a_union_of_boundaries_is_a_handle_of_its_own(tape):
    def program(database):
        row, cursor = database.any_of("row"), database.any_of("cursor")
        call, number = database.any_of("call"), database.any_of("int")
        used = [database.use_any(one) for one in (row, cursor, lambda: 1, number)]
        return [row.number, cursor.fetch(1), call(), number, used, cursor is database.same()]

    assert tape.same(VcrDatabase, RealDatabase, program) == [
        3,
        [(0, "0")],
        4,
        5,
        ["RealRow", "RealCursor", "function", "int"],
        True,
    ]


def _handle(database):
    return database.cursor()


def _generator(_):
    return (letter for letter in "ab")


@pytest.mark.parametrize("make", [_handle, _generator])
def test_a_live_object_where_none_is_declared_is_refused_with_what_to_do(tape, make):
    def program(database):
        database.tell({"live": make(database)})

    with pytest.raises(IncompleteError, match=r"`what`\.live: cannot store a live ob") as e:
        tape.record(VcrDatabase, RealDatabase, program)
    assert "declare it in the annotation: " in str(e.value)


def test_handles_compare_themselves_with_each_other_and_with_anything_else(tape):
    def program(branch):
        one, other = branch.up(), branch.up()
        others = [other, other.up(), "mai", "main", None, Named("mai")]
        return [one == each for each in others]

    expected = [True, False, True, False, False, False]
    assert tape.same(VcrBranch, RealBranch, program) == expected


def test_the_same_object_is_the_same_handle_every_time(tape):
    def program(database):
        same = database.same()
        return [same is database.same(), same is database.pool()[1], same in database.each()]

    assert tape.same(VcrDatabase, RealDatabase, program) == [True, True, True]


def test_handles_are_yielded_entered_and_nested(tape):
    def program(database):
        with database.transaction() as cursor:
            rows = [(row.number, list(row.cells())) for row in cursor.rows()]
        return rows, [cursor.fetch(1) for cursor in database.each()]

    rows, _ = tape.same(VcrDatabase, RealDatabase, program)
    assert rows == [(1, ["a1", "b1"]), (2, ["a2", "b2"])]


def test_handles_come_out_of_async_calls_streams_and_managers(tape):
    async def program(database):
        cursor = await database.acursor()
        rows = [row.number async for row in cursor.arows()]
        async with database.atransaction() as entered:
            return rows, entered.fetch(1)

    assert tape.same(VcrDatabase, RealDatabase, program) == ([1, 2], [(0, "0")])


def test_a_handle_passed_back_reaches_the_bridge_as_its_own_object(tape):
    real = RealDatabase()

    def program(database):
        same, other = database.same(), database.cursor()
        return [database.use(same), database.use(other), database.use_all([other, same])]

    assert tape.record(VcrDatabase, lambda: real, program) == [1, 0, 1]
    assert all(isinstance(cursor, RealCursor) for cursor in real.used)
    assert tape.replay(VcrDatabase, program) == [1, 0, 1]


def test_passing_another_handle_than_recorded_is_a_divergence(tape):
    def program(database, swap=False):
        one, two = database.cursor(), database.cursor()
        database.use(two if swap else one)

    tape.record(VcrDatabase, RealDatabase, program)
    with pytest.raises(DivergenceError, match="different object"):
        tape.replay(VcrDatabase, lambda database: program(database, swap=True))


def test_what_gives_itself_back_comes_back_as_its_own_wrapper(tape):
    assert tape.same(VcrDatabase, RealDatabase, lambda database: database.itself() is database)


def test_self_is_a_wrapper_of_its_kind(tape):
    def program(database):
        clone, clones = database.clone(), database.clones()
        again = [database.itself().label(), clone.clone().label()]
        return (
            clone.label(),
            [each.label() for each in clones],
            again,
            isinstance(clone, VcrDatabase),
        )

    assert tape.same(VcrDatabase, RealDatabase, program) == (
        "clone",
        ["one", "original"],
        ["original", "clone"],
        True,
    )


def test_a_handle_that_the_program_dropped_may_come_again(tape):
    def program(database):
        seen = []
        for _ in range(3):
            seen.append(database.same().fetch(1))
            gc.collect()
        return seen

    assert tape.same(VcrDatabase, RealDatabase, program) == [[(0, "0")]] * 3


def test_a_handle_is_of_no_use_with_another_cassette(tape, tmp_path):
    with Cassette(tape.path, "all") as one:
        cursor = VcrDatabase.attach(one, RealDatabase).cursor()
        with pytest.raises(
            UsageError, match="this handle of Cursor belongs to a different cassette"
        ):
            Tape(tmp_path / "other.yaml").record(
                VcrDatabase, RealDatabase, lambda database: database.use(cursor)
            )


def test_an_object_that_never_crossed_is_refused_as_a_handle(tape):
    with pytest.raises(UsageError, match="made by the application"):
        tape.record(VcrDatabase, RealDatabase, lambda database: database.use(RealCursor()))


def test_an_object_that_answers_every_attribute_is_a_handle_like_any_other(tape):
    def program(settings):
        other = settings.section("other")
        return [settings.color, other.size, settings.section("own") is settings, other is settings]

    seen = tape.same(VcrSettings, RealSettings, program)
    assert seen == ["COLOR", "SIZE", True, False]
    assert [entry["of"] for entry in read_tape(tape.path)] == [
        "Settings.section",
        "Settings.__getattr__",
        "Settings.__getattr__",
        "Settings.section",
    ]


def test_a_handle_whose_module_cannot_be_imported_hurts_only_the_call_that_hands_it_out(tape):
    class RealDesk:
        def height(self):
            return 72

        def screen(self):
            return RealCursor()

    assert tape.same(VcrDesk, RealDesk, lambda desk: desk.height()) == 72
    reason = r"Desk\.screen: result.*\n  at .*\n.*`sample\.screens:Screen`.*RuntimeError: there"
    with pytest.raises(IncompleteError, match=reason):
        tape.record(VcrDesk, RealDesk, lambda desk: desk.screen())
