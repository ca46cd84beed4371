"""Stopping a run in good order on Ctrl-C or SIGTERM."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

INTERRUPTED = 130  # what shells expect after Ctrl-C
_SHOW_CURSOR = b"\x1b[?25h\r\n"


class StopSignal:
    """While entered, SIGINT and SIGTERM raise KeyboardInterrupt, and a second one ends at once.

    Ending at once is safe, since every file is written whole or not at all.

    Attributes:
        requested: whether a signal has come.
    """

    def __init__(self) -> None:
        self.requested = False
        self._deferred = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Within, the first signal only sets `requested`; KeyboardInterrupt comes at the end."""
        self._deferred = True
        try:
            yield
        finally:
            self._deferred = False
        if self.requested:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            if os.isatty(2):
                os.write(2, _SHOW_CURSOR)  # the live table hides it
            os._exit(INTERRUPTED)
        self.requested = True
        if not self._deferred:
            raise KeyboardInterrupt
