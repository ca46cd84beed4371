"""Numbers as people read them."""


def duration(seconds: float) -> str:
    """Returns "0.4 s", "12 s", "3 min 20 s", "2 h 5 min" or "3 d 4 h"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    for size, unit, smaller, name in ((3600, "min", 1, "s"), (86400, "h", 60, "min")):
        if whole < size:
            large, rest = divmod(whole, size // (60 if unit == "min" else 24))
            return f"{large} {unit} {rest // smaller} {name}"
    days, rest = divmod(whole, 86400)
    return f"{days} d {rest // 3600} h"
