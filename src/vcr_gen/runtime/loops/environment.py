"""Tells code of the real environment from code of the program."""

from contextvars import ContextVar

__all__ = ["in_environment"]

in_environment: ContextVar[bool] = ContextVar("vcr_gen_in_environment", default=False)
"""Whether the running code is the real environment's.

A context variable, because the tasks that it spawns are its own, too: they inherit the context.
"""
