"""`python -m openai_chat QUESTION` prints the answer as it comes; it needs OPENAI_API_KEY."""

import sys

from openai import OpenAI

from openai_chat.assistant import answer

for piece in answer(OpenAI(), " ".join(sys.argv[1:])):
    print(piece, end="", flush=True)
print()
