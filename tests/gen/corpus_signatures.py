"""Imports generated modules and compares signatures: `python corpus_signatures.py FOLDER`.

Run by the Python that has the packages installed; prints one line per difference.
"""

import contextlib
import importlib
import inspect
import io
import re
import sys
import typing
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from vcr_gen.runtime import Boundary


def main() -> None:
    """Compare all modules in a folder."""
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    warnings.simplefilter("ignore")
    for path in sorted(folder.rglob("*.py")):
        source = re.search(r"boundaries of `(.+?)`", path.read_text(encoding="utf-8"))
        if path.name == "__init__.py" or source is None or not _imports(source.group(1)):
            continue
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                module = importlib.import_module(name)
        except Exception as error:
            print(f"{name} cannot be imported: {error!r}")
            continue
        for boundary in vars(module).values():
            if isinstance(boundary, Boundary) and boundary.wrapper.__module__ == name:
                for line in _differences(boundary):
                    print(f"{name}: {line}")


def _imports(source: str) -> bool:
    """Whether the source itself can be imported here: it may need what is not installed."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            importlib.import_module(source)
    except BaseException:
        return False
    return True


def _differences(boundary: Boundary) -> Iterator[str]:
    package = boundary.protocol.partition(".")[0].partition(":")[0]
    for key in boundary.calls:
        declared = inspect.getattr_static(boundary.protocol_type, key, None)
        if not inspect.isfunction(declared) or declared.__module__.partition(".")[0] != package:
            continue  # an attribute; or a base of the standard library, which has no annotations
        wrapper = inspect.getattr_static(boundary.wrapper, key)  # a class has its own `__name__`
        if typing.get_overloads(wrapper) or _inherited_generic(boundary, key):
            continue
        theirs, ours = inspect.signature(declared), inspect.signature(wrapper)
        # Type parameters in brackets are each function's own: they are equal in text alone.
        if theirs != ours and str(theirs) != str(ours) and not _mean_the_same(declared, wrapper):
            yield f"{boundary.protocol}.{key} differs: {theirs} became {ours}"


def _mean_the_same(declared: Callable[..., object], wrapper: Callable[..., object]) -> bool:
    """Whether annotations kept as text are equal once evaluated.

    The wrapper says `builtins.list` where a member that it has from a base hides the builtin.
    """
    try:
        theirs = inspect.signature(declared, eval_str=True)
        return theirs == inspect.signature(wrapper, eval_str=True)
    except Exception:
        return False  # what only type checkers can import


def _inherited_generic(boundary: Boundary, key: str) -> bool:
    """A generic base's annotations are filled in, so they must differ."""
    return key not in vars(typing.cast("type", boundary.protocol_type))


if __name__ == "__main__":
    main()
