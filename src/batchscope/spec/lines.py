"""Finding the line of a key in a TOML text, for messages."""

import re
from collections.abc import Iterator, Sequence

_HEADER = re.compile(r"^\s*\[{1,2}(?P<path>[^\]\[]+)\]{1,2}\s*(#.*)?$")
_KEY = re.compile(
    r"""^\s*(?P<path>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def line_of(text: str, path: Sequence[str]) -> int | None:
    """Returns the line, counted from 1, that defines `path` or the nearest table around it.

    A key of an inline table is on the line of that table. None where not even the first part of
    the path is found.
    """
    best_line, best_depth = None, 0
    for line, found in _definitions(text):
        depth = len(found)
        if depth > best_depth and tuple(path[:depth]) == found:
            best_line, best_depth = line, depth
    return best_line


def _definitions(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields (line, full path) of every table header and of every key that starts a line."""
    table: tuple[str, ...] = ()
    open_quote = None
    # not splitlines(), which also splits at characters that are no line ends in TOML
    for line, content in enumerate(text.split("\n"), start=1):
        if open_quote is not None:  # inside a multi-line string nothing is a key
            if open_quote in content:
                open_quote = None
            continue
        if header := _HEADER.match(content):
            table = _parts(header["path"])
            yield line, table
        elif key := _KEY.match(content):
            yield line, (*table, *_parts(key["path"]))
            open_quote = _left_open(content[key.end() :])


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(path))


def _left_open(value: str) -> str | None:
    for quote in ('"""', "'''"):
        if value.count(quote) % 2:
            return quote
    return None
