"""Ending a command in good order on Ctrl-C or SIGTERM."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

INTERRUPTED = 130  # what shells expect after Ctrl-C
_SHOW_CURSOR = "\x1b[?25h\r"


class StopSignal:
    """While entered, SIGINT and SIGTERM end the process with a sentence on stderr.

    That is safe at any time, since every file is written whole or not at all. KeyboardInterrupt
    is no alternative: raised inside a callback or an import of some library it gets lost.

    Attributes:
        requested: whether a signal has come while it was deferred.
    """

    def __init__(self, sentence: str) -> None:
        """Takes what to say at the end."""
        self.requested = False
        self._sentence = sentence
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
        """Within, a first signal sets `requested` instead, and raises KeyboardInterrupt at the end.

        A second one ends the process all the same.
        """
        self._deferred = True
        try:
            yield
        finally:
            self._deferred = False
        if self.requested:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._deferred and not self.requested:
            self.requested = True
            return
        # not through sys.stderr, which the signal may have caught in the middle of a line
        restore = _SHOW_CURSOR if os.isatty(2) else ""  # the live table hides it
        os.write(2, f"{restore}batchscope: {self._sentence}\n".encode())
        os._exit(INTERRUPTED)
