from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Station(Protocol):
    class Listener(Protocol):
        def heard(self, text: str) -> int: ...

    @outbound
    class Channel(Protocol):
        def tune(self, frequency: float) -> None: ...

    class Limits:
        lowest: float = 87.5

    def listen(self, listener: "Listener") -> Channel: ...
    def limits(self) -> Limits: ...
