"""Numbers and lists as they stand in sentences."""

from collections.abc import Sequence

from batchscope.analysis.findings import Estimate


def number(value: float) -> str:
    """Returns `value` to two significant digits, with thousands separators: 1,000 or 2.1."""
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def whole(value: int) -> str:
    """Returns `value` in full, with thousands separators."""
    return f"{value:,}"


def listed(items: Sequence[str]) -> str:
    """Returns "a", "a and b" or "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def batch_sizes(values: Sequence[int]) -> str:
    """Returns "batch size 4" or "batch sizes 4, 8 and 16"."""
    return f"batch size{'' if len(values) == 1 else 's'} {listed([whole(v) for v in values])}"


def between_words(estimate: Estimate) -> str:
    """Returns the interval in words: "1.5 to 2.9", "at least 1.5", or that there is none."""
    low, high = estimate.low, estimate.high
    if low is None and high is None:
        return "without bounds from the data"
    if low is None:
        assert high is not None
        return f"at most {number(high)}"
    return f"at least {number(low)}" if high is None else f"{number(low)} to {number(high)}"
