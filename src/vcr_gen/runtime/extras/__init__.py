"""The optional features of a session, loaded on demand.

Nothing here is imported by a program that does not use it: hermetic replays, templates and trio.
"""
