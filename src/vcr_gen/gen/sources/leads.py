"""Says which files have a say in what another file's names mean."""

import ast
from collections.abc import Iterator

from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.sources.modules import Module

__all__ = ["leads"]


def leads(library: Library) -> dict[str, set[str]]:
    """The files that the imports of each file lead to, of those that were read so far.

    What was not read has no say. Names are followed from module to module along imports only, so
    that a file which no chain of them leads to has no say either. Python's own stubs are left out:
    they change with the checker that brings them, and then everything is made again.
    """
    read = [(name, path, library.read.get(path)) for name, path in library.names]
    own = [one for one in read if not (isinstance(one[2], Module) and one[2].standard)]
    exactly: dict[str, set[str]] = {}
    within: dict[str, set[str]] = {}
    for name, path, _ in own:
        exactly.setdefault(name, set()).add(str(path))
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            within.setdefault(".".join(parts[:length]), set()).add(str(path))
    found: dict[str, set[str]] = {}
    for name, path, module in own:
        files = set(exactly[name])  # a stub, and what it describes
        for whole, inside in _imported(module) if isinstance(module, Module) else ():
            files |= exactly.get(whole, set())
            files |= within.get(inside, set())
        found.setdefault(str(path), set()).update(files - {str(path)})
    return {file: files for file, files in found.items() if files}


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
