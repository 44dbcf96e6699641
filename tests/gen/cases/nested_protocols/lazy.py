from __future__ import annotations

from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Player(Protocol):
    class Mode:
        class Shuffle: ...

    class Sink(Protocol):
        def play(self, sound: bytes) -> None: ...

    mode: Mode

    def start(self, sink: Sink, modes: list[Mode.Shuffle | None]) -> Sink | None: ...
    def quoted(self, sink: "Sink") -> dict[str, "Mode"]: ...
    def said_in_full(self, mode: Player.Mode) -> Player.Sink: ...
    @property
    def sink(self) -> Sink: ...
    @classmethod
    def made(cls, mode: Mode, sink: Sink) -> Mode: ...


class Cabinet:
    class Shelf: ...

    @outbound
    class Drawer(Protocol):
        class Label: ...

        def name(self, label: Label, shelf: Cabinet.Shelf) -> Label: ...
