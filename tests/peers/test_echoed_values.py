"""Values of one run that the other side repeats: they are recorded, and live in a replay."""

import asyncio
import uuid
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from vcr_far_link import VcrServer as FarServer
from vcr_link import VcrServer

from vcr_gen import Cassette, DivergenceError, Driver, Echoed, Rule
from vcr_gen.boundary import Volatile
from vcr_gen.errors import VerificationError

NUMBERS = count(100)


class Pages:
    """A server whose answers can only be continued with what it just made up."""

    def __init__(self, size: int = 2) -> None:
        self._size = size
        self._states: dict[str, int] = {}
        self._session = next(NUMBERS)

    async def request(self, method: str, params: dict[str, Any], progress: Any) -> Any:
        if params.get("session", self._session) != self._session:
            raise PermissionError("an unknown session")
        if method == "echo":
            return {"again": params, "at": f"https://server/{params['id']}/status"}
        start = self._states[params["state"]] if "state" in params else 0
        state = str(uuid.uuid4())
        self._states[state] = start + self._size
        items = list(range(start, start + self._size))
        return {"state": state, "session": self._session, "items": items}

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        pass


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.yaml"

    async def record() -> None:
        with Cassette(path, "all") as cassette:
            real = Pages()
            server = VcrServer(cassette=cassette, inner=real)
            found: dict[str, Any] = {}
            for _ in range(3):
                given = {key: found[key] for key in ("state", "session") if key in found}
                found = await server.request("list", given, None)

    asyncio.run(record())
    return path


ECHOED = [
    Rule("server.request", "$result.state", Echoed),
    Rule("server.request", "$result.session", Echoed),
]


async def drive(path: Path, server: Pages, *, rules: Any = ECHOED, collect: bool = False) -> None:
    with Cassette(path, "none", other_side=["server"], rules=rules) as cassette:
        far = FarServer(cassette=cassette, inner=server)
        await Driver(cassette, far, collect=collect).run()


def test_a_server_gets_its_own_values_back(pages: Path) -> None:
    asyncio.run(drive(pages, Pages()))


def test_a_value_that_is_only_volatile_is_fed_as_recorded(pages: Path) -> None:
    rules = [Rule(rule.of, rule.path, Volatile) for rule in ECHOED]
    with pytest.raises(DivergenceError, match=r"PermissionError|KeyError"):
        asyncio.run(drive(pages, Pages(), rules=rules))


def test_so_does_one_whose_answers_differ_elsewhere(pages: Path) -> None:
    with pytest.raises(VerificationError) as caught:
        asyncio.run(drive(pages, Pages(size=1), collect=True))
    assert len(caught.value.differences) == 3
    assert all("$result.items" in text for text in caught.value.differences)
    assert "Error" not in str(caught.value.differences)


async def ask(path: Path, mode: str, **options: Any) -> Any:
    """A client that makes up an id, and insists on getting it back."""
    with Cassette(path, mode, **options) as cassette:
        server = VcrServer.attach(cassette, Pages)
        made = {"id": str(uuid.uuid4()), "size": 3}
        found = await server.request("echo", made, None)
        assert found["again"] == made
        follow = {"id": found["at"], "of": made["id"]}
        assert (await server.request("echo", follow, None))["again"] == follow
        return made


def test_a_client_gets_its_own_id_back_also_inside_of_texts(tmp_path: Path) -> None:
    path = tmp_path / "ask.yaml"
    recorded = asyncio.run(ask(path, "all"))
    rule = Rule("server.request", "params.id", Echoed)
    assert asyncio.run(ask(path, "none", rules=[rule])) != recorded
    assert "params.id: echoed" not in path.read_text(encoding="utf-8")
    asyncio.run(ask(path, "all", rules=[rule]))
    assert "params.id: echoed" in path.read_text(encoding="utf-8")
    asyncio.run(ask(path, "none", rules=[rule]))
