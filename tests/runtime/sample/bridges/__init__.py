"""The real environment of the sample boundaries, small enough to run in a test."""

from sample.bridges.bus import RealBus
from sample.bridges.database import RealCursor, RealDatabase
from sample.bridges.errors import an_error
from sample.bridges.feed import EagerFeed, RealFeed, Stubborn, StubbornFeed
from sample.bridges.managers import RealConnection, RealLocks
from sample.bridges.members import (
    RealBranch,
    RealDevice,
    RealSettings,
    RealStore,
    RealTable,
    RealTicker,
)
from sample.bridges.shell import RealShell

__all__ = [
    "EagerFeed",
    "RealBranch",
    "RealBus",
    "RealConnection",
    "RealCursor",
    "RealDatabase",
    "RealDevice",
    "RealFeed",
    "RealLocks",
    "RealSettings",
    "RealShell",
    "RealStore",
    "RealTable",
    "RealTicker",
    "Stubborn",
    "StubbornFeed",
    "an_error",
]
