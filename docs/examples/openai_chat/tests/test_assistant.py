"""The assistant's own code runs, and so does the SDK; only the model is replayed.

`VCR_RECORD=1 pytest` records again.
"""

from openai import OpenAI

from openai_chat.assistant import answer


def test_an_answer_comes_in_pieces_after_the_tool_was_used(client: OpenAI) -> None:
    pieces = list(answer(client, "How is the weather in Bonn?"))

    assert pieces == ["The ", "weather: ", "rain, ", "11 ", "°C. "]


def test_a_question_that_needs_no_tool_is_one_request(client: OpenAI) -> None:
    assert "".join(answer(client, "Who are you?")) == "Ask me about the weather."
