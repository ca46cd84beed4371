"""Data sets by name, and the order in which their examples are trained on. Needs no JAX."""

from batchscope.data.dataset import Dataset
from batchscope.data.examples import ArrayExamples, Examples, SelectedExamples, SourceExamples
from batchscope.data.load import load_dataset
from batchscope.data.order import BatchOrder, batch_indices

__all__ = [
    "ArrayExamples",
    "BatchOrder",
    "Dataset",
    "Examples",
    "SelectedExamples",
    "SourceExamples",
    "batch_indices",
    "load_dataset",
]
