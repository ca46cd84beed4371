"""Optimizers and learning rate schedules by name, usable under `jit` with traced metaparameters."""

from batchscope.optimizers.build import build_optimizer, build_schedule, metaparameter_names

__all__ = ["build_optimizer", "build_schedule", "metaparameter_names"]
