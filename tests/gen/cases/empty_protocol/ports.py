from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Marker(Protocol):
    """Says nothing yet."""
