"""Models by name: flax modules that map a batch of inputs to logits."""

from batchscope.models.build import build_model

__all__ = ["build_model"]
