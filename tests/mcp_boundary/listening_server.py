"""A server at a URL: `listening_server.py /mcp|/sse VERSION` prints its port.

Version 0 is the server of `mcp_server_program`, 1 and 2 are a shop with different answers, and
3 is a shop that ends when it is asked.
"""

import os
import socket
import sys

import mcp_server_program
import uvicorn
from mcp.server import MCPServer


def shop(version: int) -> MCPServer:
    server = MCPServer("shop", log_level="CRITICAL")

    @server.tool()
    async def add(a: int, b: int) -> int:
        if version == 3:
            os._exit(3)
        return a + b

    @server.tool()
    async def price_of(article: str) -> int:
        return version

    @server.tool()
    async def greet() -> str:
        return f"Hello {version}"

    return server


if __name__ == "__main__":
    version = int(sys.argv[2])
    tested = shop(version) if version else mcp_server_program.server
    app = tested.sse_app() if sys.argv[1] == "/sse" else tested.streamable_http_app()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])
