"""Objects of ordinary classes are stored by their attributes, and no code of theirs runs."""

import asyncio
import logging
import queue
import threading
from argparse import Namespace
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import pytest

from vcr_gen.boundary import Secret, Unrecorded
from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.runtime.codec import Compiler, Registry

T = TypeVar("T")
COMPILER = Compiler(registry=Registry())


def never(*_: object, **__: object) -> Any:
    raise AssertionError("the codec has run code of the class")


class Address:
    def __init__(self, street: str) -> None:
        self.street = street


class Customer:
    born: date
    kind: ClassVar[str] = "person"

    def __init__(self, name: str, born: date, address: Address | None = None) -> None:
        self.name = name
        self.born = born
        self.__notes = ["first"]
        self.address = address

    @cached_property
    def greeting(self) -> str:
        return f"Hello {self.name}"

    @property
    def notes(self) -> list[str]:
        return self.__notes


class Member(Customer):
    def __init__(self, name: str, number: int) -> None:
        super().__init__(name, date(2001, 2, 3))
        self.number = number


class Slotted:
    __slots__ = ("__hidden", "left", "right")

    def __init__(self, left: int) -> None:
        self.left = left
        self.__hidden = 1

    def hidden(self) -> int:
        return self.__hidden


class Guarded:
    """Every way in but the codec's is closed."""

    def __init__(self) -> None:
        vars(self)["value"] = 1

    __setattr__ = __setstate__ = __getstate__ = __reduce_ex__ = __eq__ = __hash__ = never


class Box(Generic[T]):
    content: T

    def __init__(self, content: T) -> None:
        self.content = content


class Person:
    """One of a graph of objects."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.friends: list[Person] = []


def there_and_back(annotation: Any, value: object) -> Any:
    codec = COMPILER.codec(annotation)
    return codec.decode(codec.encode(value))


def test_the_file_shows_the_attributes() -> None:
    customer = Customer("Ann", date(1999, 1, 2), Address("Main"))
    assert customer.greeting == "Hello Ann"  # computed from the others, so not stored
    assert COMPILER.codec(Customer).encode(customer) == {
        "name": "Ann",
        "born": "1999-01-02",
        "_Customer__notes": ["first"],
        "address": {"$type": f"{__name__}.Address", "street": "Main"},
    }


@pytest.mark.parametrize("annotation", [Customer, Customer | None, list[Customer], object])
def test_an_object_comes_back_with_its_class_and_attributes(annotation: Any) -> None:
    customer = Customer("Ann", date(1999, 1, 2), Address("Main"))
    whole: Any = [customer] if annotation == list[Customer] else customer
    back = there_and_back(annotation, whole)
    back = back[0] if annotation == list[Customer] else back
    assert type(back) is Customer
    assert (back.name, back.born, back.notes) == ("Ann", date(1999, 1, 2), ["first"])
    assert type(back.address) is Address
    assert back.greeting == "Hello Ann"


def test_a_subclass_is_named() -> None:
    plain: Any = COMPILER.codec(Customer).encode(Member("Bo", 7))
    assert plain["$type"] == f"{__name__}.Member"
    back = there_and_back(Customer, Member("Bo", 7))
    assert type(back) is Member
    assert (back.name, back.number) == ("Bo", 7)


def test_slots_come_back_where_they_are_set() -> None:
    back = there_and_back(Slotted, Slotted(3))
    assert (back.left, back.hidden()) == (3, 1)
    assert not hasattr(back, "right")


def test_no_code_of_the_class_runs() -> None:
    back = there_and_back(Guarded, Guarded())
    assert type(back) is Guarded
    assert vars(back) == {"value": 1}


def test_type_arguments_say_what_is_inside() -> None:
    codec = COMPILER.codec(Box[date])
    assert codec.encode(Box(date(2020, 1, 1))) == {"content": "2020-01-01"}
    assert codec.decode({"content": "2020-01-01"}).content == date(2020, 1, 1)


def test_a_class_of_the_standard_library_is_an_ordinary_one() -> None:
    assert there_and_back(Namespace, Namespace(a=1, b=[2])) == Namespace(a=1, b=[2])


def test_the_same_object_at_two_places_comes_back_as_one() -> None:
    ann, bo = Person("Ann"), Person("Bo")
    codec = COMPILER.codec(list[Person])
    plain = codec.encode([ann, bo, ann])
    assert plain == [
        {"$id": 1, "name": "Ann", "friends": []},
        {"name": "Bo", "friends": []},
        {"$same": 1},
    ]
    first, second, third = codec.decode(plain)
    assert first is third
    assert first is not second


def test_equal_objects_are_not_made_one() -> None:
    first, second = there_and_back(list[Person], [Person("Ann"), Person("Ann")])
    assert first is not second


@pytest.mark.parametrize("annotation", [Person, object, Person | int])
def test_objects_that_refer_to_each_other_come_back_so(annotation: Any) -> None:
    ann, bo = Person("Ann"), Person("Bo")
    ann.friends, bo.friends = [bo, ann], [ann]
    back = there_and_back(annotation, ann)
    assert [friend.name for friend in back.friends] == ["Bo", "Ann"]
    assert back.friends[1] is back
    assert back.friends[0].friends[0] is back


def test_an_object_inside_a_dataclass_and_outside_is_one() -> None:
    @dataclass
    class Pair:
        left: Person
        right: Any

    ann = Person("Ann")
    back = there_and_back(Pair, Pair(ann, {"also": ann}))
    assert back.left is back.right["also"]


class Wrongly:
    """Its annotations are not what it holds, as in many a class."""

    owner: Customer
    size: int
    missing: "NotImported"  # type: ignore[name-defined] # noqa: F821
    several: "list[NotImported]"  # type: ignore[name-defined] # noqa: F821
    tokens: list[Annotated[str, Secret]]

    def __init__(self) -> None:
        self.owner: Any = None
        self.size: Any = "automatic"
        self.missing = Address("Main")
        self.several = [Address("Side")]


def test_an_attribute_may_hold_what_its_annotation_does_not_say() -> None:
    plain: Any = COMPILER.codec(Wrongly).encode(Wrongly())
    assert plain["owner"] is None
    assert plain["size"] == {"$other": "automatic"}
    back = there_and_back(Wrongly, Wrongly())
    assert (back.owner, back.size) == (None, "automatic")
    assert (back.missing.street, back.several[0].street) == ("Main", "Side")


def test_a_value_of_another_type_is_not_stored_in_place_of_a_secret() -> None:
    wrong = Wrongly()
    wrong.tokens = ("hunter2",)  # type: ignore[assignment]
    with pytest.raises(EncodeError) as caught:
        COMPILER.codec(Wrongly).encode(wrong)
    assert "hunter2" not in str(caught.value)


def test_attributes_may_have_any_names() -> None:
    address = Address("Main")
    vars(address).update({"house number": 7, "__doc__": "Its own."})
    assert vars(there_and_back(Address, address)) == vars(address)


def test_what_typing_sets_is_not_stored() -> None:
    assert vars(there_and_back(Box[int], Box[int](1))) == {"content": 1}


@dataclass
class Strict:
    owner: Person
    number: int


@dataclass
class Loose:
    owner: Person
    number: str


def test_a_place_that_refuses_an_object_does_not_count() -> None:
    ann = Person("Ann")
    first, second = there_and_back(list[Strict | Loose | Person], [Loose(ann, "x"), Strict(ann, 1)])
    assert first.owner is second.owner
    back = there_and_back(list[dict[str, Person | int] | Any], [{"a": ann, "b": "x"}, ann])
    assert back[0]["a"] is back[1]


def test_the_place_of_a_secret_does_not_count() -> None:
    class Kept:
        def __init__(self) -> None:
            self.first: Any = Person("Ann")
            self.second = self.first

    Kept.__annotations__ = {"first": Annotated[Any, Secret]}
    plain = COMPILER.codec(Kept).encode(Kept())
    assert plain == {
        "first": "<redacted>",
        "second": {"$type": f"{__name__}.Person", "name": "Ann", "friends": []},
    }


class Logs:
    def __init__(self, logger: logging.Logger) -> None:
        self.logger = logger


class OwnLogger(logging.Logger):
    """As some libraries have one."""


def test_a_logger_is_stored_by_its_name() -> None:
    logger = logging.getLogger("shop.orders")
    assert COMPILER.codec(Logs).encode(Logs(logger)) == {
        "logger": {"$type": "logging.Logger", "$value": "shop.orders"}
    }
    assert there_and_back(Logs, Logs(logger)).logger is logger
    assert there_and_back(logging.Logger, logging.getLogger()) is logging.getLogger()


def test_a_logger_that_its_name_does_not_lead_to_is_refused() -> None:
    with pytest.raises(EncodeError, match="does not give"):
        COMPILER.codec(Logs).encode(Logs(logging.Logger("shop.orders")))
    with pytest.raises(DecodeError):
        COMPILER.codec(OwnLogger).decode("shop.orders")


class Marked:
    password: Annotated[str, Secret]
    lock: Annotated[threading.Lock, Unrecorded]

    def __init__(self) -> None:
        self.password = "hunter2"
        self.lock = threading.Lock()


def test_the_words_in_the_annotations_of_a_class_count() -> None:
    codec = COMPILER.codec(Marked)
    plain = codec.encode(Marked())
    assert plain == {"password": "<redacted>"}
    assert codec.decode(plain).lock is None


class Job:
    def __init__(self) -> None:
        self.parts = [{"guard": threading.Lock()}]


def test_what_cannot_be_stored_is_refused_with_the_attribute_and_ways_out() -> None:
    with pytest.raises(EncodeError) as caught:
        COMPILER.codec(Job).encode(Job())
    assert caught.value.path == "$.parts[0].guard"
    for way in ("@outbound or @inbound", "Unrecorded", "registry.register("):
        assert way in caught.value.hint


class Deleting:
    def __del__(self) -> None:
        raise AssertionError("dropped")


class Reading:
    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        return 1


LIVE: dict[str, type] = {
    "finalizer": Deleting,
    "iterator": Reading,
    "thread": threading.Thread,
    "asyncio queue": asyncio.Queue,
    "queue": queue.Queue,
    "lock": type(threading.Lock()),
    "generator": type(_ for _ in ()),
    "object": object,
}


@pytest.mark.parametrize("name", LIVE)
def test_a_copy_of_what_is_alive_is_refused_on_both_sides(name: str) -> None:
    cls = LIVE[name]
    with pytest.raises(DecodeError):
        COMPILER.codec(object).decode({"$type": f"{cls.__module__}.{cls.__qualname__}"})
    if cls in (Reading, queue.Queue):
        with pytest.raises(EncodeError, match=cls.__name__):
            COMPILER.codec(cls).encode(cls())


HOSTILE: dict[str, tuple[Any, Any]] = {
    "a class elsewhere": (Address, {"$type": f"{__name__}.Person", "name": "x"}),
    "special attribute": (Address, {"street": "a", "__class__": "b"}),
    "no name": (Address, {"$street": 1}),
    "computed attribute": (Customer, {"greeting": "Hello"}),
    "other value, with more": (Customer, {"born": {"$other": 5, "born": 5}}),
    "no attributes": (Address, ["street"]),
    "unknown slot": (Slotted, {"left": 1, "middle": 2}),
    "wrong type": (Customer, {"born": 5}),
    "unknown number": (Person, {"$same": 4}),
    "a number twice": (
        Person,
        {"$id": 1, "name": "a", "friends": [{"$type": f"{__name__}.Person", "$id": 1}]},
    ),
    "number no number": (Person, {"$id": "1", "name": "a"}),
    "a number of another class": (
        Box[Address],
        {"$id": 1, "content": {"$same": 1}},
    ),
    "a class that is not a class": (object, {"$type": f"{__name__}.never"}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_no_recording_wrote_is_refused(name: str) -> None:
    annotation, plain = HOSTILE[name]
    with pytest.raises(DecodeError):
        COMPILER.codec(annotation).decode(plain)


def test_after_a_refusal_numbers_begin_anew() -> None:
    codec = COMPILER.codec(list[Person])
    with pytest.raises(DecodeError):
        codec.decode([{"$id": 1, "name": "a", "friends": []}, 5])
    with pytest.raises(DecodeError):
        codec.decode([{"$same": 1}])


class Area(Protocol):
    @property
    def street(self) -> str: ...


class Walks(Protocol):
    def walk(self) -> None: ...


def test_a_protocol_of_attributes_describes_data() -> None:
    assert there_and_back(Area, Address("Main")).street == "Main"


def test_an_object_is_no_data_where_a_protocol_has_methods() -> None:
    with pytest.raises(EncodeError) as caught:
        COMPILER.codec(Walks).encode(Address("Main"))
    assert "mark it with @outbound or @inbound" in caught.value.hint


@pytest.mark.parametrize("cls", [Address, Walks])
def test_an_attribute_may_hold_a_class(cls: type) -> None:
    box = there_and_back(Box, Box(cls))
    assert box.content is cls


def test_a_registry_can_refuse_them() -> None:
    compiler = Compiler(registry=Registry(declared_only=True))
    for value in (Address("Main"), Address):
        with pytest.raises(EncodeError, match="Address"):
            compiler.codec(object).encode(value)
    with pytest.raises(EncodeError, match="Address"):
        compiler.codec(Address).encode(Address("Main"))


class Label(str):
    color: str

    def __new__(cls, text: str, color: str) -> "Label":
        made = super().__new__(cls, text)
        made.color = color
        return made


class Moment(datetime):
    def __new__(cls, *parts: Any, note: str = "", **more: Any) -> "Moment":
        made = super().__new__(cls, *parts, **more)
        made.note = note  # type: ignore[attr-defined]
        return made


class Table(dict[str, int]):
    def __init__(self, title: str) -> None:
        super().__init__(rows=1)
        self.title = title


class Ordered(OrderedDict[str, int]):
    """Keeps its order beside what a dict has."""


class Grouped(defaultdict[str, list[int]]):
    """Keeps its factory."""


class Queue(deque[int]):
    """A deque."""


class Weeks(timedelta):
    """Without attributes."""


EXTENDED: dict[str, tuple[object, Any]] = {
    "str": (Label("a", "red"), {"$extended": {"$value": "a", "color": "red"}}),
    "datetime": (
        Moment(2020, 1, 2, tzinfo=UTC, note="x"),
        {"$extended": {"$value": "2020-01-02T00:00:00+00:00", "note": "x"}},
    ),
    "dict": (Table("t"), {"$extended": {"$value": {"rows": 1}, "title": "t"}}),
    "ordered": (Ordered(b=1, a=2), [["b", 1], ["a", 2]]),
    "grouped": (
        Grouped(list, {"a": [1]}),
        {"$factory": ["list", {"a": [1]}]},
    ),
    "queue": (Queue([1, 2]), [1, 2]),
    "without attributes": (Weeks(days=7), "7 days, 0:00:00"),
}


@pytest.mark.parametrize("name", EXTENDED)
def test_a_subclass_of_a_type_of_python_keeps_its_attributes(name: str) -> None:
    value, plain = EXTENDED[name]
    assert COMPILER.codec(type(value)).encode(value) == plain
    for annotation in (type(value), object):
        back = there_and_back(annotation, value)
        assert type(back) is type(value)
        assert back == value
        assert vars(back) == vars(value)
        assert repr(back) == repr(value)


@pytest.mark.parametrize(
    "plain", [{"$extended": 1}, {"$extended": {"color": "red"}}, {"$extended": {"$value": 1}}]
)
def test_an_extended_value_must_be_whole(plain: Any) -> None:
    with pytest.raises(DecodeError):
        COMPILER.codec(Label).decode(plain)


def test_a_named_tuple_may_check_what_it_is_made_of() -> None:
    class Range(NamedTuple("Range", [("low", int), ("high", int)])):
        def __new__(cls, low: int, high: int) -> "Range":
            if low > high:
                raise TypeError("upside down")
            return super().__new__(cls, low, high)

    assert COMPILER.codec(Range).encode(Range(1, 2)) == {"low": 1, "high": 2}
    for annotation in (Range, object):
        back = there_and_back(annotation, Range(1, 2))
        assert (type(back), back) == (Range, (1, 2))


def test_an_error_of_the_class_is_an_error_of_the_value() -> None:
    class Pair(NamedTuple):
        left: int

    class Checked(Pair):
        @property
        def left(self) -> int:
            raise TypeError("not now")

    with pytest.raises(EncodeError, match="TypeError: not now"):
        COMPILER.codec(Checked).encode(Checked(1))
