"""Sessions of handles, context managers, properties and dunder methods."""

from typing import Any

from sample.bridges import RealDatabase, RealDevice, RealLocks, RealTable
from vcr_sample import VcrDatabase, VcrDevice, VcrLocks, VcrTable

from mutation_sessions.kinds import Outbound, attempt
from mutation_sessions.streams import drained


def entered(locks: Any, name: str, swallows: bool, error: BaseException | None) -> Any:
    seen = []

    def inside() -> Any:
        with locks.lock(name, swallows) as value:
            seen.append(value)
            if error is not None:
                raise error

    return attempt(inside), seen


def read_rows(database: Any) -> Any:
    with database.transaction() as cursor:
        rows, end = drained(cursor.rows())
        return end, [(row.number, drained(row.cells())) for row in rows]


def passed_back(database: Any) -> Any:
    one, same = database.cursor(), database.same()
    return [database.use(one), database.use_all([same, one]), one.fetch(1)]


def sized(device: Any) -> Any:
    device.size = 7
    size = device.size
    del device.size
    return size


def celled(table: Any) -> Any:
    table["new"] = 5
    del table["a"]
    return [drained(iter(table)), attempt(lambda: table["gone"])]


OBJECTS = (
    Outbound(
        "handles",
        VcrDatabase,
        RealDatabase,
        (
            read_rows,
            passed_back,
            lambda database: [(name, found.fetch(1)) for name, found in database.named().items()],
            lambda database: database.find(False),
            lambda database: [
                part if isinstance(part, int) else part.fetch(2) for part in database.pair()
            ],
            lambda database: database.clone().label(),
        ),
    ),
    Outbound(
        "managers",
        VcrLocks,
        RealLocks,
        (
            lambda locks: entered(locks, "one", True, KeyError("k")),
            lambda locks: entered(locks, "two", False, KeyError("k")),
            lambda locks: entered(locks, "three", True, None),
        ),
    ),
    Outbound(
        "members",
        VcrDevice,
        RealDevice,
        (
            sized,
            lambda device: [device.name, device.kind],
            lambda device: device.make(5).size,
            lambda device: attempt(lambda: device.serial),
        ),
    ),
    Outbound(
        "dunders",
        VcrTable,
        RealTable,
        (
            celled,
            lambda table: [table("name"), len(table)],
            lambda table: ["b" in table, bool(table)],
        ),
    ),
)
