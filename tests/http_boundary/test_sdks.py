"""The SDKs of openai and anthropic see the same events live, while recording, and in a replay.

They take seconds to import, so the tests do it when they run, in one process of several.
"""

import asyncio
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sdk_server import serving_sdks

from vcr_gen import Cassette
from vcr_gen.boundaries.http import async_http_transport, http_transport


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """Import them before a session begins: a recording takes the time that it takes."""
    importlib.import_module("anthropic")
    importlib.import_module("openai")


KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"
TOOL: Any = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}


def _said(what: str) -> Any:
    return [{"role": "user", "content": what}]


ANTHROPIC_TOOL: Any = {"name": "weather", "input_schema": {"type": "object", "properties": {}}}
REFUSED = ("429 once", "500 once", "529 once", "dropped once")


def _openai(cassette: Cassette | None, base: str) -> list[Any]:
    import openai

    transport = None if cassette is None else http_transport(cassette)
    with httpx2.Client(transport=transport) as http:
        client = openai.OpenAI(api_key=KEY, base_url=f"{base}/v1", http_client=http)
        chat = client.chat.completions
        seen: list[Any] = [chat.create(model="m", messages=_said("hello")).model_dump()]
        seen.append(chat.create(model="m", messages=_said("x"), tools=[TOOL]).model_dump())
        for more in ({}, {"tools": [TOOL]}):
            stream = chat.create(model="m", messages=_said("hi there"), stream=True, **more)
            seen += [chunk.model_dump() for chunk in stream]
        for prompt in REFUSED:
            seen.append(chat.create(model="m", messages=_said(prompt)).model_dump())
        for prompt in ("429 always", "503 always"):
            try:
                client.with_options(max_retries=1).chat.completions.create(
                    model="m", messages=_said(prompt)
                )
            except openai.APIStatusError as error:
                seen.append((type(error), str(error), error.body, error.status_code))
        return seen


def _openai_async(cassette: Cassette | None, base: str) -> list[Any]:
    import openai

    async def run() -> list[Any]:
        transport = None if cassette is None else async_http_transport(cassette)
        async with httpx2.AsyncClient(transport=transport) as http:
            client = openai.AsyncOpenAI(api_key=KEY, base_url=f"{base}/v1", http_client=http)
            chat = client.chat.completions
            seen: list[Any] = [(await chat.create(model="m", messages=_said("x"))).model_dump()]
            for more in ({}, {"tools": [TOOL]}):
                stream = await chat.create(model="m", messages=_said("hi"), stream=True, **more)
                seen += [chunk.model_dump() async for chunk in stream]
            for prompt in REFUSED:
                seen.append((await chat.create(model="m", messages=_said(prompt))).model_dump())
            try:
                await client.with_options(max_retries=1).chat.completions.create(
                    model="m", messages=_said("429 always")
                )
            except openai.APIStatusError as error:
                seen.append((type(error), str(error), error.body, error.status_code))
            return seen

    return asyncio.run(run())


def _anthropic(cassette: Cassette | None, base: str) -> list[Any]:
    import anthropic

    transport = None if cassette is None else http_transport(cassette)
    with httpx2.Client(transport=transport) as http:
        client = anthropic.Anthropic(api_key=KEY, base_url=base, http_client=http)
        create = client.messages.create
        tools = {"tools": [ANTHROPIC_TOOL]}
        seen: list[Any] = []
        for more in ({}, tools):
            said = create(model="m", max_tokens=9, messages=_said("hello"), **more)
            seen.append(said.model_dump())
            with client.messages.stream(
                model="m", max_tokens=9, messages=_said("hi"), **more
            ) as stream:
                seen += [event.model_dump() for event in stream]
                seen.append(stream.get_final_message().model_dump())
        for prompt in REFUSED:
            seen.append(create(model="m", max_tokens=9, messages=_said(prompt)).model_dump())
        try:
            client.with_options(max_retries=1).messages.create(
                model="m", max_tokens=9, messages=_said("429 always")
            )
        except anthropic.APIStatusError as error:
            seen.append((type(error), str(error), error.body, error.status_code))
        return seen


def _anthropic_async(cassette: Cassette | None, base: str) -> list[Any]:
    import anthropic

    async def run() -> list[Any]:
        transport = None if cassette is None else async_http_transport(cassette)
        async with httpx2.AsyncClient(transport=transport) as http:
            client = anthropic.AsyncAnthropic(api_key=KEY, base_url=base, http_client=http)
            create = client.messages.create
            seen: list[Any] = []
            for more in ({}, {"tools": [ANTHROPIC_TOOL]}):
                said = await create(model="m", max_tokens=9, messages=_said("hello"), **more)
                seen.append(said.model_dump())
                async with client.messages.stream(
                    model="m", max_tokens=9, messages=_said("hi"), **more
                ) as stream:
                    seen += [event.model_dump() async for event in stream]
            for prompt in REFUSED:
                said = await create(model="m", max_tokens=9, messages=_said(prompt))
                seen.append(said.model_dump())
            return seen

    return asyncio.run(run())


async def _openai_tasks(cassette: Cassette | None, base: str) -> list[Any]:
    import openai

    transport = None if cassette is None else async_http_transport(cassette)
    seen: list[Any] = []
    async with httpx2.AsyncClient(transport=transport) as http:
        client = openai.AsyncOpenAI(api_key=KEY, base_url=f"{base}/v1", http_client=http)

        async def ask(number: int) -> None:
            stream = await client.chat.completions.create(
                model="m", messages=_said(f"number {number}"), stream=True
            )
            async for chunk in stream:  # the list shows the order in which all of them came
                seen.append((number, chunk.model_dump()))  # noqa: PERF401

        await asyncio.gather(*(ask(number) for number in range(16)))
    return seen


@pytest.mark.parametrize("program", [_openai, _openai_async, _anthropic, _anthropic_async])
def test_an_sdk_sees_the_same(
    tmp_path: Path, program: Callable[[Cassette | None, str], list[Any]]
) -> None:
    with serving_sdks() as base:
        live = program(None, base)
        with Cassette(tmp_path / "tape.yaml", "all") as cassette:
            recorded = program(cassette, base)
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        replayed = program(cassette, base)
    assert live == recorded
    assert live == replayed
    assert KEY not in (tmp_path / "tape.yaml").read_text()


def test_sixteen_streams_at_once_interleave_in_the_same_way(tmp_path: Path) -> None:
    with serving_sdks() as base, Cassette(tmp_path / "tape.yaml", "all") as cassette:
        recorded = asyncio.run(_openai_tasks(cassette, base))
    for _ in range(3):
        with Cassette(tmp_path / "tape.yaml", "none") as cassette:
            assert asyncio.run(_openai_tasks(cassette, base)) == recorded
