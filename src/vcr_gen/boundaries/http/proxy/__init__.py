"""A recording and replaying proxy, for programs that build their own clients or are not Python."""

from vcr_gen.boundaries.http.proxy.proxy_server import HttpProxy

__all__ = ["HttpProxy"]
