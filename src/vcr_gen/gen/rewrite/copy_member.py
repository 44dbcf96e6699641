"""Copies the members of a class and its bases into a Protocol: their text, without body or value.

An `Owner` is one of these classes. It knows how the module of the Protocol spells its names.
"""

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import Final, TypeAlias, cast

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider

from vcr_gen.gen.rewrite.find_class import class_node, definition_of, type_variables
from vcr_gen.gen.rewrite.new_module import NewModule, code_of, last_word, respell, respell_text
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import Function, decode, yields
from vcr_gen.gen.types.scope import Scope, is_type_variable, parsed_string

Statement: TypeAlias = cst.ClassDef | cst.FunctionDef | cst.SimpleStatementLine
Member: TypeAlias = ast.AnnAssign | ast.FunctionDef | ast.AsyncFunctionDef
"""A statement that declares a member."""

_PROPERTIES: Final = {"abstractproperty", "cached_property"}
_KEPT: Final = {"classmethod", "deleter", "setter", "staticmethod"}
_DROPPED: Final = {"abstractmethod", "deprecated", "final", "override"}
_MANAGERS: Final = {
    "contextlib.contextmanager": "AbstractContextManager",
    "contextlib.asynccontextmanager": "AbstractAsyncContextManager",
}
_INVARIANT: Final = re.compile(r"\b(list|dict|set|deque|List|Dict|Set|type|Type)\[")
_FOR_TOOLS: Final = m.Comment(
    m.MatchRegex(r"#\s*(type:(?!.*overlap)|mypy:|pyright:|noqa|pragma:|pylint:).*")
)
_SIMPLE: Final = (ast.Constant, ast.UnaryOp, ast.USub, ast.Name, ast.Attribute, ast.Load, ast.Tuple)


class LeftOutError(Exception):
    """A public member that no Protocol can have as it is."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


@dataclass(frozen=True)
class Owner:
    """A class, and how the module of the Protocol spells its names."""

    loader: SourceLoader
    new: NewModule
    extracted: Definition
    definition: Definition
    known: Mapping[str, Callable[[], str]]
    """The spelling of type variables: the argument that a base gets, `Self`, or their name."""

    @property
    def node(self) -> ast.ClassDef:
        """The class statement."""
        return class_node(self.definition)

    @property
    def scope(self) -> Scope:
        """What names mean in the module of the class."""
        return Scope(self.loader, self.definition.module)

    def spell(self, name: str) -> str:
        """The spelling of a name in the module of the Protocol."""
        if name in self.known:
            return self.known[name]()
        module = self.definition.module
        inner = module.class_types(self.node).get(name)
        if inner is not None and not is_type_variable(self.loader, module, inner.node):
            return f"{self.new.spell(module, self.node.name)}.{name}"
        return self.new.spell(module, name)

    def spell_returned(self, name: str) -> str:
        """The spelling in a result: the class returns what fits the Protocol, but takes itself."""
        own = self.extracted
        if name != own.qualname:
            return self.spell(name)
        found = definition_of(self.loader, self.loader.follow(self.definition.module, name))
        is_own = found is not None and found.node is own.node
        # The Protocol of a generic class in a stub has no type variables.
        variables = own.module.is_stub and type_variables(self.loader, own)
        return self.new.protocol if is_own and not variables else self.spell(name)

    def lineage(self) -> list["Owner"]:
        """This class and its bases, as far as their source can be read."""
        found = [self]
        for base in self.node.bases:
            definition = self.scope.resolve(base)
            if self.definition.module.standard:
                definition = definition_of(self.loader, definition)
            if isinstance(definition, Definition) and isinstance(definition.node, ast.ClassDef):
                known = self._arguments(base, definition)
                for owner in replace(self, definition=definition, known=known).lineage():
                    if all(owner.node is not known_owner.node for known_owner in found):
                        found.append(owner)
        return found

    def _arguments(self, base: ast.expr, definition: Definition) -> dict[str, Callable[[], str]]:
        """The arguments of a base by its type variables; `Any` where none is given."""
        inner = getattr(base, "slice", None)
        given = inner.elts if isinstance(inner, ast.Tuple) else [inner] if inner else []
        variables = type_variables(self.loader, definition)
        texts = [_unquoted(argument) for argument in given[: len(variables)]]
        return {
            variable: partial(respell_text, text, self.spell)
            for variable, text in zip_longest(variables, texts, fillvalue="Any")
        }

    @cached_property
    def statements(self) -> Mapping[int, Statement]:
        """The class, its functions and its simple statements, by line."""
        every = decode(self.definition.module.path.read_bytes()).split("\n")
        lines = every[self.node.lineno - 1 : self.node.end_lineno]
        outer = "if True:" if lines[0][:1].isspace() else ""
        module = cst.parse_module("\n".join([outer, *lines]))
        places = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
        return {
            place.start.line + self.node.lineno - 2: statement
            for statement, place in places.items()
            if isinstance(statement, Statement)
        }

    @property
    def is_frozen(self) -> bool:
        """Whether attributes cannot be set: a frozen dataclass, a named tuple."""
        parts = [*self.node.bases, *self.node.decorator_list]
        return any(
            ("NamedTuple" in text or "frozen=True" in text) for text in map(ast.unparse, parts)
        )


def in_brackets(module: Module, node: ast.stmt) -> dict[str, Callable[[], str]]:
    """The type parameters in the brackets of a class or function, which keep their names."""
    names = [parameter.name for parameter in module.parsed.type_parameters(node)]
    return {name: partial(str, name) for name in names}


def _unquoted(argument: ast.expr) -> str:
    value = getattr(argument, "value", None)
    return value if isinstance(value, str) else ast.unparse(argument)


def copy_member(node: Member, owner: Owner) -> Statement:
    """The declaration of a member, without the comments that talk to a checker about its code."""
    copied = _attribute(node, owner) if isinstance(node, ast.AnnAssign) else _function(node, owner)
    return cast("Statement", m.replace(copied, _FOR_TOOLS, cst.RemoveFromParent()))


def _attribute(node: ast.AnnAssign, owner: Owner) -> cst.CSTNode:
    """The declaration of an attribute; a property where it cannot be set."""
    target = ast.unparse(node.target)
    line = owner.statements[node.lineno]
    if isinstance(line, cst.ClassDef):  # `class Point: x: int`
        line = cst.SimpleStatementLine(cast("cst.SimpleStatementSuite", line.body).body)
    assert isinstance(line, cst.SimpleStatementLine)
    annotation = next(
        part.annotation.annotation
        for part in line.body
        if isinstance(part, cst.AnnAssign) and code_of(part.target) == target
    )
    is_final = owner.scope.name_of(node.annotation) == "typing.Final"
    if is_final and isinstance(node.annotation, ast.Subscript):
        annotation = cst.parse_expression(ast.unparse(node.annotation.slice))
    elif is_final:
        kind = type(getattr(node.value, "value", None)).__name__
        annotation = cst.Name(kind if kind in {"bool", "int", "float", "str", "bytes"} else "Any")
    is_frozen = is_final or owner.is_frozen
    annotation = respell(annotation, owner.spell_returned if is_frozen else owner.spell)
    name = target.rpartition(".")[2]
    if is_frozen and "ClassVar" not in code_of(annotation):
        return cst.parse_statement(f"@property\ndef {name}(self) -> {code_of(annotation)}: ...")
    declared = cst.AnnAssign(cst.Name(name), cst.Annotation(annotation))
    return line.with_changes(body=[declared])


def _function(node: Function, owner: Owner) -> cst.CSTNode:
    """The signature of a method, with its decorators, comments and docstring."""
    original = cast("cst.FunctionDef", owner.statements[node.lineno])
    names = [owner.scope.name_of(decorator) for decorator in node.decorator_list]
    manager = next((_MANAGERS[name] for name in names if name in _MANAGERS), "")
    receiver, known = _receiver(node, owner, is_static="builtins.staticmethod" in names)
    inner = replace(owner, known={**owner.known, **known})
    is_plain = original.asynchronous is None or yields(node) or manager
    brackets = original.type_parameters
    return original.with_changes(
        decorators=[*_decorators(original.decorators, node, owner)],
        asynchronous=None if is_plain else original.asynchronous,
        type_parameters=brackets and respell(brackets, inner.spell),
        params=_parameters(original.params, receiver, inner),
        returns=cst.Annotation(_result(original, node, manager, inner)),
        body=_stub_body(original),
    )


def _stub_body(original: cst.FunctionDef) -> cst.BaseSuite:
    """`...`, which pyright asks for below a docstring too."""
    stub = cst.Expr(cst.Ellipsis())
    body = original.body
    if not isinstance(body, cst.IndentedBlock):
        return body.with_changes(body=[stub])
    if original.get_docstring() is None:
        return cst.SimpleStatementSuite([stub], trailing_whitespace=body.header)
    return body.with_changes(body=[body.body[0], cst.SimpleStatementLine([stub])], footer=[])


def _decorators(
    decorators: Sequence[cst.Decorator], node: Function, owner: Owner
) -> Iterator[cst.Decorator]:
    """The decorators that the copy has."""
    for decorator, tree in zip(decorators, node.decorator_list, strict=True):
        word, name = last_word(decorator.decorator), owner.scope.name_of(tree)
        if name == "builtins.property" or word in _PROPERTIES:
            yield decorator.with_changes(decorator=cst.Name("property"))
            return  # the decorators below it make the getter
        if word == "overload":
            yield decorator.with_changes(decorator=cst.Name(owner.new.add("typing", word)))
        elif word in _KEPT:
            yield decorator
        elif word not in _DROPPED and name not in _MANAGERS and not isinstance(tree, ast.Call):
            # A function, and what a call makes, nearly always keep the signature.
            found = definition_of(owner.loader, owner.scope.resolve(tree))
            if found is None or isinstance(found.node, ast.ClassDef):
                raise LeftOutError(
                    "VCR203", f"the decorator `{ast.unparse(tree)}` hides what it is"
                )


def _receiver(
    node: Function, owner: Owner, *, is_static: bool
) -> tuple[str, dict[str, Callable[[], str]]]:
    """The name of the first parameter, and the spelling of the method's own type variables."""
    known = in_brackets(owner.definition.module, node)
    positional = [*node.args.posonlyargs, *node.args.args]
    if is_static or (not positional and node.args.vararg):
        return "", known
    if not positional:
        raise LeftOutError("VCR204", "it has no parameter for the instance")
    named = positional[0].annotation
    if isinstance(named, ast.Constant):
        named = parsed_string(str(named.value))
    if isinstance(named, ast.Subscript) and ast.unparse(named.value) in {"type", "Type"}:
        named = named.slice
    found = definition_of(owner.loader, owner.scope.resolve(named)) if named else None
    is_variable = found and is_type_variable(owner.loader, found.module, found.node)
    if isinstance(named, ast.Name) and (is_variable or named.id in known):
        known[named.id] = partial(owner.new.add, "typing", "Self")
    elif named and (isinstance(named, ast.Subscript) or not found or found.node is not owner.node):
        reason = f"it annotates `{positional[0].arg}` with `{ast.unparse(named)}`"
        raise LeftOutError("VCR203", reason)
    return positional[0].arg, known


def _parameters(parameters: cst.Parameters, receiver: str, owner: Owner) -> cst.Parameters:
    def copied(parameter: cst.Param) -> cst.Param:
        annotation, default = parameter.annotation, parameter.default
        if parameter.name.value == receiver:
            return parameter.with_changes(annotation=None)
        if default is not None and _is_repeatable(default, owner):
            default = respell(default, owner.spell, strings=False)
        elif default is not None:
            default = cst.Ellipsis()
        if annotation is None:
            annotation = cst.Annotation(cst.Name(owner.new.add("typing", "Any")))
        else:
            spelled = respell(annotation.annotation, owner.spell)
            annotation = annotation.with_changes(annotation=spelled)
        return parameter.with_changes(
            annotation=annotation, default=default, equal=cst.MaybeSentinel.DEFAULT
        )

    star, pairs = parameters.star_arg, parameters.star_kwarg
    return parameters.with_changes(
        posonly_params=[copied(parameter) for parameter in parameters.posonly_params],
        params=[copied(parameter) for parameter in parameters.params],
        star_arg=copied(star) if isinstance(star, cst.Param) else star,
        kwonly_params=[copied(parameter) for parameter in parameters.kwonly_params],
        star_kwarg=pairs and copied(pairs),
    )


def _is_repeatable(default: cst.BaseExpression, owner: Owner) -> bool:
    """Whether a default is a literal or a global."""
    tree = ast.parse(code_of(default).strip(), mode="eval").body
    return all(
        isinstance(node, _SIMPLE)
        and (
            not isinstance(node, ast.Name)
            or hasattr(builtins, node.id)
            or owner.loader.binding(owner.definition.module, node.id) is not None
        )
        for node in ast.walk(tree)
    )


def _result(
    original: cst.FunctionDef, node: Function, manager: str, owner: Owner
) -> cst.BaseExpression:
    """The annotation of the result; what a generator yields, where it is a context manager."""
    container = owner.new.add("contextlib", manager) if manager else ""
    if original.returns is not None:
        result = original.returns.annotation
        result = _first_argument(result) if manager else result
        is_invariant = _INVARIANT.search(code_of(result))
        result = respell(result, owner.spell if is_invariant else owner.spell_returned)
    else:
        result = cst.Name(owner.new.add("typing", "Any"))
        if yields(node) and not manager:
            kind = "AsyncIterator" if isinstance(node, ast.AsyncFunctionDef) else "Iterator"
            container = owner.new.add("collections.abc", kind)
    return cst.parse_expression(f"{container}[{code_of(result)}]") if container else result


def _first_argument(annotation: cst.BaseExpression) -> cst.BaseExpression:
    """`T` of `Iterator[T]` or `Generator[T, None, None]`, as a string annotation too."""
    if isinstance(annotation, cst.SimpleString):
        annotation = cst.parse_expression(annotation.raw_value)
    if not isinstance(annotation, cst.Subscript):
        return cst.Name("object")
    return cst.parse_expression(code_of(annotation.slice[0].slice))
