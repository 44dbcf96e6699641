import decimal
from pathlib import Path
from typing import Literal, Protocol

from vcr_gen.boundary import outbound


@outbound
class Speech(Protocol):
    """What is written between three quotes is read as in brackets."""

    def lines(
        self,
        amount: """
            decimal.Decimal |
            Path
        """,
        sizes: """list[
            int
        ]""",
    ) -> """
        dict[str, decimal.Decimal] |
        None
    """: ...


@outbound
class Marks(Protocol):
    def marks(
        self, both: 'Literal["it\'s", "b"]', text: str = "a\"b'c", data: bytes = b"'\""
    ) -> "Literal['it\\'s', \"b\"]": ...
    def more(self, text: str = '"a" or \'b"', tab: str = "\t\\\x0c") -> Literal["it's", 'a"b']: ...
