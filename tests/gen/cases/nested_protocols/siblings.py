from typing import Protocol, TypeAlias, TypeVar

from vcr_gen.boundary import outbound

T = TypeVar("T")


class Reading(Protocol):
    """Not the one that the class below means."""

    def skip(self) -> None: ...


class Archive:
    class Box: ...

    class Reading(Protocol[T]):
        def read(self, box: T) -> T: ...

    class Rooms:
        class Lit(Protocol):
            def light(self) -> None: ...

    Read: TypeAlias = Reading[T]

    @outbound
    class Reader(Reading[Box], Rooms.Lit, Protocol):
        """Its bases, and their arguments, are what stands beside it."""

    @outbound
    class Again(Read[str], Protocol): ...
