"""Answers a question: streams what the model says, and runs the tool that it asks for."""

import json
from collections.abc import Iterator

from openai import OpenAI
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam

MODEL = "gpt-5-mini"
WEATHER: ChatCompletionFunctionToolParam = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather in a city, today.",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}


def weather(city: str) -> str:
    """The tool. It runs in a replay too."""
    return {"Bonn": "rain, 11 °C", "Rome": "sun, 24 °C"}.get(city, "unknown")


def answer(client: OpenAI, question: str) -> Iterator[str]:
    """The pieces of the answer, as the model sends them."""
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": question}]
    while True:
        chat = client.chat.completions.stream(model=MODEL, messages=messages, tools=[WEATHER])
        with chat as events:
            for event in events:
                if event.type == "content.delta":
                    yield event.delta
            message = events.get_final_completion().choices[0].message
        if not message.tool_calls:
            return
        messages.append(
            {
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {
                            "name": call.function.name,
                            "arguments": call.function.arguments,
                        },
                    }
                    for call in message.tool_calls
                ],
            }
        )
        for call in message.tool_calls:
            found = weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": found})
