from vcr_gen.boundary import outbound
from typing import Protocol


class Thing: ...


@outbound
class Service(Protocol):
    def get(self, key, default=None): ...
    def put(self, thing): ...
