"""A server of the official SDK in two versions: `old` and `new`."""

import sys

from mcp.server import MCPServer
from pydantic import BaseModel

server = MCPServer("shop", log_level="CRITICAL")


class Stock(BaseModel):
    article: str
    left: int


class NewStock(BaseModel):
    article: str
    left: int | None


if sys.argv[1] == "old":

    @server.tool()
    def search(query: str, limit: int = 10) -> list[str]:
        """Find articles."""
        return [query] * limit

    @server.tool()
    def stock(article: str) -> Stock:
        """How many are left."""
        return Stock(article=article, left=3)

    @server.tool()
    def order(article: str) -> str:
        """Order an article."""
        return article

    @server.prompt()
    def offer(article: str, discount: str = "0") -> str:
        return f"Offer {article}."

    @server.resource("shop://{article}/picture")
    def picture(article: str) -> str:
        return article

else:

    @server.tool()
    def order_article(article: str) -> str:
        """Order an article."""
        return article

    @server.tool(name="stock")
    def new_stock(article: str, shop: str = "Bonn") -> NewStock:
        """How many are left, in a shop."""
        return NewStock(article=article, left=None)

    @server.tool(name="search")
    def new_search(query: str, shop: str, limit: int = 10) -> list[str]:
        """Find articles."""
        return [query] * limit

    @server.prompt(name="offer")
    def new_offer(article: str, discount: str) -> str:
        return f"Offer {article}."


server.run("stdio")
