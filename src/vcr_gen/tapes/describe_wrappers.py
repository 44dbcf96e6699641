"""Describes the wrappers of a project: signatures, and the stored form of every default.

Runs in a separate process (`python -m vcr_gen.tapes.describe_wrappers`): it imports the project.
The configuration selects the modules; a cassette never does.
"""

import inspect
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any, get_origin, get_overloads

from vcr_gen.errors import EncodeError
from vcr_gen.runtime.boundary.call_kinds import strip
from vcr_gen.runtime.boundary.calls import OMITTED, Call
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.codec import Codec, Compiler, same
from vcr_gen.runtime.codec.placeholders import PLACEHOLDER, REDACTED
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.values.anchors import Anchors
from vcr_gen.runtime.values.channel import Binder
from vcr_gen.runtime.values.live_objects import live_kind

__all__ = ["CurrentBoundary", "CurrentMethod", "Default", "Described", "describe", "read_described"]


@dataclass(frozen=True, slots=True)
class Default:
    """The recorded value of a parameter that a call omits."""

    stored: Plain = None
    is_recorded: bool = True
    """False if nothing is recorded: the parameter is unrecorded, or only the callee knows it."""
    problem: str = ""
    """Why the default has no stored form."""


@dataclass(frozen=True, slots=True)
class CurrentMethod:
    """A method of a wrapper."""

    signature: str
    defaults: Mapping[str, Default] = field(default_factory=dict)
    """Parameters with a default."""


@dataclass(frozen=True, slots=True)
class CurrentBoundary:
    """A boundary, as its wrapper declares it."""

    direction: str
    methods: Mapping[str, CurrentMethod]
    module: str = field(default="", compare=False)
    """The module of its Protocol."""

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of every method."""
        return {key: about.signature for key, about in self.methods.items()}


@dataclass(frozen=True, slots=True)
class Described:
    """The boundaries of a project by name, and the modules that could not be imported."""

    boundaries: Mapping[str, CurrentBoundary]
    problems: Mapping[str, str]
    """Module and error."""
    namesakes: Mapping[str, Sequence[CurrentBoundary]] = field(default_factory=dict)
    """Boundaries with the same name and different signatures."""

    def signature(self, boundary: str, method: str) -> str | None:
        """The current signature of a method; None if it is unknown."""
        known = self.boundaries.get(boundary)
        found = None if known is None else known.methods.get(method)
        return None if found is None else found.signature


def describe(modules: Iterable[str]) -> Described:
    """Import the modules, and describe every boundary in them."""
    found: list[Boundary] = []
    problems: dict[str, str] = {}
    for name in modules:
        try:
            module = import_module(name)
        except (Exception, SystemExit) as error:
            problems[name] = f"{type(error).__name__}: {error}"
            continue
        found += [value for value in vars(module).values() if isinstance(value, Boundary)]
    boundaries: dict[str, list[CurrentBoundary]] = {}
    binder = _binder(found)
    for boundary in found:
        try:
            described = _described(boundary, binder)
        except Exception as error:  # a type of the project may be unresolvable
            problems[boundary.wrapper.__module__] = f"{type(error).__name__}: {error}"
            continue
        known = boundaries.setdefault(boundary.name, [])
        if described not in known:
            known.append(described)
    return Described(
        {name: known[0] for name, known in boundaries.items() if len(known) == 1},
        problems,
        {name: known for name, known in boundaries.items() if len(known) > 1},
    )


def read_described(document: Mapping[str, Any]) -> Described:
    """Parse the description made by another process."""
    return Described(
        {name: _read_boundary(about) for name, about in document["boundaries"].items()},
        document["problems"],
        {
            name: [_read_boundary(about) for about in several]
            for name, several in document["namesakes"].items()
        },
    )


def _read_boundary(about: Mapping[str, Any]) -> CurrentBoundary:
    methods = {
        key: CurrentMethod(
            method["signature"],
            {name: Default(**default) for name, default in method["defaults"].items()},
        )
        for key, method in about["methods"].items()
    }
    return CurrentBoundary(about["direction"], methods, about["module"])


def _described(boundary: Boundary, binder: Binder) -> CurrentBoundary:
    signatures = boundary.signatures()
    return CurrentBoundary(
        boundary.direction,
        {
            key: CurrentMethod(signatures[key], _defaults(boundary, key, call, binder))
            for key, call in boundary.calls.items()
        },
        boundary.protocol.partition(":")[0],
    )


def _defaults(boundary: Boundary, key: str, call: type[Call], binder: Binder) -> dict[str, Default]:
    values = _default_values(boundary.wrapper, key)
    method = boundary.method(call)
    bound = binder.bind(method)
    found: dict[str, Default] = {}
    for parameter in method.parameters:
        if parameter.name not in values:
            continue
        value = values[parameter.name]
        if value is OMITTED:
            found[parameter.name] = Default(is_recorded=False)
            continue
        try:
            stored = bound.arguments[parameter.name].encode(value)
            found[parameter.name] = Default(_without_secrets(parameter.name, stored))
        except EncodeError as error:
            found[parameter.name] = Default(problem=str(error))
    return found | {parameter.name: Default(is_recorded=False) for parameter in method.unrecorded}


def _without_secrets(name: str, stored: Plain) -> Plain:
    """A default as it is stored, with placeholders for credentials.

    Such a placeholder has no number: numbers belong to a session.
    """
    redacted = Secrets(Redaction()).redactor.redact(stored, name)
    if same(stored, redacted):
        return stored
    plain: Plain = json.loads(PLACEHOLDER.sub(REDACTED, json.dumps(redacted)))
    return plain


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


def _binder(boundaries: Iterable[Boundary]) -> Binder:
    """Compiles types as a session does, without live objects, which need a session."""
    protocols = [
        reachable.protocol_type for boundary in boundaries for reachable in boundary.reachable
    ]

    def live(annotation: object) -> Codec | None:
        bare = strip(annotation)
        origin = get_origin(bare) or bare
        if live_kind(bare, inbound=True) is None and not any(
            origin is protocol for protocol in protocols
        ):
            return None
        return Codec(encode=_refuse, decode=_refuse, compare=None, replace_live=None)

    compiler = Compiler(live=live)
    return Binder(lambda annotation, _: compiler.codec(annotation), anchors=Anchors({}))


def _refuse(value: Any) -> Any:
    raise EncodeError(path="$", expected="a value that can be stored", got=repr(value)[:80])


def main() -> None:
    """Read `{"path": […], "modules": […]}` from stdin and print what was found, as JSON."""
    answer = os.dup(1)
    os.dup2(2, 1)  # keep the project's own output out of the answer
    request = json.load(sys.stdin)
    sys.path[:0] = request["path"]
    sys.path.extend(folder for folder in request["more"] if folder not in sys.path)
    document = json.dumps(asdict(describe(request["modules"])))
    with os.fdopen(answer, "w", encoding="utf-8") as stream:
        stream.write(document)


if __name__ == "__main__":
    main()
