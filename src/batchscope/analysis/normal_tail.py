"""The log survival function of the normal distribution, by interpolation (NumPy has no erf)."""

import math
from functools import lru_cache

import numpy as np

from batchscope.analysis.study_times import Floats

_REACH = 12.0


@lru_cache(maxsize=1)
def _table() -> tuple[Floats, Floats]:
    z = np.linspace(-_REACH, _REACH, 4801)
    return z, np.array([math.log(0.5 * math.erfc(x / math.sqrt(2.0))) for x in z])


def log_survival(z: Floats) -> Floats:
    """Returns log P(Z > z), to 1e-5 or better.

    Beyond z = 12 it continues with the asymptotic -z^2/2 - log(z sqrt(2 pi)) - 1/z^2.
    """
    knots, values = _table()
    inside = np.interp(z, knots, values)
    far = np.maximum(z, _REACH)
    beyond = -0.5 * far**2 - np.log(far * math.sqrt(2.0 * math.pi)) - far**-2
    return np.where(z > _REACH, beyond, inside)
