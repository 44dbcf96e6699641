from typing import Annotated, Protocol

from vcr_gen.boundary import outbound


@outbound
class Port(Protocol):
    def run(self, what: Nowhere) -> 'Nobody': ...


class Base[U](Protocol):
    def get(self) -> U: ...


@outbound
class Generic(Protocol[Unheard]):
    def run(self) -> int: ...


@outbound
class Inherited(Base['Unread'], Protocol):
    def run(self) -> int: ...


@outbound
class Importing(Protocol):
    from decimal import Decimal

    def run(self, what: Decimal) -> int: ...


@outbound
class InValues(Protocol):
    def run(self, size: Annotated[int, "some", Unsaid(3)]) -> int: ...
    @undecorated(lambda one: one + Unbound)
    def stop(self) -> int: ...


@outbound
class Hidden(Protocol):
    def list(self) -> __builtins__.list[str]: ...
