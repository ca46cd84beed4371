"""How much longer a run will take, judged by the studies it has finished."""

import math


class Forecast:
    """Seconds that studies of a sweep take, as a power of the batch size.

    Neighbouring batch sizes take similar time, so the last two finished studies are extrapolated;
    the power is kept between -1 (the study needs half as many steps, of the same cost, at twice
    the batch size) and 1 (as many steps, of twice the cost).
    """

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}

    def finished(self, batch_size: int, seconds: float) -> None:
        """Enters a finished study."""
        self._seconds[batch_size] = seconds

    def seconds(self, batch_size: int) -> float | None:
        """Returns what the study at `batch_size` may take; None before any has finished."""
        if batch_size in self._seconds:
            return self._seconds[batch_size]
        if not self._seconds:
            return None
        *earlier, last = self._seconds
        power = 0.5
        if earlier and min(self._seconds[last], self._seconds[earlier[-1]]) > 0:
            ratio = self._seconds[last] / self._seconds[earlier[-1]]
            power = math.log(ratio) / math.log(last / earlier[-1])
        return self._seconds[last] * (batch_size / last) ** min(max(power, -1.0), 1.0)
