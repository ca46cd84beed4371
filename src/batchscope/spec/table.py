"""Reading typed values out of a TOML table, with errors that say where and what was expected."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeGuard

from batchscope.errors import SpecError
from batchscope.spec.lines import line_of

LARGEST_COUNT = 2**31 - 1  # counts become 32-bit integers on accelerators


@dataclass(frozen=True)
class Source:
    """Where a sweep was written: a name for messages, and the text when there is one."""

    origin: str
    text: str = ""

    def error(self, path: tuple[str, ...], message: str) -> SpecError:
        """Returns the error "origin, line n: path message"."""
        line = line_of(self.text, path)
        where = self.origin if line is None else f"{self.origin}, line {line}"
        return SpecError(f"{where}: {'.'.join(path)} {message}")


class Table:
    """One table of the document, read key by key.

    Every reader raises SpecError with the key, its value and what was expected.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        source: Source,
        *,
        path: tuple[str, ...] = (),
        known: Iterable[str] | None = None,
    ) -> None:
        """Takes the values; where `known` is given, any other key is an error."""
        self.values = values
        self.source = source
        self.path = path
        if known is not None:
            self._refuse_unknown(tuple(known))

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def error(self, key: str, message: str) -> SpecError:
        """Returns the error "origin, line n: path.key message"."""
        return self.source.error((*self.path, key), message)

    def wrong(self, key: str, expected: str) -> SpecError:
        """Returns the error for a value that is not what was expected, or is missing."""
        if key not in self.values:
            return self.error(key, f"is missing, expected {expected}")
        return self.error(key, f"is {show(self.values[key])}, expected {expected}")

    def text(self, key: str, *, default: str | None = None, expected: str = "a string") -> str:
        """Returns a string."""
        if key not in self.values and default is not None:
            return default
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self.wrong(key, expected)
        return value

    def choice(self, key: str, choices: Iterable[str], *, default: str) -> str:
        """Returns a string that is one of `choices`."""
        choices = tuple(choices)
        expected = "one of " + ", ".join(f'"{choice}"' for choice in choices)
        value = self.text(key, default=default, expected=expected)
        if value not in choices:
            raise self.wrong(key, expected)
        return value

    def boolean(self, key: str, *, default: bool) -> bool:
        """Returns true or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def count(
        self,
        key: str,
        *,
        default: int | None = None,
        minimum: int = 1,
        maximum: int = LARGEST_COUNT,
    ) -> int:
        """Returns a whole number from `minimum` to `maximum`."""
        if key not in self.values and default is not None:
            return default
        value = self.values.get(key)
        if not is_count(value) or not minimum <= value <= maximum:
            raise self.wrong(key, f"a whole number {between(minimum, maximum)}")
        return int(value)

    def number(self, key: str, *, expected: str = "a finite number") -> float:
        """Returns a finite number."""
        value = self.values.get(key)
        if not is_finite_number(value):
            raise self.wrong(key, expected)
        return float(value)

    def table(
        self, key: str, *, known: Iterable[str] | None = None, expected: str = "a table"
    ) -> "Table":
        """Returns a table inside this one, empty where the key is missing."""
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            raise self.wrong(key, expected)
        return Table(value, self.source, path=(*self.path, key), known=known)

    def _refuse_unknown(self, known: tuple[str, ...]) -> None:
        for key in self.values:
            if key not in known:
                close = get_close_matches(key, known, n=1)
                hint = f"did you mean {close[0]}? " if close else ""
                raise self.error(
                    key, f"is not a key of a sweep: {hint}known here are {', '.join(known)}"
                )


def is_count(value: Any) -> TypeGuard[int]:
    """Returns whether `value` is a whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_finite_number(value: Any) -> TypeGuard[int | float]:
    """Returns whether `value` is a number that a double can hold, neither NaN nor infinite."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def between(minimum: int, maximum: int) -> str:
    """Returns the range in words."""
    return f"of at least {minimum}" if maximum == LARGEST_COUNT else f"from {minimum} to {maximum}"


def show(value: Any) -> str:
    """Returns a value as TOML would write it, shortened where it is long."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, (list, tuple)):
        text = f"[{', '.join(show(item) for item in value)}]"
    elif isinstance(value, Mapping):
        text = f"{{{', '.join(f'{key} = {show(item)}' for key, item in value.items())}}}"
    elif isinstance(value, (int, float)):
        text = repr(value)
    else:
        text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
