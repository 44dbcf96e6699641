"""A world that changes between sessions, and a session that reads from it."""

from sample.bridges import RealShell
from vcr_sample import VcrShell

from vcr_gen import Cassette


class World(RealShell):
    """A world that changes: everything it reads grows by `more`."""

    more = 0
    calls = 0

    def read(self, what, *, twice=False):
        World.calls += 1
        return what + self.more


def session(path, mode, *numbers, **options):
    """Read the numbers from the world, and return what came back."""
    with Cassette(path, mode, **options) as cassette:
        shell = VcrShell.attach(cassette, World)
        return [shell.read(number) for number in numbers]
