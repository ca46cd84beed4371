"""Measurements to steps to result, to the curve, to findings. Needs NumPy and PyArrow only."""

from batchscope.analysis.find import find
from batchscope.analysis.findings import Findings
from batchscope.analysis.steps_to_result import goal_times, steps_to_result

__all__ = ["Findings", "find", "goal_times", "steps_to_result"]
