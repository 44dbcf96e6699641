"""`vcr-gen --list --values` tells which types of a boundary's values will need help."""

import json
from pathlib import Path

import pytest
from command_line import run_command

MODELS = """
import io
import socket
import threading
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum

import yarl
from missing_package import Lost
from pydantic import BaseModel


class Address:
    def __init__(self, street: str) -> None:
        self.street = street


class Money:
    currency: str

    def __init__(self, cents: int, address: Address) -> None:
        self.cents = cents
        self.address = address
        self.lock = threading.Lock()
        self.parsed = self.parse()

    def parse(self) -> int: ...


class Body(io.RawIOBase): ...


class Page(Body): ...


class Rows:
    def __next__(self) -> int: ...


class Color(Enum):
    RED = 1


class Text(str): ...


class Place(namedtuple("Place", "row column")): ...


class Account(BaseModel):
    money: Money


@dataclass
class Link:
    place: yarl.URL
    socket: socket.socket


class Secured(Link): ...
"""
PORTS = """
import threading
from asyncio import StreamReader
from typing import Annotated, BinaryIO, Protocol, TypeVar

from bank.models import Account, Color, Lost, Money, Page, Place, Rows, Secured, Text
from vcr_gen import Unrecorded, outbound

T = TypeVar("T")


@outbound
class Bank(Protocol):
    def account(self, color: Color, text: Text, at: Place) -> Account: ...
    def link(self, money: Money) -> Secured | None: ...
    def page(self, source: BinaryIO | StreamReader) -> Page: ...
    def rows(self) -> list[Rows]: ...
    def lost(self, lost: Lost, given: T) -> T: ...
    def threads(self, thread: Annotated[threading.Thread, Unrecorded]) -> None: ...
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.vcr-gen]\n")
    (tmp_path / "src" / "bank").mkdir(parents=True)
    (tmp_path / "src" / "bank" / "__init__.py").touch()
    (tmp_path / "src" / "bank" / "models.py").write_text(MODELS)
    (tmp_path / "src" / "bank" / "ports.py").write_text(PORTS)
    return tmp_path


def test_types_are_judged_by_their_text(project: Path) -> None:
    run = run_command("--list", "--values", "--output-format", "json", cwd=project)
    [bank] = json.loads(run.out)["boundaries"]
    notes = [tuple(note.values()) for note in bank["values"]]
    assert notes == [
        ("Bank.account: result", "bank.models.Money", "stored by attributes", ""),
        ("Bank.account: result.address", "bank.models.Address", "stored by attributes", ""),
        ("Bank.account: result.lock", "threading.Lock", "needs help", "its objects are alive"),
        ("Bank.link: result", "socket.socket", "needs help", "its objects are alive"),
        ("Bank.page: result", "bank.models.Page", "needs help", "declare BinaryIO or TextIO"),
        ("Bank.rows: result", "bank.models.Rows", "needs help", "it has `__next__`"),
        ("Bank.lost: lost", "missing_package.Lost", "source not found", ""),
    ]


def test_the_table_comes_after_the_boundaries(project: Path) -> None:
    lines = run_command("--list", "--values", cwd=project).out.splitlines()
    assert lines[1] == ""
    assert lines[4].split() == [
        *("Bank.account:", "result.lock", "threading.Lock"),
        *("needs", "help:", "its", "objects", "are", "alive"),
    ]


def test_it_belongs_to_the_list(project: Path) -> None:
    run = run_command("--values", cwd=project)
    assert run.code == 2
    assert "--values needs --list" in run.err


def test_the_list_alone_does_not_look_at_values(project: Path) -> None:
    assert "needs help" not in run_command("--list", cwd=project).out
