"""Attributes, properties, class methods, dunder methods, generics."""

import pickle
from copy import copy, deepcopy
from dataclasses import asdict, dataclass

import pytest
from sample.bridges import RealDevice, RealStore, RealTable, RealTicker
from sample.models import OddError, Result
from tape_data import read_tape
from vcr_sample import VcrDevice, VcrStore, VcrTable, VcrTicker

from vcr_gen.errors import DivergenceError, UsageError


def test_an_attribute_is_read_and_set_through_the_tape(tape):
    def program(device):
        before = device.name
        device.name = "new"
        return before, device.name, device.kind

    assert tape.same(VcrDevice, RealDevice, program) == ("device 1", "new", "disk")
    assert [entry["of"] for entry in read_tape(tape.path)] == [
        "Device.name",
        "Device.name.set",
        "Device.name",
        "Device.kind",
    ]


def test_a_class_variable_cannot_be_set(tape):
    def program(device):
        with pytest.raises(AttributeError, match="cannot be set"):
            device.kind = "tape"
        return device.kind

    assert tape.same(VcrDevice, RealDevice, program) == "disk"


def test_a_subclass_of_a_wrapper_belongs_to_the_same_boundary(tape):
    class Ours(VcrDevice):
        def label(self):
            return self.name.upper()

    assert tape.same(Ours, RealDevice, lambda device: device.label()) == "DEVICE 1"


def test_a_property_is_read_set_and_deleted_through_the_tape(tape):
    def program(device):
        before = device.size
        device.size = 7
        after = device.size
        del device.size
        return before, after, device.size

    assert tape.same(VcrDevice, RealDevice, program) == (1, 7, 0)


def test_setting_another_value_than_recorded_is_a_divergence(tape):
    def program(device, value=7):
        device.size = value

    tape.record(VcrDevice, RealDevice, program)
    with pytest.raises(DivergenceError, match=r"Device\.size\.set"):
        tape.replay(VcrDevice, lambda device: program(device, 8))


def test_a_property_that_raises_does_so_again(tape):
    def program(device):
        with pytest.raises(OddError, match="no serial"):
            _ = device.serial

    tape.same(VcrDevice, RealDevice, program)


def test_class_and_static_methods_are_recorded_through_an_instance(tape):
    def program(device):
        made = device.make(5)
        return made.size, made.name, device.parse("12")

    assert tape.same(VcrDevice, RealDevice, program) == (5, "device 5", 12)


def test_class_and_static_methods_on_the_class_say_why_not():
    with pytest.raises(UsageError, match="which has no cassette"):
        VcrDevice.make(5)
    with pytest.raises(UsageError, match="which has no cassette"):
        VcrDevice.parse("5")


def test_dunder_methods_are_members_like_any_other(tape):
    def program(table):
        log = [table("name"), table["a"], len(table), "a" in table, 3 in table, bool(table)]
        table["c"] = 5
        del table["a"]
        log += [list(table), table["c"]]
        with pytest.raises(KeyError):
            table["a"]
        return log

    assert tape.same(VcrTable, RealTable, program) == [
        4,
        1,
        2,
        True,
        False,
        False,
        ["b", "c"],
        5,
    ]


def test_an_async_iterator_protocol_replays(tape):
    async def program(ticker):
        return [tick async for tick in ticker]

    assert tape.same(VcrTicker, RealTicker, program) == [1, 2, 3]


def test_a_generic_boundary_keeps_the_types_of_its_values(tape):
    def program(store):
        return [store.get("key"), store.all()]

    assert tape.same(VcrStore, RealStore, program) == [Result(3, "key"), (Result(1, "x"),)]


def test_a_copied_wrapper_is_of_the_same_session(tape):
    @dataclass
    class Service:
        device: object

    def program(device):
        copies = [asdict(Service(device))["device"], copy(device), deepcopy(device)]
        return [device.name, *(one.name for one in copies)]

    assert len(set(tape.same(VcrDevice, RealDevice, program))) == 1


def test_a_wrapper_for_another_process_is_refused_with_what_to_do(tape):
    def program(device):
        with pytest.raises(TypeError, match=r"a VcrDevice cannot be pickled: .* in each process"):
            pickle.dumps(device)

    tape.same(VcrDevice, RealDevice, program)
