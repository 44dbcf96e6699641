"""Every way in which a replay can fail, each in a few lines: what was recorded, what happens now.

A situation raises the error that a user would see; `expected/<name>.txt` has its text.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from shop.ports import Address, Order
from shop.real import (
    RealBank,
    RealDatabase,
    RealDoor,
    RealFeed,
    RealMailer,
    RealWarehouse,
)
from vcr_shop import (
    TillBuy,
    VcrBank,
    VcrDatabase,
    VcrDeskBefore,
    VcrDeskWithMore,
    VcrDoor,
    VcrFeed,
    VcrMailerBefore,
    VcrMailerRenamed,
    VcrMailerRetyped,
    VcrMailerWithLess,
    VcrMailerWithMore,
    VcrMailerWithoutPost,
    VcrTill,
    VcrWarehouse,
)

from vcr_gen import Cassette, Driver

TAPE = Path("cassettes/checkout.yaml")
SITUATIONS: dict[str, Callable[[], None]] = {}

Program = Callable[[Any], Any]


def situation(function: Callable[[], None]) -> Callable[[], None]:
    """List a situation under its name."""
    SITUATIONS[function.__name__] = function
    return function


def finish(result: Any) -> None:
    """Run what a coroutine function made."""
    if asyncio.iscoroutine(result):
        asyncio.run(result)


def record(wrapper: Any, real: Any, program: Program) -> None:
    with Cassette(TAPE, "all") as cassette:
        finish(program(wrapper.attach(cassette, real)))


def replay(wrapper: Any, program: Program, mode: str = "none", **options: Any) -> None:
    with Cassette(TAPE, mode, **options) as cassette:
        finish(program(wrapper.attach(cassette, RealBank)))


def bank(recorded: Program, actual: Program, **options: Any) -> None:
    """Record a program that uses the bank, and replay another."""
    record(VcrBank, RealBank, recorded)
    replay(VcrBank, actual, **options)


def warehouse(recorded: Program, actual: Program) -> None:
    record(VcrWarehouse, RealWarehouse, recorded)
    replay(VcrWarehouse, actual)


def feed(recorded: Program, actual: Program) -> None:
    record(VcrFeed, RealFeed, recorded)
    replay(VcrFeed, actual)


def database(recorded: Program, actual: Program) -> None:
    record(VcrDatabase, RealDatabase, recorded)
    replay(VcrDatabase, actual)


def door(recorded: Program, actual: Program) -> None:
    record(VcrDoor, RealDoor, recorded)
    replay(VcrDoor, actual)


# Arguments ----------------------------------------------------------------------------------------


@situation
def an_argument_changed() -> None:
    bank(lambda b: b.pay("ann", 10), lambda b: b.pay("ann", 11))


@situation
def an_argument_changed_and_make_records() -> None:
    bank(lambda b: b.pay("ann", 10), lambda b: b.pay("ann", 11), record_with="make record")


@situation
def an_argument_of_an_async_call_changed() -> None:
    async def recorded(b: Any) -> None:
        await b.rate("usd")

    async def actual(b: Any) -> None:
        await b.rate("eur")

    bank(recorded, actual)


ORDER = Order(7, ("tea", "milk"), Address("1 Long Lane", "London"))


@situation
def a_nested_field_changed() -> None:
    other = replace(ORDER, address=Address("1 Long Lane", "Leeds"))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def several_fields_changed() -> None:
    other = Order(8, ("tea", "cream"), Address("2 Long Lane", "Leeds"))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def a_list_is_longer() -> None:
    other = replace(ORDER, items=("tea", "milk", "sugar"))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def a_list_is_shorter() -> None:
    other = replace(ORDER, items=("tea",))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def a_key_was_added_and_another_removed() -> None:
    warehouse(
        lambda w: w.tag({"size": 1, "fragile": True}),
        lambda w: w.tag({"size": 1, "heavy": True}),
    )


@situation
def the_type_of_a_value_changed() -> None:
    warehouse(lambda w: w.tag({"size": 1}), lambda w: w.tag({"size": "1"}))


STORY = "\n".join(f"line {number} of a long note to the warehouse" for number in range(1, 31))


@situation
def a_long_text_changed_in_two_lines() -> None:
    other = STORY.replace("line 9 of a long", "line 9 of a very long").replace(
        "line 20 of", "line 20 at the end of"
    )
    warehouse(lambda w: w.note(STORY), lambda w: w.note(other))


@situation
def a_long_text_lost_a_line() -> None:
    other = STORY.replace("line 12 of a long note to the warehouse\n", "")
    warehouse(lambda w: w.note(STORY), lambda w: w.note(other))


@situation
def a_long_line_changed_in_its_middle() -> None:
    before, after = "word " * 60, "end " * 60
    warehouse(
        lambda w: w.note(f"{before}two bottles of red wine {after}"),
        lambda w: w.note(f"{before}two bottles of white wine {after}"),
    )


@situation
def a_text_has_control_characters() -> None:
    warehouse(lambda w: w.note("a\tb\x1b[31m"), lambda w: w.note("a b\x1b[32m"))


@situation
def an_argument_beside_a_secret_changed() -> None:
    bank(lambda b: b.login("ann", "hunter2"), lambda b: b.login("bob", "hunter3"))


@situation
def a_path_outside_of_the_anchors_changed() -> None:
    warehouse(lambda w: w.label(Path("/a/one.txt")), lambda w: w.label(Path("/a/two.txt")))


# Calls that come, come not, or come at another time -----------------------------------------------


@situation
def two_calls_changed_places() -> None:
    def recorded(b: Any) -> None:
        b.pay("ann", 10)
        b.pay("bob", 20)

    def actual(b: Any) -> None:
        b.pay("bob", 20)
        b.pay("ann", 10)

    bank(recorded, actual)


@situation
def a_call_was_dropped() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(recorded, lambda b: b.pay("ann", 10))


@situation
def a_call_was_dropped_and_the_next_one_changed() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(recorded, lambda b: b.pay("ann", 0))


@situation
def a_call_was_added() -> None:
    def actual(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(lambda b: b.pay("ann", 10), actual)


@situation
def a_call_was_added_at_the_end() -> None:
    def actual(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(lambda b: b.balance("ann"), actual)


@situation
def a_call_was_repeated() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    def actual(b: Any) -> None:
        b.balance("ann")
        b.balance("ann")
        b.pay("ann", 10)

    bank(recorded, actual)


@situation
def one_of_many_calls_is_like_others() -> None:
    def recorded(b: Any) -> None:
        for name in ("ann", "bob", "cid", "dee"):
            b.pay(name, 10)

    bank(recorded, lambda b: b.pay("cid", 12))


# Streams, handles, properties, context managers ---------------------------------------------------


@situation
def a_stream_was_closed_early() -> None:
    def actual(f: Any) -> None:
        prices = f.prices("tea")
        next(prices)
        prices.close()

    feed(lambda f: list(f.prices("tea")), actual)


@situation
def a_stream_is_read_further_than_recorded() -> None:
    def recorded(f: Any) -> None:
        prices = f.prices("tea")
        next(prices)
        prices.close()

    feed(recorded, lambda f: list(f.prices("tea")))


@situation
def an_async_stream_is_no_longer_read() -> None:
    async def recorded(f: Any) -> None:
        async for _ in f.ticks("tea"):
            pass

    async def actual(f: Any) -> None:
        await anext(f.ticks("tea"))

    feed(recorded, actual)


@situation
def another_value_was_sent_into_a_stream() -> None:
    def program(word: str) -> Program:
        def bargain(f: Any) -> None:
            offers = f.bargain("tea")
            next(offers)
            offers.send(word)
            offers.close()

        return bargain

    feed(program("less"), program("more"))


@situation
def a_call_on_a_handle_changed() -> None:
    database(lambda d: d.connect("a").query("one"), lambda d: d.connect("a").query("two"))


@situation
def a_call_on_another_handle() -> None:
    def program(which: int) -> Program:
        def use(d: Any) -> None:
            (d.connect("a"), d.connect("b"))[which].query("one")

        return use

    database(program(0), program(1))


@situation
def a_property_was_set_to_another_value() -> None:
    def program(colour: str) -> Program:
        return lambda d: setattr(d, "colour", colour)

    door(program("red"), program("blue"))


@situation
def a_context_manager_was_left_with_an_error() -> None:
    def recorded(d: Any) -> None:
        with d.transaction("t"):
            pass

    def actual(d: Any) -> None:
        with d.transaction("t"):
            raise ValueError("no stock")

    database(recorded, actual)


# What the application answers ---------------------------------------------------------------------


class Shop:
    """The application: sells what it has, and may ask the bank."""

    def __init__(self, bank: Any = None, greeting: str = "sold") -> None:
        self.bank = bank
        self.greeting = greeting

    def buy(self, item: str) -> str:
        if self.bank is not None:
            self.bank.pay("shop", len(item))
        return f"{self.greeting} {item}"

    async def order(self, item: str) -> str:
        return self.buy(item)

    def receipt(self, lines: int) -> Iterator[str]:
        yield from (f"{self.greeting} {number}" for number in range(lines))


def record_till(environment: Program, shop: Callable[[Any], Any] = lambda _: Shop()) -> None:
    with Cassette(TAPE, "all") as cassette:
        real = VcrBank.attach(cassette, RealBank)
        finish(environment(VcrTill(cassette=cassette, inner=shop(real))))


def replay_till(shop: Callable[[Any], Any]) -> None:
    with Cassette(TAPE, "none") as cassette:
        taped = VcrBank.attach(cassette, RealBank)
        Driver(cassette, VcrTill(cassette=cassette, inner=shop(taped))).run_sync()


@situation
def an_inbound_call_returns_another_value() -> None:
    record_till(lambda till: till.buy("tea"))
    replay_till(lambda _: Shop(greeting="gave away"))


@situation
def an_inbound_call_raises_instead() -> None:
    class Closed(Shop):
        def buy(self, item: str) -> str:
            raise LookupError(f"no {item}")

    record_till(lambda till: till.buy("tea"))
    replay_till(lambda _: Closed())


@situation
def an_async_inbound_call_returns_another_value() -> None:
    record_till(lambda till: till.order("tea"))
    with Cassette(TAPE, "none") as cassette:
        till = VcrTill(cassette=cassette, inner=Shop(greeting="gave away"))
        asyncio.run(Driver(cassette, till).run())


@situation
def an_inbound_stream_gives_another_item() -> None:
    record_till(lambda till: list(till.receipt(2)))
    replay_till(lambda _: Shop(greeting="gave away"))


@situation
def an_inbound_call_no_longer_makes_its_outbound_call() -> None:
    record_till(lambda till: till.buy("tea"), Shop)
    replay_till(lambda _: Shop())


@situation
def an_inbound_call_makes_an_outbound_call_that_is_new() -> None:
    record_till(lambda till: till.buy("tea"))
    replay_till(Shop)


@situation
def a_callback_returns_another_value() -> None:
    def program(end: str) -> Program:
        return lambda d: d.watch(lambda name: name + end)

    door(program("!"), program("?"))


@situation
def nobody_drives_an_inbound_call() -> None:
    with Cassette(TAPE, "all") as cassette:
        VcrTill(cassette=cassette, inner=Shop()).buy("tea")
        VcrBank.attach(cassette, RealBank).balance("ann")
    with Cassette(TAPE, "none") as cassette:
        VcrTill(cassette=cassette, inner=Shop())
        VcrBank.attach(cassette, RealBank).balance("ann")


@situation
def a_driver_of_ones_own_asks_for_another_call() -> None:
    record_till(lambda till: list(till.receipt(1)))
    with Cassette(TAPE, "none") as cassette:
        VcrTill(cassette=cassette, inner=Shop())
        cassette.consume(TillBuy)


# Waiting for what cannot come ---------------------------------------------------------------------


@situation
def a_call_is_cancelled_that_came_to_its_end() -> None:
    async def recorded(b: Any) -> None:
        await b.rate("usd")

    async def actual(b: Any) -> None:
        task = asyncio.create_task(b.rate("usd"), name="asking")
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    bank(recorded, actual)


async def cancels(b: Any) -> None:
    task = asyncio.create_task(b.rate("usd"), name="asking")
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])


@situation
def a_call_is_no_longer_cancelled() -> None:
    async def actual(b: Any) -> None:
        await asyncio.create_task(b.rate("usd"), name="asking")

    bank(cancels, actual)


@situation
def the_recording_stopped_while_a_call_was_in_flight() -> None:
    async def recorded() -> None:
        with Cassette(TAPE, "all") as cassette:
            task = asyncio.create_task(VcrBank.attach(cassette, RealBank).rate("usd"))
            await asyncio.sleep(0)
        await task

    async def actual(b: Any) -> None:
        await asyncio.create_task(b.rate("usd"), name="asking")

    asyncio.run(recorded())
    replay(VcrBank, actual)


@situation
def one_of_several_calls_at_once_changed() -> None:
    def program(*names: str) -> Program:
        async def use(b: Any) -> None:
            await asyncio.gather(*(b.rate(name) for name in names))

        return use

    bank(program("usd", "eur"), program("usd", "yen"))


@situation
def a_call_in_a_task_group_changed() -> None:
    async def ask(b: Any, name: str) -> None:
        await b.rate(name)

    async def program(*names: str) -> None:
        with Cassette(TAPE, "once") as cassette:
            b = VcrBank.attach(cassette, RealBank)
            async with asyncio.TaskGroup() as group:
                for name in names:
                    group.create_task(ask(b, name))

    asyncio.run(program("usd", "eur"))
    asyncio.run(program("usd", "yen"))


@situation
def a_task_waits_for_ever_before_its_next_call() -> None:
    async def recorded(b: Any) -> None:
        await b.rate("usd")
        await b.rate("eur")

    async def actual(b: Any) -> None:
        await b.rate("usd")
        await asyncio.Event().wait()
        await b.rate("eur")

    bank(recorded, actual)


@situation
def a_loop_over_a_stream_skips_a_call() -> None:
    def program(*, pays: bool) -> Any:
        with Cassette(TAPE, "none" if TAPE.exists() else "all") as cassette:
            taped = VcrBank.attach(cassette, RealBank)
            for price in VcrFeed.attach(cassette, RealFeed).prices("tea"):
                if pays:
                    taped.pay("ann", price)

    program(pays=True)
    program(pays=False)


@situation
def the_rest_of_a_stream_is_not_read_before_the_next_call() -> None:
    def program(*, whole: bool) -> None:
        with Cassette(TAPE, "none" if TAPE.exists() else "all") as cassette:
            prices = VcrFeed.attach(cassette, RealFeed).prices("tea")
            _ = list(prices) if whole else next(prices)
            VcrBank.attach(cassette, RealBank).balance("ann")

    program(whole=True)
    program(whole=False)


@situation
def a_thread_never_makes_its_call() -> None:
    gate = threading.Event()

    def program(*, hangs: bool) -> Program:
        def use(b: Any) -> None:
            def work() -> None:
                if hangs:
                    gate.wait(30)
                else:
                    b.balance("bob")

            worker = threading.Thread(target=work, name="worker", daemon=True)
            worker.start()
            if not hangs:
                worker.join()
            b.balance("ann")

        return use

    try:
        bank(program(hangs=False), program(hangs=True), patience=0.3)
    finally:
        gate.set()


# What is left at the end --------------------------------------------------------------------------


@situation
def the_program_stops_early() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)
        b.pay("bob", 20)

    bank(recorded, lambda b: b.balance("ann"))


@situation
def one_task_of_two_makes_no_call() -> None:
    def program(*names: str) -> Program:
        async def use(b: Any) -> None:
            for name in names:
                await asyncio.create_task(b.rate(name))

        return use

    bank(program("usd", "eur"), program("eur"))


@situation
def many_events_are_left() -> None:
    def recorded(b: Any) -> None:
        for number in range(14):
            b.pay("ann", number)

    bank(recorded, lambda b: None)


@situation
def a_stream_is_not_read_to_its_end() -> None:
    feed(lambda f: list(f.prices("tea")), lambda f: next(f.prices("tea")))


@situation
def no_wrapper_is_attached() -> None:
    record(VcrBank, RealBank, lambda b: b.balance("ann"))
    with Cassette(TAPE, "none"):
        pass


@situation
def an_inbound_call_is_left() -> None:
    record_till(lambda till: till.buy("tea"))
    with Cassette(TAPE, "none") as cassette:
        VcrTill(cassette=cassette, inner=Shop())


@situation
def a_divergence_was_swallowed_by_the_program() -> None:
    def actual(b: Any) -> None:
        with contextlib.suppress(BaseException):
            b.pay("ann", 11)

    bank(lambda b: b.pay("ann", 10), actual)


# The Protocol changed -----------------------------------------------------------------------------


def mailer(now: Any, program: Program) -> None:
    def recorded(m: Any) -> None:
        m.ping()
        m.post("ann", "hello")

    record(VcrMailerBefore, RealMailer, recorded)
    replay(now, program)


@situation
def a_parameter_was_added_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.post("ann", "hello", priority=2)

    mailer(VcrMailerWithMore, program)


@situation
def a_parameter_was_removed_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.post("ann")

    mailer(VcrMailerWithLess, program)


@situation
def a_parameter_was_renamed_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.post("ann", body="hello")

    mailer(VcrMailerRenamed, program)


@situation
def a_parameter_has_another_type_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.post(["ann"], "hello")

    mailer(VcrMailerRetyped, program)


@situation
def a_method_was_renamed_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.send("ann", "hello")

    mailer(VcrMailerWithoutPost, program)


@situation
def an_inbound_parameter_was_added_since() -> None:
    class Desk:
        def ask(self, question: str, language: str = "en") -> str:
            return "yes"

    with Cassette(TAPE, "all") as cassette:
        VcrDeskBefore(cassette=cassette, inner=Desk()).ask("open?")
    with Cassette(TAPE, "none") as cassette:
        Driver(cassette, VcrDeskWithMore(cassette=cassette, inner=Desk())).run_sync()


@situation
def a_boundary_was_renamed_since() -> None:
    with Cassette(TAPE, "all") as cassette:
        VcrDeskBefore(cassette=cassette, inner=Shop())
        VcrMailerBefore.attach(cassette, RealMailer).ping()
    replay(VcrBank, lambda b: None)


# Other modes --------------------------------------------------------------------------------------


@situation
def a_divergence_in_new_episodes() -> None:
    def actual(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 11)

    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(recorded, actual, mode="new_episodes")


@situation
def the_environment_answers_otherwise_in_verify() -> None:
    record(VcrBank, RealBank, lambda b: b.balance("ann"))
    with Cassette(TAPE, "verify") as cassette:
        VcrBank.attach(cassette, lambda: RealBank(balance=90)).balance("ann")


@situation
def the_program_calls_otherwise_in_verify() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    def actual(b: Any) -> None:
        b.balance("bob")
        b.login("bob", "hunter2")

    bank(recorded, actual, mode="verify")


# Files that cannot be used, and wrong uses --------------------------------------------------------


def recorded_bytes() -> bytes:
    record(VcrBank, RealBank, lambda b: b.balance("ann"))
    return TAPE.read_bytes()


@situation
def there_is_no_cassette() -> None:
    Cassette(TAPE, "none")


@situation
def a_cassette_was_torn() -> None:
    whole = recorded_bytes()
    TAPE.write_bytes(whole[: whole.rindex(b"returned:")])
    replay(VcrBank, lambda b: b.balance("ann"))


@situation
def a_cassette_is_of_a_later_version() -> None:
    TAPE.write_bytes(recorded_bytes().replace(b"vcr-gen: 1", b"vcr-gen: 99"))
    replay(VcrBank, lambda b: b.balance("ann"))


@situation
def a_file_is_no_cassette() -> None:
    TAPE.parent.mkdir()
    TAPE.write_text("interactions: []\nversion: 1\n", encoding="utf-8")
    replay(VcrBank, lambda b: b.balance("ann"))


@situation
def a_cassette_is_too_old() -> None:
    recorded_bytes()
    replay(VcrBank, lambda b: b.balance("ann"), max_age=timedelta(0), when_stale="fail")


@situation
def a_recorded_value_does_not_fit_its_type() -> None:
    TAPE.write_bytes(recorded_bytes().replace(b"returned: 100", b"returned: plenty"))
    replay(VcrBank, lambda b: b.balance("ann"))


@situation
def a_value_cannot_be_recorded() -> None:
    record(VcrWarehouse, RealWarehouse, lambda w: w.tag({"size": object()}))


@situation
def a_protocol_is_not_marked() -> None:
    record(VcrWarehouse, RealWarehouse, lambda w: w.rent().put("a chair"))


@situation
def a_value_that_cannot_be_recorded_was_swallowed() -> None:
    def program(w: Any) -> None:
        try:
            w.tag({"size": object()})
        except Exception:
            w.note("no tag")

    record(VcrWarehouse, RealWarehouse, program)


@situation
def an_anchor_is_missing() -> None:
    with Cassette(TAPE, "all", anchors={"stock": "/stock"}) as cassette:
        VcrWarehouse.attach(cassette, RealWarehouse).label(Path("/stock/a.txt"))
    replay(VcrWarehouse, lambda w: w.label(Path("/stock/a.txt")))


@situation
def an_inner_is_missing_in_a_recording() -> None:
    with Cassette(TAPE, "all") as cassette:
        VcrBank(cassette=cassette)


@situation
def an_inner_is_given_in_a_replay() -> None:
    recorded_bytes()
    with Cassette(TAPE, "none") as cassette:
        VcrBank(cassette=cassette, inner=RealBank())


@situation
def a_wrapper_is_attached_to_a_closed_cassette() -> None:
    with Cassette(TAPE, "all") as cassette:
        pass
    VcrBank.attach(cassette, RealBank)


@situation
def a_boundary_is_used_after_the_close() -> None:
    recorded_bytes()
    with Cassette(TAPE, "none") as cassette:
        taped = VcrBank.attach(cassette, RealBank)
        taped.balance("ann")
    taped.balance("ann")


@situation
def a_driver_is_made_while_recording() -> None:
    with Cassette(TAPE, "all") as cassette:
        Driver(cassette, VcrTill(cassette=cassette, inner=Shop()))


@situation
def an_unrecorded_member_is_used_in_a_replay() -> None:
    record(VcrBank, RealBank, lambda b: b.disconnect())
    replay(VcrBank, lambda b: b.disconnect())


KINDS = {
    "an_argument_changed": "argument",
    "a_call_on_another_handle": "argument",
    "two_calls_changed_places": "order",
    "a_call_was_dropped": "order",
    "a_call_was_dropped_and_the_next_one_changed": "order",
    "a_call_was_added": "extra",
    "a_call_was_repeated": "extra",
    "a_call_was_added_at_the_end": "extra",
    "a_loop_over_a_stream_skips_a_call": "missing",
    "an_inbound_call_no_longer_makes_its_outbound_call": "missing",
    "a_parameter_was_added_since": "signature",
    "a_method_was_renamed_since": "signature",
    "an_inbound_call_returns_another_value": "answer",
    "a_callback_returns_another_value": "answer",
    "a_stream_was_closed_early": "stream",
    "a_stream_is_read_further_than_recorded": "stream",
    "a_call_is_cancelled_that_came_to_its_end": "cancellation",
    "a_call_is_no_longer_cancelled": "cancellation",
    "the_recording_stopped_while_a_call_was_in_flight": "unanswered",
    "the_rest_of_a_stream_is_not_read_before_the_next_call": "unheard",
    "nobody_drives_an_inbound_call": "undriven",
}
"""What most likely changed, in one word, for some of each."""
