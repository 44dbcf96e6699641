from collections import abc
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Estimator[X, Y](Protocol):
    def fit(self, X: X, y: Y) -> None: ...
    def predict(self, X: X) -> Y: ...
    def scaled(self, X: X) -> X: ...
    async def both[Z](self, Z: Z, y: Y) -> tuple[Z, Y]: ...
    def best[Call](self, among: abc.Callable[[Call], float], call: Call, Self: Y) -> Call: ...


@outbound
class Recorder[Cassette, OutboundPort: str, Callable = int](Protocol):
    """Type parameters with names that generated code wants for itself."""

    last: Cassette

    def record(self, event: OutboundPort, Any: Callable) -> Cassette: ...
