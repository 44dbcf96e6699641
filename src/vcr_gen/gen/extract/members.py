"""Copies one member of a class into the form it has in a Protocol: a signature without a body."""

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from vcr_gen.gen.extract.decorators import HINT, MANAGERS, LeftOut, kept, manager_of, obstacle
from vcr_gen.gen.extract.defaults import repeated_default
from vcr_gen.gen.extract.generics import completed
from vcr_gen.gen.extract.imports import names_in
from vcr_gen.gen.extract.own_name import OwnName, is_type_variable, last_word, renamed
from vcr_gen.gen.extract.unannotated import returned_by
from vcr_gen.gen.extract.variables import Variables, bracketed, declared, variable_of
from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import Function, docstring_of, yields
from vcr_gen.gen.types.descriptors import names_descriptor
from vcr_gen.gen.types.scope import Scope, parsed_string

__all__ = ["Member", "Place", "copy_member", "is_public"]

_Node = TypeVar("_Node", bound=ast.AST)

_DUNDERS: Final = {
    f"__{name}__"
    for name in (
        *("call", "enter", "exit", "aenter", "aexit", "iter", "next", "aiter", "anext", "await"),
        *("len", "getitem", "setitem", "delitem", "contains", "reversed"),
    )
}
_ANY: Final = ("typing", "Any")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member, ready to be written."""

    name: str
    module: Module
    """Where it was declared, and where its names mean something."""
    text: str
    needs: frozenset[str]
    """Names of that module that the text uses."""
    ours: frozenset[tuple[str, str]] = frozenset()
    """Names that the copy brought in: (module, name)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where members are declared."""

    library: Library
    module: Module
    node: ast.ClassDef
    own: OwnName
    known: bool
    """Whether the name of the class means the class there."""
    extracted: bool
    """Whether this is that class, and not one that it inherits from."""
    variables: Variables
    """The type variables of the Protocol, as far as they are known."""
    arguments: Mapping[str, str]
    """What the type variables of the class stand for."""
    frozen: bool
    """Whether attributes cannot be set."""
    assigned: frozenset[str]
    """Attributes to which a class further down gives a value, and so perhaps another type."""

    @property
    def class_name(self) -> str:
        """What the class is called in the module of the Protocol."""
        return self.own.real if self.extracted else self.node.name


def is_public(name: str) -> bool:
    """Whether a member is part of what others may use."""
    return not name.startswith("_") or name in _DUNDERS


def copy_member(node: ast.stmt, place: Place) -> Member | LeftOut | None:
    """The member that a statement in a class body declares, or None when it declares none."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        _, annotation = _qualified(node.annotation, node.value)
        if _is_init_only(annotation):
            return None
        if names_descriptor(annotation, Scope(place.library, place.module)):
            reason = f"its type `{ast.unparse(annotation)}` is a descriptor, which gives another"
            return LeftOut("VCR203", reason, HINT)
        return _copy_attribute(node, _with_variables(names_in(node.annotation), node, place))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        left_out = obstacle(node, place.library, place.module)
        return left_out or _copy_function(node, _with_variables(_names_of(node), node, place))
    return None


def _with_variables(names: Iterable[str], node: ast.stmt, place: Place) -> Place:
    """The place, with what the names that only the class or the member knows are elsewhere."""
    module = place.module
    brackets = {one.name: bracketed(one, module) for one in module.parsed.type_parameters(node)}
    inner = module.class_types(place.node)
    elsewhere = dict(place.arguments)
    for name in names:
        if name in place.arguments and name not in brackets:
            continue
        variable = brackets.get(name)
        if variable is None and name in inner:
            variable = declared(inner[name].node, name, module)
            if variable is None:
                elsewhere[name] = f"{place.class_name}.{name}"
                continue
        variable = variable or variable_of(place.library, module, name)
        if variable is not None and not variable.is_everybodys:
            limited = variable.limited(lambda limit: _limit(limit, place))
            elsewhere[name] = place.variables.name_for(limited)
    return replace(place, arguments=elsewhere)


def _limit(limit: ast.expr, place: Place) -> ast.expr:
    """The bound of a type variable, as it is said in the module of the Protocol."""
    complete = completed(limit, Scope(place.library, place.module))
    return place.own.taken(complete) if place.known else complete


def _copy_attribute(node: ast.AnnAssign, place: Place) -> Member:
    ours: set[tuple[str, str]] = set()
    name = ast.unparse(node.target)
    annotation = _complete(_filled(copy.deepcopy(node.annotation), place), place)
    said, annotation = _qualified(annotation, node.value)
    frozen = place.frozen or "Final" in said or name in place.assigned
    if frozen and "ClassVar" not in said:
        annotation = place.own.given(annotation) if place.known else annotation
        text = f"@property\ndef {name}(self) -> {ast.unparse(annotation)}: ..."
    else:
        annotation = place.own.taken(annotation) if place.known else annotation
        text = f"{name}: {ast.unparse(annotation)}"
        if "ClassVar" in said:
            text = f"{name}: ClassVar[{ast.unparse(annotation)}]"
            ours.add(("typing", "ClassVar"))
    ours |= _brought(names_in(annotation), place)
    needs = frozenset(set(names_in(annotation)) - {name for _, name in ours})
    return Member(name=name, module=place.module, text=text, needs=needs, ours=frozenset(ours))


def _is_init_only(annotation: ast.expr) -> bool:
    """Whether a dataclass only hands it to its `__init__`, and does not keep it."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = parsed_string(annotation.value) or annotation
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return last_word(head) == "InitVar"


def _qualified(annotation: ast.expr, value: ast.expr | None) -> tuple[set[str], ast.expr]:
    """`Final` and `ClassVar` around an annotation, in any order, and what is inside."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        inner = parsed_string(annotation.value)
        said, opened = _qualified(inner, value) if inner is not None else (set(), annotation)
        return said, opened if said else annotation
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    word = last_word(head)
    if word not in {"Final", "ClassVar"}:
        return set(), annotation
    if isinstance(annotation, ast.Subscript):
        said, inside = _qualified(annotation.slice, value)
        return {word, *said}, inside
    constant = getattr(value, "value", None)
    if isinstance(constant, bool | int | float | str | bytes):
        return {word}, ast.Name(type(constant).__name__)
    return {word}, ast.Name("Any")


def _copy_function(original: Function, place: Place) -> Member:
    node = copy.deepcopy(original)
    decorators = {last_word(decorator): decorator for decorator in node.decorator_list}
    manager = manager_of(decorators, place.library, place.module)
    static = "staticmethod" in decorators
    ours = _annotate(node, place, skip_first=not static)
    if not static:
        _free_the_receiver(place, node, ours)
    if manager is not None and node.returns is not None:
        node.returns = ast.Subscript(ast.Name(MANAGERS[manager]), _first_argument(node.returns))
        ours = {one for one in ours if one[0] != "collections.abc"}
        ours.add(("contextlib", MANAGERS[manager]))
    _for_annotations(node, lambda one: _complete(_filled(one, place), place))
    if node.returns is not None:
        node.returns = _complete(_filled(node.returns, place), place)
    if place.known:
        _for_annotations(node, place.own.taken)
        node.returns = place.own.given(node.returns) if node.returns else None
    node.decorator_list = list(kept(decorators, ours, place.library, place.module))
    if hasattr(node, "type_params"):
        node.type_params = []  # older Pythons do not know them; the variables are declared
    doc = docstring_of(original)
    node.body = [ast.Expr(ast.Constant(...))]  # pyright takes a docstring alone for a real body
    if doc:
        node.body.insert(0, ast.Expr(ast.Constant(f"{doc}\n" if "\n" in doc else doc)))
    # Without a `yield` in its body, `async def` would promise a coroutine that gives an iterator.
    plain = isinstance(original, ast.AsyncFunctionDef) and (yields(original) or manager is not None)
    text = ast.unparse(ast.fix_missing_locations(node))
    if plain:
        text = text.replace("async def ", "def ", 1)
    ours |= _brought(_names_of(node), place)
    brought = {name for _, name in ours}
    needs = frozenset(set(_names_of(node)) - brought)
    return Member(name=node.name, module=place.module, text=text, needs=needs, ours=frozenset(ours))


def _filled(annotation: _Node, place: Place) -> _Node:
    """An annotation in which the type variables of a base say what they stand for."""
    for variable, argument in place.arguments.items():
        if argument != variable and variable in names_in(annotation):
            annotation = renamed(annotation, variable, argument)
    return annotation


def _complete(annotation: ast.expr, place: Place) -> ast.expr:
    """An annotation in which every generic class has arguments, `Any` if there is nothing else."""
    return completed(annotation, Scope(place.library, place.module))


def _brought(names: Iterable[str], place: Place) -> set[tuple[str, str]]:
    """Where `Any` comes from, if a copy says it and its module does not know it."""
    unknown = place.library.binding(place.module, "Any") is None
    return {_ANY} if unknown and "Any" in names else set()


def _free_the_receiver(place: Place, node: Function, ours: set[tuple[str, str]]) -> None:
    """Take the annotation of `self` away: the Protocol is not that class.

    Where it is a type variable, `Self` says the same; but not as the argument of a generic class,
    which may take nothing less than the class.
    """
    receiver = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    if receiver is None or receiver.annotation is None:
        return
    named, receiver.annotation = receiver.annotation, None
    if isinstance(named, ast.Subscript) and last_word(named.value) in {"type", "Type"}:
        named = named.slice
    if isinstance(named, ast.Name) and _is_variable(place, node, named.id):
        receiver_of = OwnName(named.id, "Self")
        _for_annotations(node, receiver_of.given)
        node.returns = node.returns and receiver_of.given(node.returns)
        ours.update(("typing", "Self") for name in _names_of(node) if name == "Self")
        real = f"{place.own.real}{place.own.brackets}"
        _for_annotations(node, lambda one: renamed(one, named.id, real))
        node.returns = node.returns and renamed(node.returns, named.id, real)


def _is_variable(place: Place, node: Function, name: str) -> bool:
    """Whether a name in a signature is a type variable: of the module, or in its brackets."""
    brackets = place.module.parsed.type_parameters(node)
    binding = place.module.binding(name)
    return any(one.name == name for one in brackets) or (
        binding is not None
        and (is_type_variable(binding.node) or bool(variable_of(place.library, place.module, name)))
    )


def _annotate(node: Function, place: Place, *, skip_first: bool) -> set[tuple[str, str]]:
    """Fill in what is not annotated, and replace defaults that only the original can compute.

    Gives the names that this brings in.
    """
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    receiver = positional[0] if skip_first and positional else None
    arguments.defaults = [
        repeated_default(value, argument.annotation, place.library, place.module)
        for value, argument in zip(
            arguments.defaults, positional[-len(arguments.defaults) :], strict=False
        )
    ]
    arguments.kw_defaults = [
        value and repeated_default(value, argument.annotation, place.library, place.module)
        for value, argument in zip(arguments.kw_defaults, arguments.kwonlyargs, strict=True)
    ]
    for argument in _arguments_of(node):
        if argument.annotation is None and argument is not receiver:
            argument.annotation = ast.Name("Any")
    ours: set[tuple[str, str]] = set()
    if node.returns is None and place.module.is_stub:
        node.returns = ast.Name("Any")
    elif node.returns is None:
        on_class = any(last_word(one) == "classmethod" for one in node.decorator_list)
        itself = receiver.arg if receiver and not on_class else ""
        node.returns, ours = returned_by(node, itself)
    return ours


def _first_argument(annotation: ast.expr) -> ast.expr:
    """`T` of `Iterator[T]` or `Generator[T, None, None]`, as a string annotation too."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if not isinstance(annotation, ast.Subscript):
        return ast.Name("object")
    inner = annotation.slice
    return inner.elts[0] if isinstance(inner, ast.Tuple) else inner


def _names_of(node: Function) -> Iterator[str]:
    """The names in the signature; of the decorators only ours are left, or the property's."""
    arguments = node.args
    for argument in _arguments_of(node):
        if argument.annotation is not None:
            yield from names_in(argument.annotation)
    for value in [*arguments.defaults, *arguments.kw_defaults]:
        if value is not None and not isinstance(value, ast.Constant):
            # The strings in a default are values, not annotations.
            yield from (one.id for one in ast.walk(value) if isinstance(one, ast.Name))
    if node.returns is not None:
        yield from names_in(node.returns)


def _for_annotations(node: Function, change: Callable[[ast.expr], ast.expr]) -> None:
    """Change the annotations of the parameters; the strings in their defaults are values."""
    for argument in _arguments_of(node):
        if argument.annotation is not None:
            argument.annotation = change(argument.annotation)


def _arguments_of(node: Function) -> list[ast.arg]:
    """Every parameter, in the order of kinds."""
    arguments = node.args
    others = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *others]
