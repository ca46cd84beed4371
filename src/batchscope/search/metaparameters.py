"""The metaparameters of any trial."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from batchscope.search.halton import halton
from batchscope.spec.scales import from_unit
from batchscope.spec.sweep import ParameterConfig


def metaparameters(
    configs: Sequence[ParameterConfig], *, seed: int, trial_ids: Sequence[int] | npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Returns the searched metaparameters of some trials.

    A trial's values depend on nothing but the search space, the seed and its number: adding
    trials changes none, and any process can compute any of them. Parameter j uses dimension j of
    the sequence, so its values do not change when parameters are added behind it.

    Args:
        configs: the search space, at most 20 parameters.
        seed: of the sweep.
        trial_ids: [trials] numbers from 0 to 2^31 - 1, in any order.

    Returns:
        [trials, parameters] values within their bounds; INTEGER ones are whole.
    """
    units = halton(trial_ids, dimensions=len(configs), seed=seed)
    values = np.empty_like(units)
    for dimension, config in enumerate(configs):
        values[:, dimension] = from_unit(config, units[:, dimension])
    return values
