"""Says which files have a say in what another file's names mean."""

import ast
from collections.abc import Iterator

from vcr_gen.gen.library import Library
from vcr_gen.gen.modules import Module

__all__ = ["leads"]


def leads(library: Library) -> dict[str, set[str]]:
    """The files that the imports of each file lead to, of those that were read so far.

    What was not read has no say. Names are followed from module to module along imports only, so
    that a file which no chain of them leads to has no say either.
    """
    exactly: dict[str, set[str]] = {}
    within: dict[str, set[str]] = {}
    for name, path in library.names:
        exactly.setdefault(name, set()).add(str(path))
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            within.setdefault(".".join(parts[:length]), set()).add(str(path))
    found: dict[str, set[str]] = {}
    for name, path in library.names:
        module = library.read.get(path)
        if isinstance(module, Module) and not module.standard:
            files = found.setdefault(str(path), set())
            files |= exactly[name]  # a stub, and what it describes
            for whole, inside in _imported(module):
                files |= exactly.get(whole, set())
                files |= within.get(inside, set())
    return found


def _imported(module: Module) -> Iterator[tuple[str, str]]:
    """For each import, the module that is read, and the one of which any part may be."""
    for bindings in module.bindings.values():
        for one in bindings:
            if isinstance(one.node, ast.Import):
                top = one.module.partition(".")[0]
                yield one.module, one.module if one.name != top else top
            elif one.module:
                tail = "" if one.attribute == "*" else f".{one.attribute}"
                yield one.module, f"{one.module}{tail}"
