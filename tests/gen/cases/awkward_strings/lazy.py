from __future__ import annotations

from typing import Literal, Protocol, TypeVar

from vcr_gen.boundary import outbound

from awkward_strings.ports import Marks

_Said = TypeVar("_Said", bound=Literal["it's", 'say "it"'])


@outbound
class Talk(Marks, Protocol):
    """Annotations that are text, beside those of a base that are none."""

    def own(self, said: Literal["it's", 'a"b', b"\xff"]) -> Literal["it's"]: ...
    def twice(self, said: "Literal[\"it's\"]", word: "list['Said']") -> Said: ...
    def lines(
        self,
        amount: """
            dict[str, int] |
            None
        """,
        sizes: """list[
            int
        ]""",
    ) -> None: ...
    def repeated(self, first: _Said, second: _Said) -> _Said: ...


Said = Literal["it's"]
