from typing import Protocol

from vcr_gen.boundary import inbound, outbound


@outbound
class Engine(Protocol):
    def __init__(self, url: str, *, timeout: float = 1.0) -> None: ...
    def start(self) -> None: ...


@inbound
class Handler(Protocol):
    def __init__(self, name: str) -> None: ...
    def handle(self, request: str) -> str: ...


@outbound
class Database(Protocol):
    def __init__(self, dsn: str, /, **options: int) -> None: ...
    def query(self, text: str) -> str: ...
