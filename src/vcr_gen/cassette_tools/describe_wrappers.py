"""Describes the wrappers of a project: signatures, and the stored form of every default.

That imports the project, so it happens in a separate process: `describe_project` starts this module
as a program. The configuration selects the modules; a cassette never does.
"""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_origin, get_overloads

from vcr_gen.errors import EncodeError
from vcr_gen.gen.output.ownership import owned_files
from vcr_gen.gen.settings.config_reader import load_config
from vcr_gen.runtime.boundary.call_kinds import strip
from vcr_gen.runtime.boundary.calls import OMITTED
from vcr_gen.runtime.boundary.spec import Boundary, Method
from vcr_gen.runtime.codec import Compiler
from vcr_gen.runtime.codec.node import Node, UnsupportedNode
from vcr_gen.runtime.codec.placeholders import unnumbered
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.values.live_kinds import live_kinds

_MODULE: Final = "vcr_gen.cassette_tools.describe_wrappers"
_PATIENCE: Final = 120
"""Seconds for importing a project."""


@dataclass(frozen=True, slots=True)
class CurrentMethod:
    """A method, as its wrapper declares it."""

    signature: str
    defaults: Mapping[str, Plain]
    """The stored form of defaults; a default that cannot be stored is missing."""
    omitted: Sequence[str]
    """Parameters that a recorded call may lack: unrecorded, or with a default of the callee."""


@dataclass(frozen=True, slots=True)
class Described:
    """The boundaries of a project."""

    boundaries: Mapping[str, Mapping[str, CurrentMethod]]
    """The methods of each boundary, by name."""
    remarks: Sequence[str] = ()
    """Which wrappers were not described, and why."""


def describe_project(config_file: Path | None) -> Described:
    """Import the project's wrappers in a separate process and read their description."""
    config = load_config(Path.cwd(), file=config_file.resolve() if config_file else None)
    modules = [
        ".".join(path.relative_to(config.output).with_suffix("").parts)
        for path in owned_files(config.output)
        if path.suffix == ".py" and path.stem != "__init__"
    ]
    if not modules:
        return _not_described(f"no wrappers in {config.display(config.output)}")
    request = {
        "path": [str(folder) for folder in (config.output, *config.sources)],
        "more": [str(folder) for folder in config.search_path],
        "modules": modules,
    }
    try:
        done = subprocess.run(
            # -P: a file of the project must not shadow a module of the standard library.
            [sys.executable, "-P", "-m", _MODULE],
            input=json.dumps(request).encode(),
            capture_output=True,
            cwd=config.root,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _not_described(f"importing them took more than {_PATIENCE} s")
    if done.returncode != 0 or not done.stdout:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return _not_described(last[0] if last else "no reason given")
    document = json.loads(done.stdout)
    boundaries = {
        name: {key: CurrentMethod(**method) for key, method in methods.items()}
        for name, methods in document["boundaries"].items()
    }
    return Described(boundaries, document["remarks"])


def _not_described(why: str) -> Described:
    return Described({}, (f"signatures were not compared: {why}",))


def _describe(modules: Iterable[str]) -> Described:
    """Import the modules, and describe every boundary in them."""
    found: list[Boundary] = []
    remarks = []
    for name in modules:
        try:
            module = import_module(name)
        except (Exception, SystemExit) as error:
            why = f"it cannot be imported: {type(error).__name__}: {error}"
            remarks.append(f"signatures of {name} were not compared: {why}")
            continue
        found += [value for value in vars(module).values() if isinstance(value, Boundary)]
    compiler = _compiler(found)
    boundaries: dict[str, dict[str, CurrentMethod]] = {}
    ambiguous = set()
    for boundary in found:
        try:
            methods = _methods(boundary, compiler)
        except Exception as error:  # a type of the project may be unresolvable
            why = f"{type(error).__name__}: {error}"
            remarks.append(f"signatures of `{boundary.name}` were not compared: {why}")
            continue
        if boundaries.setdefault(boundary.name, methods) != methods:
            ambiguous.add(boundary.name)
    for name in sorted(ambiguous):
        del boundaries[name]
        why = "several boundaries have this name; give them different ones: @outbound(name=…)"
        remarks.append(f"signatures of `{name}` were not compared: {why}")
    return Described(boundaries, remarks)


def _methods(boundary: Boundary, compiler: Compiler) -> dict[str, CurrentMethod]:
    signatures = boundary.signatures()
    return {
        key: _method(signatures[key], boundary.method(call), boundary.wrapper, key, compiler)
        for key, call in boundary.calls.items()
    }


def _method(
    signature: str, method: Method, wrapper: type[Any], key: str, compiler: Compiler
) -> CurrentMethod:
    values = _default_values(wrapper, key)
    defaults = {}
    omitted = [parameter.name for parameter in method.unrecorded]
    for parameter in method.parameters:
        value = values.get(parameter.name, inspect.Parameter.empty)
        if value is OMITTED:
            omitted.append(parameter.name)
        elif value is not inspect.Parameter.empty:
            with suppress(EncodeError):
                stored = compiler.codec(parameter.annotation).encode(value)
                defaults[parameter.name] = _without_secrets(parameter.name, stored)
    return CurrentMethod(signature, defaults, omitted)


def _without_secrets(name: str, stored: Plain) -> Plain:
    """A default as it is stored, with placeholders for credentials.

    Such a placeholder has no number: numbers belong to a session.
    """
    return unnumbered(Secrets(Redaction()).redactor.redact(stored, name))


def _default_values(wrapper: type[Any], key: str) -> dict[str, object]:
    """The defaults of a wrapper's member, or of one of its overloads (`read#2`)."""
    name, _, number = key.partition("#")
    member = inspect.getattr_static(wrapper, name, None)
    function = getattr(wrapper, name, None)
    if not callable(function) or isinstance(member, property):
        return {}
    overloads = get_overloads(function)
    if overloads:
        function = overloads[int(number or 1) - 1]
    values: dict[str, object] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            values[parameter.name] = ()
        elif parameter.kind is parameter.VAR_KEYWORD:
            values[parameter.name] = {}
        elif parameter.default is not parameter.empty:
            values[parameter.name] = parameter.default
    return values


def _compiler(boundaries: Iterable[Boundary]) -> Compiler:
    """Compiles types as a session does, without live objects, which need a session."""
    protocols = [
        reachable.protocol_type for boundary in boundaries for reachable in boundary.reachable
    ]

    def live(annotation: object) -> Node | None:
        bare = strip(annotation)
        origin = get_origin(bare) or bare
        if not live_kinds(bare, inbound=True) and not any(
            origin is protocol for protocol in protocols
        ):
            return None
        return UnsupportedNode("", "a live object")

    return Compiler(live=live)


def main() -> None:
    """Read `{"path": […], "modules": […]}` from stdin and print what was found, as JSON."""
    answer = os.dup(1)
    os.dup2(2, 1)  # keep the project's own output out of the answer
    request = json.load(sys.stdin)
    sys.path[:0] = request["path"]
    sys.path.extend(folder for folder in request["more"] if folder not in sys.path)
    document = json.dumps(asdict(_describe(request["modules"])))
    with os.fdopen(answer, "w", encoding="utf-8") as stream:
        stream.write(document)


if __name__ == "__main__":
    main()
