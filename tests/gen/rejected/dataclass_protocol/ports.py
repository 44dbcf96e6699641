from dataclasses import dataclass
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
@dataclass(frozen=True)
class Port(Protocol):
    name: str
