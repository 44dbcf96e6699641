from typing import ContextManager, Protocol

from submodule_of_package import inner
from submodule_of_package.inner import base

from vcr_gen.boundary import outbound


@outbound
class Port(base.Base, ContextManager["Port"], Protocol):
    def items(self) -> list[inner.base.Item]: ...
