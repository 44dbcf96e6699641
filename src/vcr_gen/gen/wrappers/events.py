"""Makes the typed events: what they hold, and the call that they make."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword

from vcr_gen.gen.model.annotation import (
    ANNOTATED,
    ANY,
    CALLABLE,
    DICT,
    ELLIPSIS,
    NONE,
    STR,
    TUPLE,
    Annotation,
    Name,
    Reference,
    Starred,
    builtin,
    full_name,
    imported,
    replace_nodes,
    replace_self,
    subscript,
    unquoted,
    variables_of,
    walk_with_owners,
    without_quotes,
)
from vcr_gen.gen.model.boundaries import Boundary, Kind, Parameter, Signature, TypeVariable
from vcr_gen.gen.model.field_rules import names_parameter
from vcr_gen.gen.wrappers.generic_headers import generic_header
from vcr_gen.gen.wrappers.layout import Item, Nest
from vcr_gen.gen.wrappers.names import Names, declared_first
from vcr_gen.gen.wrappers.views import EventView, FieldView, FunctionView

__all__ = ["RUNTIME", "Event", "EventMaker", "arguments_for"]

RUNTIME = "vcr_gen.runtime"
_NARROWING = frozenset({"typing.TypeGuard", "typing.TypeIs"})


@dataclass(frozen=True)
class Event:
    """A typed event as the wrapper needs it: how to make one."""

    view: EventView
    fields: Mapping[str, str]
    """The field of each parameter."""
    variables: tuple[Reference, ...]
    """The type variables that it is generic in."""
    loose: frozenset[Reference] = frozenset()
    """Those in PEP 695 brackets that are a returned `Callable`'s own, and unknown to a method."""

    def made(self, values: Mapping[str, str]) -> Nest:
        """The expression that makes the event from parameters."""
        items = tuple(f"{field}={values.get(name, name)}" for name, field in self.fields.items())
        return Nest(f"{self.view.name}(", items, ")")


@dataclass(frozen=True)
class EventMaker:
    """Makes the events of one boundary."""

    names: Names
    boundary: Boundary
    variables: Mapping[Reference, TypeVariable]
    target: Annotation
    """The Protocol, with its own type parameters."""

    def call(
        self,
        name: str,
        key: str,
        member: str,
        signature: Signature,
        *,
        loose: bool = False,
        unseen: bool = False,
    ) -> Event:
        """The event of a method.

        It is `loose` where overloads take less than their implementation, and `unseen` by type
        checkers where the member is deprecated, of which only the wrapper's callers are to be
        warned, or has a mangled name, or no parameter for the instance but `*args`.
        """
        fields = [(one.name, self.field_type(one, signature, key)) for one in signature.parameters]
        returns = self.returned(signature)
        access = f"target.{member}"
        if unseen:
            access = f"{self.anything('target')}.{member}"
        if loose or unseen or any(one(signature) for one in (_has_pack, _overlaps, _spreads)):
            access = self.loosened(access, signature, returns)
        held = {one.name for one in signature.parameters if one.descriptor}
        values = {
            parameter: self.anything(f"self.{field}") if parameter in held else f"self.{field}"
            for parameter, field in self._fields(fields, signature).items()
        }
        inner = Nest(f"{access}(", arguments_for(self.names, signature, values), ")")
        body = _statement(signature, inner)
        return self._event(name, key, signature, fields, returns=returns, body=body)

    def get(self, name: str, key: str, signature: Signature, *, unseen: bool = False) -> Event:
        """The event of reading a property or attribute.

        It is `unseen` by type checkers where its name is mangled, or its value has a `__get__`
        which they think makes something else of it.
        """
        never = signature.returned == "never"  # which no type checker believes of an attribute
        returns = ANY if never else self.returned(signature)
        access = f"target.{key}"
        if unseen:
            access = f"{self.anything('target')}.{key}"
        if unseen and returns != ANY:
            cast, shown = self.names.own("typing", "cast"), self.names.quoted(unquoted(returns))
            access = f"{cast}({shown}, {access})"
        if never or signature.returned == "none":  # alone, `target.x` does nothing
            signature = replace(signature, returned="value")
        statement = _statement(signature, Nest(access, (), ""))
        return self._event(name, key, signature, [], returns=returns, body=statement)

    def set(
        self,
        name: str,
        key: str,
        member: str,
        signature: Signature,
        *,
        unseen: bool = False,
    ) -> Event:
        """The event of setting a property or attribute.

        It is `unseen` by type checkers where its name is mangled, or the Protocol's own empty
        `__slots__` forbid what an implementation has.
        """
        annotation = self.field_type(signature.parameters[0], signature, key)
        fields = [("value", annotation)]
        value = self.anything("self.value") if signature.parameters[0].descriptor else "self.value"
        target = self.anything("target") if unseen else "target"
        body = Nest(f"{target}.{member} = {value}", (), "")
        return self._event(name, key, signature, fields, returns=NONE, body=body)

    def delete(
        self, name: str, key: str, member: str, signature: Signature, *, unseen: bool = False
    ) -> Event:
        """The event of deleting a property."""
        target = self.anything("target") if unseen else "target"
        body = Nest(f"del {target}.{member}", (), "")
        return self._event(name, key, signature, [], returns=NONE, body=body)

    def anything(self, value: str, bound: Collection[str] = ()) -> str:
        """A value of which type checkers know nothing."""
        cast = self.names.own("typing", "cast", bound=bound)
        any_name = self.names.own("typing", "Any")
        return f'{cast}("{any_name}", {value})'

    def returned(self, signature: Signature) -> Annotation:
        """The declared result as the event says it."""
        if signature.managed is not None:
            asynchronous = signature.managed == "async with"
            kind = "AbstractAsyncContextManager" if asynchronous else "AbstractContextManager"
            inner = self.of_protocol(signature.entered or ANY, signature)
            return subscript(Name(imported("contextlib", kind)), inner)
        if full_name(signature.returns) in _NARROWING:
            return Name(builtin("bool"))  # it speaks of an argument, which the event has not
        return self.of_protocol(signature.returns or ANY, signature)

    def of_protocol(self, text: Annotation, signature: Signature) -> Annotation:
        """The text with `Self` replaced by the Protocol; every name in it can be evaluated."""
        plain = replace_nodes(text, _plain_builtin)
        return replace_self(plain, signature.self_type, self.target)

    def field_type(self, parameter: Parameter, signature: Signature, key: str) -> Annotation:
        """The type of the field that holds a parameter."""
        annotation = self.of_protocol(parameter.annotation or ANY, signature)
        if parameter.pack == "args":
            annotation = subscript(TUPLE, ANY, ELLIPSIS)
        elif parameter.pack == "kwargs":
            annotation = subscript(DICT, STR, ANY)
        elif parameter.pack == "dict":
            annotation = self.of_protocol(parameter.packed or ANY, signature)
        elif parameter.kind is Kind.VARIADIC:
            annotation = subscript(TUPLE, annotation, ELLIPSIS)
        elif parameter.kind is Kind.KEYWORDS:
            annotation = subscript(DICT, STR, annotation)
        member, _, change = key.partition("#")[0].partition(".")
        name = "value" if change == "set" else parameter.name
        for marker, listed in (
            ("Secret", self.boundary.secret),
            ("Volatile", self.boundary.volatile),
        ):
            if names_parameter(self.boundary, listed, member, name):
                mark = Name(imported("vcr_gen.boundary", marker))
                annotation = subscript(ANNOTATED, annotation, mark)
        return annotation

    def loosened(
        self, access: str, signature: Signature, returns: Annotation, bound: Collection[str] = ()
    ) -> str:
        """A function whose parameters a ParamSpec hides, called with whatever was recorded."""
        if signature.asynchronous:
            returns = subscript(Name(imported("collections.abc", "Awaitable")), returns)
        function = subscript(CALLABLE, ELLIPSIS, returns)
        shown = self.names.quoted(self.names.known(function))
        cast = self.names.own("typing", "cast", bound=bound)
        return f"{cast}({shown}, {access})"

    def _event(
        self,
        name: str,
        key: str,
        signature: Signature,
        fields: list[tuple[str, Annotation]],
        *,
        returns: Annotation,
        body: Nest,
    ) -> Event:
        members = self._fields(fields, signature)
        bound = frozenset(members.values())
        texts = [self.target, *(text for _, text in fields), returns]
        known = [one.reference for one in self.boundary.type_parameters]
        # What only a returned `Callable` mentions is that callable's own, and no type of the event.
        held = {*variables_of(texts[:-1])}
        held.update(
            node.reference
            for node, owners in walk_with_owners(returns)
            if isinstance(node, Name) and "typing.Callable" not in owners
        )
        others = [
            one
            for one in variables_of(texts)
            if one not in known and (one in held or one.kind == "parameter")
        ]
        local = {one.reference: one for one in signature.type_parameters}
        table = {**self.variables, **local}
        for one in self.boundary.type_parameters:
            table[one.reference] = one
        variables = declared_first(
            table.get(one, TypeVariable(one, "TypeVar")) for one in [*known, *others]
        )
        if local:  # brackets, which know no defaults before 3.13; an event is never left to them
            variables = [replace(one, default=None) for one in variables]
        awaited = "async " if signature.asynchronous else ""
        target = self.names.own_annotation(self.target, bound=bound)
        shown = self._annotation(returns, bound, lazy=signature.lazy)
        view = EventView(
            name=name,
            key=key,
            header=generic_header(
                self.names, name, variables, base=self.names.own(RUNTIME, "Call")
            ),
            fields=tuple(
                self._field(parameter, members[parameter], text, bound, lazy=signature.lazy)
                for parameter, text in fields
            ),
            call=FunctionView(
                (),
                Nest(f"{awaited}def __call__(", ("self", f"target: {target}"), f") -> {shown}:"),
                None,
                (body,),
            ),
        )
        loose = frozenset(others) - held
        return Event(view, members, tuple(one.reference for one in variables), loose)

    def _fields(self, fields: list[tuple[str, Annotation]], signature: Signature) -> dict[str, str]:
        """A legal, distinct field name for each parameter, other than the type parameters."""
        variables = (*self.boundary.type_parameters, *signature.type_parameters)
        hidden = {one.reference.spelling for one in variables if one.reference.kind == "parameter"}
        found: dict[str, str] = {}
        for parameter, _ in fields:
            name = parameter
            if "__" in parameter and parameter.startswith("_"):
                name = parameter.strip("_").rpartition("__")[2]
            while iskeyword(name) or name in {*found.values(), *hidden} or not name:
                name += "_"
            found[parameter] = name
        return found

    def _field(
        self,
        parameter: str,
        field: str,
        text: Annotation,
        bound: Collection[str],
        *,
        lazy: bool | None,
    ) -> FieldView:
        default = ""
        if parameter not in {field, "value"}:
            maker = self.names.own("dataclasses", "field", bound=bound)
            default = f'{maker}(metadata={{"parameter": "{parameter}"}})'
        return FieldView(field, self._annotation(text, bound, lazy=lazy), default)

    def _annotation(self, text: Annotation, bound: Collection[str], *, lazy: bool | None) -> str:
        """An annotation of the event's own, without the quotes that the source need not have."""
        shown = without_quotes(text) if self.names.lazy or lazy else text
        return self.names.annotation(shown, lazy=lazy, bound=bound)


def _plain_builtin(node: Annotation) -> Annotation | None:
    """`list` for `__builtins__.list`, which Python knows only in the module that is run."""
    if isinstance(node, Name) and node.reference.spelling.startswith("__builtins__."):
        return Name(builtin(node.reference.spelling.rpartition(".")[2]), node.tail)
    return None


def _has_pack(signature: Signature) -> bool:
    return any(one.pack in {"args", "kwargs"} for one in signature.parameters)


def _overlaps(signature: Signature) -> bool:
    """Whether `**kwargs` might repeat a parameter, as the positional ones given are not counted."""
    kinds = {one.kind for one in signature.parameters}
    omitted = any(
        one.default is not None and one.default.how == "omitted"
        for one in signature.parameters
        if one.kind is Kind.POSITIONAL
    )
    return omitted and kinds >= {Kind.VARIADIC, Kind.KEYWORDS}


def _spreads(signature: Signature) -> bool:
    """Whether a parameter is a function of any number of arguments between others.

    `Callable[[int, *tuple[str, ...]], None]` is another type to mypy where it is filled in.
    """
    return any(
        isinstance(node, Starred)
        and full_name(node.value) == "builtins.tuple"
        and "typing.Callable" in owners
        for parameter in signature.parameters
        for node, owners in walk_with_owners(parameter.annotation)
    )


def _statement(signature: Signature, inner: Nest) -> Nest:
    """The inner call as a statement of the event."""
    before = "await " if signature.asynchronous else ""
    if signature.managed is None and signature.returned in {"none", "never"}:
        return Nest(f"{before}{inner.before}", inner.items, inner.after)
    return Nest(f"return {before}{inner.before}", inner.items, inner.after)


def arguments_for(
    names: Names, signature: Signature, values: Mapping[str, str], bound: Collection[str] = ()
) -> tuple[Item, ...]:
    """The arguments of the inner call: positional where the parameter can be."""
    items: list[Item] = []
    keywords: list[Item] = []
    omitted: list[str] = []
    positional: list[str] = []
    variadic = any(one.kind is Kind.VARIADIC for one in signature.parameters)
    skipped = False
    for one in signature.parameters:
        value = values[one.name]
        is_omitted = one.default is not None and one.default.how == "omitted"
        match one.kind:
            case Kind.VARIADIC:
                if positional:
                    items.append(_spread(names, positional, bound))
                    positional = []
                items.append(f"*{value}")
            case Kind.KEYWORDS:
                keywords.append(f"**{value}")
            case Kind.KEYWORD:
                if is_omitted:
                    omitted.append(f"{one.name}={value}")
                else:
                    keywords.append(f"{one.name}={value}")
            case Kind.POSITIONAL_ONLY | Kind.POSITIONAL:
                if is_omitted or skipped:
                    skipped = True
                    if one.kind is Kind.POSITIONAL_ONLY or variadic:
                        positional.append(value)
                    elif is_omitted:
                        omitted.append(f"{one.name}={value}")
                    else:
                        keywords.append(f"{one.name}={value}")
                else:
                    items.append(value)
    if positional:
        items.append(_spread(names, positional, bound))
    if omitted:
        given = names.own(RUNTIME, "given", bound=bound)
        last = [one for one in keywords if isinstance(one, str) and one.startswith("**")]
        keywords = [one for one in keywords if one not in last]
        keywords.append(Nest(f"**{given}(", tuple(omitted), ")"))
        keywords.extend(last)
    return (*items, *keywords)


def _spread(names: Names, values: list[str], bound: Collection[str]) -> Nest:
    given = names.own(RUNTIME, "given_positional", bound=bound)
    return Nest(f"*{given}(", tuple(values), ")")
