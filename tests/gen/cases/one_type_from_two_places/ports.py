from typing import Protocol

from one_type_from_two_places.things import Shelf, Thing

from vcr_gen.boundary import outbound


@outbound
class Store(Shelf, Protocol):
    """Its base has the type from where it is defined, and the store from where it is offered."""

    def put(self, thing: Thing) -> None: ...
