from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Documented(Protocol):
    def quoted(self) -> int:
        """"Quoted" at both "ends\""""
        ...

    def escaped(self) -> int:
        r"""A path like C:\temp and a regex \d+.

            indented

        Tabs	inside, and a trailing backslash \\
        """
        ...

    def unicode(self) -> int:
        """Grüße, 世界."""
        ...

    def triple(self) -> int:
        '''Has """triple""" quotes.'''
        ...
