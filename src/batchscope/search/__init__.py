"""Trial number to metaparameters: a pure function of the search space, the seed and the trial."""

from batchscope.search.halton import halton
from batchscope.search.metaparameters import metaparameters

__all__ = ["halton", "metaparameters"]
