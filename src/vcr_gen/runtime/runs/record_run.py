"""How a cassette records, from opening to closing."""

from collections.abc import Iterator, Mapping

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.runs.run import Run, Settings
from vcr_gen.runtime.tape.recording import Recording
from vcr_gen.runtime.values.object_numbers import Objects


class RecordRun(Run):
    """Records a session into a partial file that replaces the cassette on success."""

    calls_real = True

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._begun = False
        self.screen = self._screen(replaying=False)
        self.session = self._recorder = self._make_recorder(self._append, self._grow)
        self.crossing = self._cross(self.session, Objects(replaying=False))
        self._header = self._new_header()
        self.initial_state = dict(settings.initial_state)
        self._file = Recording(settings.path)

    @property
    def recording(self) -> bool:
        """Whether the session is recording now."""
        return True

    def rename(self, name: str) -> None:
        """Complete the cassette under another name, in the same folder."""
        self._file.rename(name)

    def _inexact(self) -> Iterator[str]:
        """Facts that a replay cannot repeat, or may repeat differently."""
        for method, name in self._recorder.changed:
            yield (
                f"{method} changed its argument `{name}`, but only the return value is recorded, "
                "so a replay leaves the argument unchanged; return the changed value, or pass "
                "the environment a copy"
            )
        if late := self._recorder.tape.late:
            yield (
                f"{late} items of streams arrived after another task or thread had closed the "
                "stream; they are not recorded, and a replay does not yield them; close a stream "
                "only after its last read"
            )
        if self._loops.shares_one:
            yield (
                "another cassette was open on the same event loop, and neither recorded their "
                "common order: a replay may interleave tasks differently; attach all wrappers to "
                "one cassette"
            )
        if forced := self._recorder.turns.forced:
            yield (
                f"{forced} results were delivered to an event loop that was never "
                "idle: a replay may interleave tasks differently; let the loop wait instead of "
                "spinning"
            )

    @property
    def file(self) -> Recording:
        """The file that grows."""
        return self._file

    def _append(self, event: Mapping[str, Plain]) -> None:
        if not self._begun:
            self._begun = True
            self._file.begin(self._plain_header(self._header))
        self._file.append(event, is_plain=True)

    def _grow(self, more: Mapping[str, Plain]) -> None:
        self._file.grow(more)

    def _close(self, error: BaseException | None) -> None:
        self._recorder.close()
        self._put_in_place(self._file, self._header, self._recorder.tape.failures, error)
