"""A data set: its splits and the sizes a model needs."""

from dataclasses import dataclass

from batchscope.data.examples import Examples


@dataclass(frozen=True)
class Dataset:
    """The splits of a classification data set.

    Attributes:
        train: what is trained on.
        val: what the goal is measured on.
        test: left alone by the search; None where there is none.
        num_classes: labels are 0 to num_classes - 1.
        input_shape: the shape of one input.
    """

    name: str
    train: Examples
    val: Examples
    test: Examples | None
    num_classes: int
    input_shape: tuple[int, ...]
