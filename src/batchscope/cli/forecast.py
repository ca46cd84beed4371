"""How much longer a run will take, judged by the studies it has finished."""

import math

_JUDGED = 3  # the latest finished studies that are looked at


class Forecast:
    """Seconds that studies of a sweep take, as a power of the batch size.

    The power is fitted to the latest finished studies and kept between 0 (a study needs half as
    many steps, of twice the cost, at twice the batch size) and 1 (as many steps).
    """

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}

    def finished(self, batch_size: int, seconds: float) -> None:
        """Enters a finished study."""
        self._seconds[batch_size] = seconds

    def seconds(self, batch_size: int) -> float | None:
        """Returns what the study at `batch_size` may take; None before two have finished."""
        if batch_size in self._seconds:
            return self._seconds[batch_size]
        latest = list(self._seconds.items())[-_JUDGED:]
        if len(latest) < 2:
            return None
        x = [math.log(size) for size, _ in latest]
        y = [math.log(max(seconds, 1e-3)) for _, seconds in latest]
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        spread = sum((a - mean_x) ** 2 for a in x)
        power = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
        return math.exp(mean_y + min(max(power, 0.0), 1.0) * (math.log(batch_size) - mean_x))
