"""Makes the typed events: what they hold, and the call that they make."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword

from vcr_gen.gen.model.annotation import (
    ANNOTATED,
    ANY,
    DICT,
    ELLIPSIS,
    NONE,
    STR,
    TUPLE,
    Annotation,
    Name,
    Reference,
    builtin,
    full_name,
    imported,
    replace_nodes,
    replace_self,
    subscript,
    variables_of,
    without_quotes,
)
from vcr_gen.gen.model.boundaries import Boundary, Kind, Parameter, Signature, TypeVariable
from vcr_gen.gen.model.field_rules import names_parameter
from vcr_gen.gen.wrappers.checker_view import callables_own
from vcr_gen.gen.wrappers.generic_headers import generic_header
from vcr_gen.gen.wrappers.layout import Item, Nest
from vcr_gen.gen.wrappers.names import Names, declared_first
from vcr_gen.gen.wrappers.views import Access, EventView, FieldView

__all__ = ["RUNTIME", "Event", "EventMaker", "arguments_for"]

RUNTIME = "vcr_gen.runtime"
_NARROWING = frozenset({"typing.TypeGuard", "typing.TypeIs"})


@dataclass(frozen=True)
class Event:
    """A typed event as the wrapper needs it: how to make one."""

    view: EventView
    fields: Mapping[str, str]
    """The field of each parameter."""
    variables: tuple[TypeVariable, ...]
    """The type variables that it is generic in."""

    def arguments(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """The arguments that make the event from parameters."""
        return tuple(f"{field}={values.get(name, name)}" for name, field in self.fields.items())


@dataclass(frozen=True)
class EventMaker:
    """Makes the events of one boundary."""

    names: Names
    boundary: Boundary
    variables: Mapping[Reference, TypeVariable]
    target: Annotation
    """The Protocol, with its own type parameters."""

    def call(self, name: str, key: str, member: str, signature: Signature, *, typed: bool) -> Event:
        """The event of a method."""
        types = {
            parameter.name: self._field_type(parameter, signature, key)
            for parameter in signature.parameters
        }
        fields = self._fields(types, signature)
        values = {parameter: f"self.{field}" for parameter, field in fields.items()}
        event = self._event(
            name,
            key,
            member,
            signature,
            returns=self.returned(signature),
            typed=typed,
            types=types,
        )
        view = replace(
            event.view,
            asynchronous=signature.asynchronous,
            result="value" if signature.managed else signature.returned,
            arguments=arguments_for(self.names, signature, values),
        )
        return replace(event, view=view)

    def access(
        self, kind: Access, name: str, member: str, signature: Signature, *, typed: bool
    ) -> Event:
        """The event of reading, setting or deleting a property."""
        key = member if kind == "get" else f"{member}.{kind}"
        never = signature.returned == "never"  # which no type checker believes of an attribute
        types: dict[str, Annotation] = {}
        returns: Annotation = NONE
        if kind == "get":
            returns = ANY if never else self.returned(signature)
        elif kind == "set":
            types = {"value": self._field_type(signature.parameters[0], signature, key)}
        event = self._event(name, key, member, signature, returns=returns, typed=typed, types=types)
        awaited = kind == "get" and signature.asynchronous
        return replace(event, view=replace(event.view, kind=kind, asynchronous=awaited))

    def returned(self, signature: Signature) -> Annotation:
        """The declared result as the event says it."""
        if signature.managed is not None:
            asynchronous = signature.managed == "async with"
            kind = "AbstractAsyncContextManager" if asynchronous else "AbstractContextManager"
            inner = self.of_protocol(signature.entered or ANY, signature.self_type)
            return subscript(Name(imported("contextlib", kind)), inner)
        if full_name(signature.returns) in _NARROWING:
            return Name(builtin("bool"))  # it speaks of an argument, which the event has not
        return self.of_protocol(signature.returns or ANY, signature.self_type)

    def of_protocol(self, text: Annotation, self_type: Reference | None = None) -> Annotation:
        """The text with `Self` replaced by the Protocol; every name in it can be evaluated."""
        return replace_self(replace_nodes(text, _plain_builtin), self_type, self.target)

    def _field_type(self, parameter: Parameter, signature: Signature, key: str) -> Annotation:
        annotation = self.of_protocol(parameter.annotation or ANY, signature.self_type)
        if parameter.pack == "args":
            annotation = subscript(TUPLE, ANY, ELLIPSIS)
        elif parameter.pack == "kwargs":
            annotation = subscript(DICT, STR, ANY)
        elif parameter.pack == "dict":
            annotation = self.of_protocol(parameter.packed or ANY, signature.self_type)
        elif parameter.kind is Kind.VARIADIC:
            annotation = subscript(TUPLE, annotation, ELLIPSIS)
        elif parameter.kind is Kind.KEYWORDS:
            annotation = subscript(DICT, STR, annotation)
        member, _, change = key.partition("#")[0].partition(".")
        name = "value" if change == "set" else parameter.name
        for marker, listed in (
            ("Secret", self.boundary.field_rules.secret),
            ("Volatile", self.boundary.field_rules.volatile),
        ):
            if names_parameter(self.boundary, listed, member, name):
                mark = Name(imported("vcr_gen.boundary", marker))
                annotation = subscript(ANNOTATED, annotation, mark)
        return annotation

    def _event(
        self,
        name: str,
        key: str,
        member: str,
        signature: Signature,
        *,
        returns: Annotation,
        typed: bool,
        types: Mapping[str, Annotation] | None = None,
    ) -> Event:
        types = types or {}
        fields = self._fields(types, signature)
        bound = frozenset(fields.values())
        target = self.target if typed else ANY
        variables = self._variables(signature, [target, *types.values()], returns)
        renamed = any(parameter not in {field, "value"} for parameter, field in fields.items())
        view = EventView(
            name=name,
            key=key,
            header=generic_header(
                self.names, name, variables, base=self.names.own(RUNTIME, "Call")
            ),
            fields=tuple(
                FieldView(
                    fields[parameter],
                    self._annotation(annotation, bound, lazy=signature.lazy),
                    "" if parameter in {fields[parameter], "value"} else parameter,
                )
                for parameter, annotation in types.items()
            ),
            field=self.names.own("dataclasses", "field", bound=bound) if renamed else "",
            kind="call",
            member=member,
            target=self.names.own_annotation(target, bound=bound),
            returns=self._annotation(returns, bound, lazy=signature.lazy),
            typed=typed,
        )
        return Event(view, fields, tuple(variables))

    def _variables(
        self, signature: Signature, held: list[Annotation], returns: Annotation
    ) -> list[TypeVariable]:
        """The type variables that an event is generic in: the Protocol's, and the function's."""
        mentioned = variables_of([*held, returns])
        known = [
            variable.reference
            for variable in self.boundary.type_parameters
            if variable.reference in mentioned
        ]
        own = callables_own(returns) - set(variables_of(held))
        others = [
            reference
            for reference in mentioned
            if reference not in known and (reference not in own or reference.kind == "parameter")
        ]
        local = {variable.reference: variable for variable in signature.type_parameters}
        table = {**self.variables, **local}
        table.update((variable.reference, variable) for variable in self.boundary.type_parameters)
        variables = declared_first(
            table.get(reference, TypeVariable(reference, "TypeVar"))
            for reference in [*known, *others]
        )
        if local:  # brackets, which know no defaults before 3.13; an event is never left to them
            return [replace(variable, default=None) for variable in variables]
        return variables

    def _fields(self, parameters: Collection[str], signature: Signature) -> dict[str, str]:
        """A legal, distinct field name for each parameter, other than the type parameters."""
        variables = (*self.boundary.type_parameters, *signature.type_parameters)
        hidden = {
            variable.reference.spelling
            for variable in variables
            if variable.reference.kind == "parameter"
        }
        found: dict[str, str] = {}
        for parameter in parameters:
            name = parameter
            if "__" in parameter and parameter.startswith("_"):
                name = parameter.strip("_").rpartition("__")[2]
            while iskeyword(name) or name in {*found.values(), *hidden} or not name:
                name += "_"
            found[parameter] = name
        return found

    def _annotation(self, text: Annotation, bound: Collection[str], *, lazy: bool | None) -> str:
        """An annotation of the event's own, without the quotes that the source need not have."""
        shown = without_quotes(text) if self.names.lazy or lazy else text
        return self.names.annotation(shown, lazy=lazy, bound=bound)


def _plain_builtin(node: Annotation) -> Annotation | None:
    """`list` for `__builtins__.list`, which Python knows only in the module that is run."""
    if isinstance(node, Name) and node.reference.spelling.startswith("__builtins__."):
        return Name(builtin(node.reference.spelling.rpartition(".")[2]), node.tail)
    return None


def arguments_for(
    names: Names, signature: Signature, values: Mapping[str, str], bound: Collection[str] = ()
) -> tuple[Item, ...]:
    """The arguments of a call: positional where the parameter can be.

    After one whose default only the implementation knows, those that were given are passed on.
    """
    items: list[Item] = []
    keywords: list[Item] = []
    rest: list[Item] = []
    omitted: list[str] = []
    positional: list[str] = []
    variadic = any(parameter.kind is Kind.VARIADIC for parameter in signature.parameters)
    skipped = False
    for parameter in signature.parameters:
        value = values[parameter.name]
        is_omitted = parameter.default is not None and parameter.default.how == "omitted"
        is_positional = parameter.kind in {Kind.POSITIONAL_ONLY, Kind.POSITIONAL}
        skipped |= is_omitted and is_positional
        if parameter.kind is Kind.VARIADIC:
            items.extend(_spread(names, positional, bound))
            positional = []
            items.append(f"*{value}")
        elif parameter.kind is Kind.KEYWORDS:
            rest.append(f"**{value}")
        elif is_positional and not skipped:
            items.append(value)
        elif parameter.kind is Kind.POSITIONAL_ONLY or (is_positional and variadic):
            positional.append(value)
        else:
            (omitted if is_omitted else keywords).append(f"{parameter.name}={value}")
    items.extend(_spread(names, positional, bound))
    if omitted:
        given = names.own(RUNTIME, "given", bound=bound)
        keywords.append(Nest(f"**{given}(", tuple(omitted)))
    return (*items, *keywords, *rest)


def _spread(names: Names, values: list[str], bound: Collection[str]) -> list[Nest]:
    if not values:
        return []
    return [Nest(f"*{names.own(RUNTIME, 'given_positional', bound=bound)}(", tuple(values))]
