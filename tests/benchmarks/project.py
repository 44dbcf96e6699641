"""A project of many Protocol modules, to measure with."""

from pathlib import Path

_HEAD = '''\
"""Ports of area {number}."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from vcr_gen.boundary import outbound


@dataclass(frozen=True)
class Item{number}:
    """One thing."""

    name: str
    size: int


@outbound
class Port{number}(Protocol):
    """Talks to service {number}."""
'''

_METHODS = (
    '''
    def fetch_{m}(self, name: str, *, timeout: float = 1.0) -> Item{number}:
        """Fetch one thing by its name."""
        ...
''',
    '''
    async def list_{m}(self, folder: Path, limit: int | None = None) -> Sequence[Item{number}]:
        """All things in a folder, at most `limit`."""
        ...
''',
    '''
    def stream_{m}(self, query: str, /, *parts: str, **options: int) -> AsyncIterator[Item{number}]:
        """Things as they come."""
        ...
''',
    '''
    def store_{m}(
        self,
        items: Mapping[str, Item{number}],
        on_progress: Callable[[int, int], None],
        *,
        overwrite: bool = False,
    ) -> Iterator[str]:
        """Store things and tell their new names."""
        ...
''',
    '''
    async def remove_{m}(self, *names: str, recursive: bool = False, reason: str = "") -> None:
        """Remove things."""
        ...
''',
)


def make_project(root: Path, modules: int, methods: int, *, formatter: str = "black") -> list[Path]:
    """Write the project; returns its Protocol modules."""
    package = root / "src" / "app"
    package.mkdir(parents=True)
    (root / "pyproject.toml").write_text(
        f'[tool.vcr-gen]\nformatter = "{formatter}"\nline-length = 100\n', encoding="utf-8"
    )
    (package / "__init__.py").write_text("", encoding="utf-8")
    paths = []
    for number in range(modules):
        body = "".join(
            _METHODS[method % len(_METHODS)].format(m=method, number=number)
            for method in range(methods)
        )
        path = package / f"ports_{number}.py"
        path.write_text(_HEAD.format(number=number) + body, encoding="utf-8")
        paths.append(path)
    return paths
