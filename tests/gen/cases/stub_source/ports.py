from vcr_gen.boundary import outbound
from typing import TYPE_CHECKING, Protocol


class Thing: ...


@outbound
class Service(Protocol):
    def get(self, key, default=None): ...
    def put(self, thing): ...


if TYPE_CHECKING:

    class Named(Protocol):
        @property
        def label(self): ...
