"""An environment that runs functions of the program by their names, as task queues do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol

import attrs
import pydantic

from vcr_gen.boundary import ByName, outbound


@dataclass(frozen=True)
class Job:
    func: Annotated[Callable[[int], int], ByName]
    number: int
    failed: Annotated[Callable[[int], int] | None, ByName] = None


@attrs.frozen
class AttrsJob:
    func: Annotated[Callable[[int], int], ByName]


class ModelJob(pydantic.BaseModel):
    func: Annotated[Callable[[int], int], ByName]
    failed: Annotated[Callable[[int], int] | None, ByName] = None


@outbound
class Workers(Protocol):
    """Runs work elsewhere."""

    def submit(self, job: Job) -> int: ...
    def submit_attrs(self, job: AttrsJob) -> int: ...
    def submit_model(self, job: ModelJob) -> int: ...
    def run(self, func: Annotated[Callable[[int], int], ByName], number: int) -> int: ...
    def try_run(
        self, func: Annotated[Callable[[int], int], ByName] | None = None, *, number: int = 1
    ) -> int: ...
    def last(self) -> Job: ...
