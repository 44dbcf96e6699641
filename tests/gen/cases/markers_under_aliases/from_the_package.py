from typing import Annotated, Protocol

import vcr_gen
from vcr_gen import Secret, inbound, outbound, unrecorded


@outbound(name="vault")
class Vault(Protocol):
    def unlock(self, key: Annotated[str, Secret]) -> Annotated[float, vcr_gen.Volatile]: ...
    @inbound
    def alarm(self) -> None: ...
    @unrecorded
    def close(self) -> None: ...


@vcr_gen.inbound
class Guard(Protocol):
    def patrol(self, floor: int) -> str: ...
