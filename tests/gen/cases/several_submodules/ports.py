from typing import Protocol

import several_submodules.deep.er.wells
import several_submodules.kinds
from vcr_gen.boundary import outbound


@outbound
class Port(Protocol):
    """Both imports bind the same name, and the longer one is not the one that is needed."""

    def kind(self) -> several_submodules.kinds.Kind: ...


def unrelated() -> several_submodules.deep.er.wells.Well | None: ...
