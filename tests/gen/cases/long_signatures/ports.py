from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from long_signatures.connections_to_the_environment import ConnectionToTheEnvironment
from vcr_gen.boundary import outbound


@outbound
class VeryDescriptiveServiceName(Protocol):
    def method_with_a_rather_long_name(
        self,
        first_parameter_of_many: Mapping[str, Sequence[int]],
        second_parameter_of_many: Mapping[str, Sequence[int]],
        *,
        third_parameter_of_many: Callable[[int, str], Mapping[str, int]] | None = None,
    ) -> Mapping[str, Sequence[int]]: ...

    def method_whose_call_nearly_fits_in_one_line(self, argument: int, another: int) -> int: ...

    async def method_with_a_result_that_is_long(
        self,
    ) -> Mapping[str, Mapping[str, Mapping[str, Sequence[tuple[int, str, bytes, float]]]]]: ...

    def open_the_connection(self, address: str) -> ConnectionToTheEnvironment: ...
