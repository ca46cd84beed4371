"""Numbers as people read them."""

from itertools import pairwise

_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


def duration(seconds: float) -> str:
    """Returns "0.4 s", "12 s", "3 min 20 s", "2 h 5 min" or "3 d 4 h"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for (unit, size), (next_unit, next_size) in pairwise(_UNITS):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // next_size} {next_unit}"
    return f"{whole} s"


def rough_duration(seconds: float) -> str:
    """Returns "12 s", "3 min", "2 h" or "4 d", for what is not known better than that."""
    for unit, size in _UNITS[:-1]:
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {unit}"
    return f"{max(round(seconds), 1)} s"
