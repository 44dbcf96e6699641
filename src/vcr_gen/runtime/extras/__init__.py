"""What a session loads only when it is asked for.

Nothing here is imported by a program that does not use it: hermetic replays, templates and trio.
"""
