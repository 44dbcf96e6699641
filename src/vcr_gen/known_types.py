"""Types that the codec knows by name; `vcr-gen --list --values` uses the same tables."""

from typing import Final

LIVE_MODULES: Final = frozenset(
    {
        "asyncio",
        "concurrent",
        "contextvars",
        "importlib",
        "logging",
        "multiprocessing",
        "queue",
        "sched",
        "selectors",
        "signal",
        "socket",
        "socketserver",
        "subprocess",
        "threading",
        "unittest",
        "weakref",
    }
)
"""Modules of the standard library whose objects do something; a copy would be useless."""
NOT_LIVE: Final = frozenset(
    {
        "asyncio.Future",
        "asyncio.StreamReader",
        "asyncio.StreamWriter",
        "asyncio.Task",
        "logging.Logger",
    }
)
"""Classes of those modules whose objects can cross a boundary.

Each use of one is a call; of a logger, its name is stored.
"""
LIVE_METHODS: Final = ("__del__", "__next__", "__anext__", "__await__")
"""Methods of objects that can be used only once, or that run code when they are deleted."""

DATA_PACKAGES: Final = frozenset(
    {"attr", "attrs", "msgspec", "pydantic", "pydantic_core", "pydantic_settings"}
)
"""Packages whose base classes and decorators declare the fields of a class."""
LIBRARIES: Final = {
    "google": "protobuf_messages",
    "httpx": "http_messages",
    "numpy": "numpy_arrays",
    "pandas": "pandas_tables",
    "pendulum": "times_and_urls",
    "PIL": "images",
    "pyarrow": "arrow_tables",
    "starlette": "starlette_requests",
    "whenever": "times_and_urls",
    "yarl": "times_and_urls",
}
"""For each library, the module of `vcr_gen.runtime.codec.libraries` that stores its values."""

STORED_AS_DATA: Final = DATA_PACKAGES | LIBRARIES.keys()
"""Packages whose own classes are data, so that nothing in them is followed."""
