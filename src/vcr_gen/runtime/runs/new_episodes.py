"""Mode `new_episodes`: replays a tape and then records what follows."""

import threading
from collections.abc import Mapping
from typing import Any, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.port import Operation, Session
from vcr_gen.runtime.codec.placeholders import placeholders_in
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.record.record_session import Recorder
from vcr_gen.runtime.replay.replay_session import Replayer
from vcr_gen.runtime.runs.replay_run import ReplayRun
from vcr_gen.runtime.runs.run import Settings
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.recording import Recording


class ContinueRun(ReplayRun):
    """Replays the tape and, at its end, records what follows."""

    calls_real = True

    def __init__(self, settings: Settings) -> None:
        self._recorder: Recorder | None = None
        self._file: Recording | None = None
        self._beginning = threading.Lock()
        super().__init__(settings)

    def _make_session(self) -> Session:
        return _Switch(self, Replayer(self.engine))

    @property
    def recording(self) -> bool:
        """Whether the tape has ended and the session is recording."""
        return self._recorder is not None

    def recorder(self) -> Recorder | None:
        """The recorder, after the end of the tape."""
        if self._recorder is None and self.engine.unfinished.used_up():
            with self._beginning:
                if self._recorder is None:
                    self._recorder = self._begin()
        return self._recorder

    def _begin(self) -> Recorder:
        self._loops.clock.stop()
        self.dispatcher.close()  # from now on the environment itself calls
        self.crossing.objects.record_on()
        window = self._window
        recorder = self._make_recorder(
            self._append, self._grow, since=window.last_at, call=window.last_call + 1
        )
        names: set[str] = set()
        try:
            self._copy_recorded(names)
        except Exception as error:
            recorder.tape.fail(error)
        self.screen.secrets.vault.record_on(names)
        self.engine.name_strands()
        return recorder

    def _copy_recorded(self, names: set[str]) -> None:
        """Start a new file with the events of the tape; collect its placeholders in `names`."""
        self._file = file = Recording(self._settings.path)
        file.begin(self._reading.header)
        names.update(placeholders_in(self._reading.header))
        with Reading(self._settings.path) as recorded:
            for entry in recorded:
                file.append(entry.data, is_plain=True)
                names.update(placeholders_in(entry.data))

    def _append(self, event: Mapping[str, Plain]) -> None:
        assert self._file is not None  # nothing is written after a failure to begin the file
        self._file.append(event, is_plain=True)

    def _grow(self, more: Mapping[str, Plain]) -> None:
        assert self._file is not None
        self._file.grow(more)

    def _close(self, error: BaseException | None) -> None:
        try:
            super()._close(error)
        except BaseException as failure:
            self._close_recording(failure)
            raise
        self._close_recording(error)

    def _close_recording(self, error: BaseException | None) -> None:
        if self._recorder is None:
            return
        self._recorder.close()
        tape = self._recorder.tape
        if not tape.failures and not tape.appended:
            if self._file is not None:
                self._file.discard()
            return
        header = Header.read(self._reading.header, self._settings.path)
        self._put_in_place(self._file, header, tape.failures, error)


@final
class _Switch:
    """Replays to the end of the tape, then records."""

    calls_real = True

    def __init__(self, run: ContinueRun, replayer: Replayer) -> None:
        self._run = run
        self._replayer = replayer

    def _now(self) -> Session:
        return self._run.recorder() or self._replayer

    def _way_out(self, operation: Operation) -> Session:
        recorder = self._run.recorder()
        if recorder is None and self._run.engine.calls.goes_past_repeats(operation):
            recorder = self._run.recorder()
        if recorder is None:
            return self._replayer
        number = operation.on.removeprefix("#")
        if number.isdigit():
            try:
                name = operation.bound.method.name
                self._run.crossing.objects.check_real(int(number), name)
            except UsageError as error:
                recorder.tape.fail(error)
                raise
        return recorder

    def go_out(self, operation: Operation) -> Any:
        return self._way_out(operation).go_out(operation)

    async def go_out_async(self, operation: Operation) -> Any:
        return await self._way_out(operation).go_out_async(operation)

    def come_in(self, operation: Operation) -> Any:
        return self._now().come_in(operation)

    async def come_in_async(self, operation: Operation) -> Any:
        return await self._now().come_in_async(operation)
