"""The things a sweep names, built: data set, model, optimizer and schedule."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax

from batchscope.data import Dataset, load_dataset
from batchscope.errors import SpecError
from batchscope.models import build_model
from batchscope.optimizers import build_optimizer, build_schedule, metaparameter_names
from batchscope.results.schema import METRICS
from batchscope.spec import Sweep, validate_workload

LOSS_METAPARAMETERS = ("label_smoothing",)


@dataclass(frozen=True)
class Workload:
    """A sweep's workload, ready to train.

    Attributes:
        dataset: training, validation and test examples.
        module: the flax module.
        uses_dropout: whether the module's `__call__` takes `training`.
        metaparameters: names of everything that tells two trials apart, searched or fixed.
        make_optimizer: metaparameters by name -> optax transformation.
        parameter_count: numbers in the model.
    """

    dataset: Dataset
    module: Any
    uses_dropout: bool
    metaparameters: tuple[str, ...]
    make_optimizer: Callable[[Mapping[str, jax.Array]], optax.GradientTransformation]
    parameter_count: int


def load_workload(sweep: Sweep) -> Workload:
    """Builds what `sweep` names and checks that the sweep fits it.

    Raises:
        SpecError: something has no such name, cannot be built, or does not fit.
    """
    optimizer = build_optimizer(sweep.optimizer)
    schedule = build_schedule(sweep.schedule)
    names = {
        "optimizer": _joined(metaparameter_names(optimizer)),
        "schedule": _joined(metaparameter_names(schedule)),
    }
    required = {*metaparameter_names(optimizer)[0], *metaparameter_names(schedule)[0]}
    known = {*names["optimizer"], *names["schedule"], *LOSS_METAPARAMETERS}
    dataset = load_dataset(sweep.dataset)
    validate_workload(
        sweep,
        metrics=METRICS,
        train_examples=len(dataset.train),
        required=sorted(required),
        optional=sorted(known - required),
    )
    given = tuple(config.name for config in sweep.parameter_configs) + tuple(sweep.metaparameters)

    def make_optimizer(values: Mapping[str, jax.Array]) -> optax.GradientTransformation:
        def pick(part: str) -> dict[str, jax.Array]:
            return {name: values[name] for name in names[part] if name in values}

        return optimizer(schedule(**pick("schedule")), **pick("optimizer"))

    module = build_model(
        sweep.model, num_classes=dataset.num_classes, input_shape=dataset.input_shape
    )
    uses_dropout = "training" in inspect.signature(type(module).__call__).parameters
    parameter_count = _check_model(sweep, module, dataset, uses_dropout=uses_dropout)
    return Workload(dataset, module, uses_dropout, given, make_optimizer, parameter_count)


def _joined(names: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[str, ...]:
    required, optional = names
    return (*required, *optional)


def _check_model(sweep: Sweep, module: Any, dataset: Dataset, *, uses_dropout: bool) -> int:
    """Traces the model once; returns its number of parameters."""
    arguments = {"training": False} if uses_dropout else {}
    inputs = jax.ShapeDtypeStruct((2, *dataset.input_shape), jnp.float32)
    try:
        logits, variables = jax.eval_shape(
            lambda x: module.init_with_output(jax.random.key(0), x, **arguments), inputs
        )
    except Exception as error:
        first_line = str(error).strip().splitlines()[0] if str(error).strip() else ""
        raise SpecError(
            f"model {sweep.model.name!r} does not take inputs of shape {dataset.input_shape}: "
            f"{type(error).__name__}: {first_line}; choose a model that fits the data set "
            f"{sweep.dataset.name!r}"
        ) from error
    others = sorted(set(variables) - {"params"})
    if others:
        raise SpecError(
            f"model {sweep.model.name!r} keeps state beside its parameters ({', '.join(others)}), "
            f"such as batch statistics; use a model with parameters only"
        )
    if getattr(logits, "shape", None) != (2, dataset.num_classes):
        raise SpecError(
            f"model {sweep.model.name!r} returns shape {getattr(logits, 'shape', None)} for 2 "
            f"examples, expected (2, {dataset.num_classes}): one logit per class"
        )
    return sum(leaf.size for leaf in jax.tree.leaves(variables["params"]))
