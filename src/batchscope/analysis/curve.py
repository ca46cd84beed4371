"""The curve of steps to result against batch size, and what is read off it.

    S(B) = S_min (1 + (B_c / B)^g)^(1/g),        E(B) = S(B) B,        E_min = B_c S_min

For small B it is perfect scaling, S = E_min / B; for large B it is S_min. The sharpness g says how
abruptly the one turns into the other: g = 1 is the hyperbola of McCandlish et al. 2018
(arXiv 1812.06162, eq. 2.11), g -> infinity a corner at B_c. All functions work on log2 values and
broadcast.
"""

import numpy as np

from batchscope.analysis.study_times import Floats

TOLERANCE = 0.2


def shape_log2(octaves_above: Floats, *, sharpness: Floats) -> Floats:
    """Returns log2(S / S_min) at batch sizes `octaves_above` octaves above B_c."""
    return np.logaddexp2(0.0, -sharpness * octaves_above) / sharpness


def log2_bend(*, sharpness: Floats, tolerance: float = TOLERANCE) -> Floats:
    """Returns log2 of ((1 + t)^g - 1)^(1/g), octaves from B_c to the end of perfect scaling.

    S(B) = (1 + t) E_min / B at B_ps(t) = B_c ((1 + t)^g - 1)^(1/g), and S(B) = (1 + t) S_min at
    B_max(t) = B_c ((1 + t)^g - 1)^(-1/g): as many octaves on the other side of B_c.
    """
    exponent = sharpness * np.log1p(tolerance)
    # log(e^x - 1) without overflow for large x.
    octaves: Floats = (exponent + np.log(-np.expm1(-exponent))) / (sharpness * np.log(2.0))
    return octaves
