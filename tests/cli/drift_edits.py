"""Single edits: to a Protocol whose wrapper is stale then, and to a wrapper by hand."""

PROTOCOL = '''
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Protocol, overload

from vcr_gen.boundary import Secret, Volatile, inbound, outbound, unrecorded


class Thing:
    """A value."""


LIMIT = 3


class Base(Protocol):
    def inherited(self, x: int) -> int: ...


@outbound(name="port_NUMBER")
class Port(Base, Protocol):
    """Talks to a service."""

    timeout: float
    kind: ClassVar[str]

    @property
    def size(self) -> int:
        """How large it is."""
        ...

    @property
    def label(self) -> str: ...

    @label.setter
    def label(self, value: str) -> None: ...

    def fetch(self, name: str, limit: int = 10, *, retry: bool = False) -> Thing:
        """Fetch a thing."""
        ...

    def plain(self, a: int, b: str) -> str: ...

    def only(self, a: int, /, b: int) -> int: ...

    def extra(self, *args: int, **options: str) -> None: ...

    async def load(self, path: Path) -> bytes: ...

    def stream(self, query: str) -> AsyncIterator[str]: ...

    def lines(self) -> Iterator[str]: ...

    def opened(self, mode: Literal["r", "w"] = "r") -> AbstractContextManager[Thing]: ...

    def notify(self, callback: Callable[[int], None]) -> None: ...

    def login(self, token: Annotated[str, Secret]) -> bool: ...

    def anything(self, value: Any) -> Any: ...

    def default_name(self, limit: int = LIMIT) -> int: ...

    def maybe(self, x: int | None = None) -> int | None: ...

    @overload
    def get(self, key: int) -> int: ...
    @overload
    def get(self, key: str) -> str: ...

    @unrecorded
    def close(self) -> None: ...

    def __len__(self) -> int: ...
'''

PROTOCOL_EDITS = {
    "positional parameter renamed": ("def plain(self, a: int", "def plain(self, c: int"),
    "keyword parameter renamed": ("retry: bool", "again: bool"),
    "parameter type changed": ("def plain(self, a: int", "def plain(self, a: float"),
    "parameter type made Any": ("def plain(self, a: int", "def plain(self, a: Any"),
    "parameter type no longer Any": ("value: Any", "value: int"),
    "annotation removed": ("def plain(self, a: int", "def plain(self, a"),
    "parameter type made optional": ("b: str) -> str", "b: str | None) -> str"),
    "union narrowed": ("x: int | None = None", "x: None = None"),
    "union reordered": ("-> int | None", "-> None | int"),
    "return type changed": ("b: str) -> str", "b: str) -> bytes"),
    "return type made Any": ("b: str) -> str", "b: str) -> Any"),
    "return type no longer Any": ("value: Any) -> Any", "value: Any) -> int"),
    "return type made None": ("b: str) -> str", "b: str) -> None"),
    "parameter added": ("b: str) -> str", "b: str, c: int) -> str"),
    "parameter with default added": ("b: str) -> str", "b: str, c: int = 1) -> str"),
    "keyword-only parameter added": ("b: str) -> str", "b: str, *, c: int = 1) -> str"),
    "parameter removed": ("a: int, b: str) -> str", "a: int) -> str"),
    "parameters swapped": ("a: int, b: str) -> str", "b: str, a: int) -> str"),
    "default changed": ("limit: int = 10", "limit: int = 11"),
    "default removed": ("limit: int = 10", "limit: int"),
    "default added": ("def plain(self, a: int, b: str)", 'def plain(self, a: int, b: str = "")'),
    "default made ...": ("limit: int = 10", "limit: int = ..."),
    "default made a name": ("limit: int = 10", "limit: int = LIMIT"),
    "default no longer a name": ("limit: int = LIMIT", "limit: int = 3"),
    "default bool made int": ("retry: bool = False", "retry: bool = 0"),
    "made keyword-only": ("name: str, limit", "*, name: str, limit", "*, retry", "retry"),
    "no longer keyword-only": ("limit: int = 10, *, retry", "limit: int = 10, retry"),
    "made positional-only": ("def plain(self, a: int, b", "def plain(self, a: int, /, b"),
    "no longer positional-only": ("a: int, /, b: int", "a: int, b: int"),
    "variadic type changed": ("*args: int", "*args: str"),
    "variadic renamed": ("*args: int", "*items: int"),
    "variadic removed": ("*args: int, **options", "**options"),
    "keywords type changed": ("**options: str", "**options: int"),
    "keywords removed": ("*args: int, **options: str", "*args: int"),
    "made async": ("def plain", "async def plain"),
    "no longer async": ("async def load", "def load"),
    "stream made coroutine": ("def stream", "async def stream"),
    "item type changed": ("-> AsyncIterator[str]", "-> AsyncIterator[bytes]"),
    "async iterator made iterator": ("-> AsyncIterator[str]", "-> Iterator[str]"),
    "entered type changed": ("AbstractContextManager[Thing]", "AbstractContextManager[str]"),
    "literal extended": ('Literal["r", "w"]', 'Literal["r", "w", "a"]'),
    "callback parameter changed": ("Callable[[int], None]", "Callable[[str], None]"),
    "callback return changed": ("Callable[[int], None]", "Callable[[int], int]"),
    "marker removed": ("token: Annotated[str, Secret]", "token: str"),
    "marker changed": ("Annotated[str, Secret]", "Annotated[str, Volatile]"),
    "marker added": ("def plain(self, a: int", "def plain(self, a: Annotated[int, Volatile]"),
    "method added": ("    def plain(", "    def added(self) -> int: ...\n\n    def plain("),
    "method removed": ("    def lines(self) -> Iterator[str]: ...\n", ""),
    "method renamed": ("def lines", "def rows"),
    "inherited method changed": ("def inherited(self, x: int)", "def inherited(self, x: str)"),
    "inherited method added": ("(Protocol):\n", "(Protocol):\n    def more(self) -> int: ...\n\n"),
    "base removed": ("class Port(Base, Protocol)", "class Port(Protocol)"),
    "property type changed": ("def size(self) -> int", "def size(self) -> float"),
    "property made method": ("    @property\n    def size", "    def size"),
    "method made property": ("    def lines", "    @property\n    def lines"),
    "setter removed": (
        "\n    @label.setter\n    def label(self, value: str) -> None: ...\n",
        "",
    ),
    "setter type changed": ("def label(self, value: str)", "def label(self, value: int)"),
    "attribute type changed": ("timeout: float", "timeout: int"),
    "attribute added": ("    timeout: float", "    timeout: float\n    other: int"),
    "attribute removed": ("    timeout: float\n", ""),
    "attribute made class variable": ("timeout: float", "timeout: ClassVar[float]"),
    "class variable made attribute": ("kind: ClassVar[str]", "kind: str"),
    "overload removed": ("    @overload\n    def get(self, key: int) -> int: ...\n", ""),
    "overload added": (
        "    @overload\n    def get(self, key: int)",
        "    @overload\n    def get(self, key: bytes) -> bytes: ...\n"
        "    @overload\n    def get(self, key: int)",
    ),
    "overload changed": ("def get(self, key: int) -> int", "def get(self, key: int) -> float"),
    "made static": ("    def lines(self)", "    @staticmethod\n    def lines()"),
    "made class method": ("    def lines(self)", "    @classmethod\n    def lines(cls)"),
    "no longer unrecorded": ("    @unrecorded\n", ""),
    "made unrecorded": ("    def lines", "    @unrecorded\n    def lines"),
    "direction changed": ("@outbound(", "@inbound("),
    "method direction changed": ("    def lines", "    @inbound\n    def lines"),
    "stable name changed": ('name="port_', 'name="harbour_'),
    "docstring of a method changed": ("Fetch a thing.", "Fetch one thing."),
    "docstring of a property changed": ("How large it is.", "Its size."),
    "dunder removed": ("\n    def __len__(self) -> int: ...\n", ""),
    "dunder return changed": ("def __len__(self) -> int", "def __len__(self) -> bool"),
    "class renamed": ("class Port(Base", "class Harbour(Base"),
    "future annotations added": (
        "from collections",
        "from __future__ import annotations\n\nfrom collections",
    ),
}

WRAPPER_EDITS = {
    "positional parameter renamed": ("def plain(self, a: int", "def plain(self, c: int"),
    "default changed": ("limit: int = 10", "limit: int = 11"),
    "default removed": ("limit: int = 10", "limit: int"),
    "default added": ("def plain(self, a: int, b: str)", 'def plain(self, a: int, b: str = "")'),
    "optional parameter added": (
        "def plain(self, a: int, b: str)",
        "def plain(self, a: int, b: str, c: int = 1)",
    ),
    "signature made *args, **kwargs": (
        "def plain(self, a: int, b: str) -> str",
        "def plain(self, *args: Any, **kwargs: Any) -> Any",
    ),
    "parameter made Any": ("def plain(self, a: int", "def plain(self, a: Any"),
    "parameter made object": ("def plain(self, a: int", "def plain(self, a: object"),
    "return made Any": ("b: str) -> str:", "b: str) -> Any:"),
    "positional-only dropped": (
        "def only(self, a: int, /, b: int)",
        "def only(self, a: int, b: int)",
    ),
    "keyword-only dropped": ("limit: int = 10, *, retry", "limit: int = 10, retry"),
    "async dropped": ("async def load", "def load"),
    "async added": ("def plain", "async def plain"),
    "method removed": (
        "    def lines(self) -> Iterator[str]:\n        return self._port.call(PortLines())\n\n",
        "",
    ),
    "method added": (
        "    def lines(self)",
        "    def helper(self) -> int:\n        return 1\n\n    def lines(self)",
    ),
    "decorator removed": ("    @property\n    def size", "    def size"),
    "setter removed": ("    @label.setter\n", ""),
    "docstring changed": ("Fetch a thing.", "Fetch!"),
    "body changed": ("return self._port.call(PortLines())", "return iter(())"),
    "argument dropped in the body": ("PortPlain(a=a, b=b)", "PortPlain(a=a, b=a)"),
    "event field renamed": ("    path: Path\n", "    folder: Path\n"),
    "event forwards something else": ("target.load(self.path)", "target.load(Path())"),
    "table of calls changed": ('"lines": PortLines', '"rows": PortLines'),
    "stable name changed": ('"port_', '"harbour_'),
    "direction changed": ('direction="outbound"', 'direction="inbound"'),
    "import removed": ("from pathlib import Path\n", ""),
    "base added to the wrapper": (
        "(OutboundWrapper[Port])",
        "(OutboundWrapper[Port], dict[str, int])",
    ),
    "conformance check removed": ("return wrapper", "raise NotImplementedError"),
    "class added": ("class VcrPort(", "class Mine:\n    pass\n\n\nclass VcrPort("),
    "comment added": ("Wrapper[Port]):", "Wrapper[Port]):  # mine"),
    "blank line added": ("class VcrPort(", "\nclass VcrPort("),
    "line at the end added": ("        return wrapper\n", "        return wrapper\n\n\nx = 1\n"),
    "source header changed": ("# source: ", "# source: x"),
    "attribute type changed": ("timeout: float =", "timeout: int ="),
    "attribute made read-only": (
        "timeout: float = recorded_attribute()",
        "timeout: float = recorded_attribute(settable=False)",
    ),
    "attribute not recorded": (
        "timeout: float = recorded_attribute()",
        "timeout: float = 0.0",
    ),
    "class variable made attribute": ("kind: ClassVar[str]", "kind: str"),
    "property type changed": ("def size(self) -> int", "def size(self) -> float"),
    "setter type changed": ("def label(self, value: str)", "def label(self, value: Any)"),
    "docstring of a property changed": ("How large it is.", "Its size."),
    "optional widened": ("def maybe(self, x: int | None", "def maybe(self, x: float | None"),
    "literal extended": (
        'def opened(self, mode: Literal["r",',
        'def opened(self, mode: Literal["x", "r",',
    ),
    "marker removed": (
        "def login(self, token: Annotated[str, Secret]",
        "def login(self, token: str",
    ),
    "callback changed": (
        "def notify(self, callback: Callable[[int]",
        "def notify(self, callback: Callable[[str]",
    ),
    "named default made literal": ("limit: int = LIMIT", "limit: int = 3"),
    "variadic type changed": ("def extra(self, *args: int", "def extra(self, *args: Any"),
    "keywords dropped": ("*args: int, **options: str) ->", "*args: int) ->"),
    "parameters swapped": ("def plain(self, a: int, b: str)", "def plain(self, b: str, a: int)"),
    "stream made iterator": (
        "def stream(self, query: str) -> AsyncIterator",
        "def stream(self, query: str) -> Iterator",
    ),
    "overload removed": ("    @overload\n    def get(self, key: str) -> str: ...\n", ""),
    "overload changed": ("def get(self, key: str) -> str", "def get(self, key: str) -> bytes"),
    "unrecorded member recorded": (
        'self._port.unrecorded("close").close()',
        "self._port.call(PortLen())",
    ),
    "dunder return changed": ("def __len__(self) -> int", "def __len__(self) -> bool"),
    "inherited member changed": ("def inherited(self, x: int)", "def inherited(self, x: str)"),
    "table of calls shortened": ('        "size": PortSize,\n', ""),
}
