from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class ConnectionToTheEnvironment(Protocol):
    def close(self) -> None: ...
