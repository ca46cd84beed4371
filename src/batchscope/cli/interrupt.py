"""Stopping a run in good order on Ctrl-C or SIGTERM."""

import os
import signal
from types import FrameType
from typing import Self

_INTERRUPTED = 130


class StopSignal:
    """While entered, the first SIGINT or SIGTERM asks to stop and a second one ends the process.

    Ending at once is safe, since every file is written whole or not at all.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            os._exit(_INTERRUPTED)
        self.requested = True
