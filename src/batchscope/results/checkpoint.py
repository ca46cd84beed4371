"""The envelope of a checkpoint: whose it is, and whether it is whole.

A line that names the format, a line of JSON that names the owner, the payload, and a trailer of 20
bytes: payload length, CRC-32, end mark.
"""

import io
import json
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import BinaryIO, cast

Payload = bytes | Callable[[BinaryIO], object]
_FORMAT = b"batchscope checkpoint 1\n"
_TRAILER = struct.Struct("<QI8s")
_END = b"complete"


class UnsuitableCheckpointError(Exception):
    """A checkpoint that cannot be continued from; the text continues "it "."""


def write_checkpoint(stream: BinaryIO, payload: Payload, *, owner: Mapping[str, str | int]) -> None:
    """Writes a payload, or what a function writes into a stream, in its envelope."""
    stream.write(_FORMAT)
    stream.write(json.dumps(dict(owner), sort_keys=True).encode() + b"\n")
    counted = _Counted(stream)
    if callable(payload):
        payload(cast(BinaryIO, counted))
    else:
        counted.write(payload)
    stream.write(_TRAILER.pack(counted.length, counted.checksum, _END))


def read_checkpoint(content: bytes, *, owner: Mapping[str, str | int]) -> bytes:
    """Returns the payload.

    Raises:
        UnsuitableCheckpointError: the checkpoint is truncated, damaged or of another owner.
    """
    if not content.startswith(_FORMAT):
        raise UnsuitableCheckpointError("is no checkpoint of this version")
    end_of_owner = content.find(b"\n", len(_FORMAT))
    trailer = content[-_TRAILER.size :]
    start, end = end_of_owner + 1, len(content) - _TRAILER.size
    if end_of_owner < 0 or end < start:
        raise UnsuitableCheckpointError("is truncated")
    length, checksum, mark = _TRAILER.unpack(trailer)
    if mark != _END or length != end - start:
        raise UnsuitableCheckpointError("is truncated")
    payload = memoryview(content)[start:end]
    if zlib.crc32(payload) != checksum:
        raise UnsuitableCheckpointError("is damaged")
    if content[len(_FORMAT) : end_of_owner] != json.dumps(dict(owner), sort_keys=True).encode():
        raise UnsuitableCheckpointError("is of another sweep, batch size or pack")
    return bytes(payload)


class _Counted(io.RawIOBase):
    """A stream that can only be written, and keeps length and CRC-32 of what it was given."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.length = 0
        self.checksum = 0

    def writable(self) -> bool:
        return True

    def write(self, data: "memoryview | bytes | bytearray") -> int:  # type: ignore[override]
        view = memoryview(data).cast("B")
        self._stream.write(view)
        self.length += len(view)
        self.checksum = zlib.crc32(view, self.checksum)
        return len(view)
