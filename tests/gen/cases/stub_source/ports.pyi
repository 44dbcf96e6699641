from typing import Protocol, TypeVar

from vcr_gen.boundary import outbound

_T = TypeVar("_T")

class Thing: ...

@outbound
class Service(Protocol):
    def get(self, key: str, default: _T = ...) -> Thing | _T: ...
    def put(self, thing: Thing) -> None: ...

@outbound
class Named(Protocol):
    @property
    def label(self) -> str: ...
