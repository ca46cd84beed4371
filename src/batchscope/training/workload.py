"""The things a sweep names, built: data set, model, optimizer and schedule."""

import inspect
import traceback
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
from batchscope.plugins import source_file
from batchscope.results.schema import METRICS
from batchscope.spec import Sweep, validate_workload
from batchscope.training.trial import Examples, Trial, TrialState, Window

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

    def make_optimizer(values: Mapping[str, jax.Array]) -> optax.GradientTransformation:
        def pick(part: str) -> dict[str, jax.Array]:
            return {name: values[name] for name in names[part] if name in values}

        return optimizer(schedule(**pick("schedule")), **pick("optimizer"))

    module = build_model(
        sweep.model, num_classes=dataset.num_classes, input_shape=dataset.input_shape
    )
    uses_dropout = "training" in inspect.signature(type(module).__call__).parameters
    parameter_count = _check_model(sweep, module, dataset, uses_dropout=uses_dropout)
    workload = Workload(
        dataset, module, uses_dropout, sweep.parameter_names, make_optimizer, parameter_count
    )
    _check_step(sweep, workload)
    return workload


def make_trial(workload: Workload, *, seed: int) -> Trial:
    """Returns the functions of one trial of a workload."""
    return Trial(
        workload.module,
        input_shape=workload.dataset.input_shape,
        make_optimizer=workload.make_optimizer,
        uses_dropout=workload.uses_dropout,
        seed=seed,
    )


def _joined(names: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[str, ...]:
    required, optional = names
    return (*required, *optional)


def _check_step(sweep: Sweep, workload: Workload) -> None:
    """Traces one training step: what is wrong with the user's own code shows before anything runs.

    Raises:
        SpecError: the step cannot be traced.
    """
    trial = make_trial(workload, seed=sweep.seed)
    number, integer = jax.ShapeDtypeStruct((), jnp.float32), jax.ShapeDtypeStruct((), jnp.int32)
    metaparameters = dict.fromkeys(workload.metaparameters, number)
    window = Window(
        examples=Examples(
            jax.ShapeDtypeStruct((2, *workload.dataset.input_shape), jnp.float32),
            jax.ShapeDtypeStruct((2,), jnp.int32),
        ),
        rows=jax.ShapeDtypeStruct((1, 2), jnp.int32),
        first_step=integer,
        steps=integer,
        microbatches=integer,
        batch_size=integer,
        starts_interval=jax.ShapeDtypeStruct((), jnp.bool_),
    )

    def one_step(trial_id: jax.Array, values: dict[str, jax.Array], window: Window) -> TrialState:
        state = trial.start(trial_id, values)
        return trial.train(state, trial_id, values, window, one_microbatch=True)

    try:
        jax.eval_shape(one_step, integer, metaparameters, window)
    except SpecError:
        raise
    except Exception as error:
        parts = f"{sweep.model.name!r}, {sweep.optimizer.name!r} and {sweep.schedule.name!r}"
        raise SpecError(
            f"a training step with {parts} cannot be traced{_place(sweep, error)}: "
            f"{type(error).__name__}: {_first_line(error)}; the model must need no other random "
            "stream than 'dropout', the schedule must return one number computed with jax.numpy, "
            "and the optimizer must keep shapes and types"
        ) from error


def _place(sweep: Sweep, error: Exception) -> str:
    """Returns where in the user's own files an error arose, if it did there."""
    named = (sweep.model, sweep.optimizer, sweep.schedule)
    files = {str(source_file(n.name, n.folder)) for n in named}
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in files]
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].rstrip(".;: ")


def _check_model(sweep: Sweep, module: Any, dataset: Dataset, *, uses_dropout: bool) -> int:
    """Traces the model once; returns its number of parameters."""
    arguments = {"training": False} if uses_dropout else {}
    inputs = jax.ShapeDtypeStruct((2, *dataset.input_shape), jnp.float32)
    try:
        logits, variables = jax.eval_shape(
            lambda x: module.init_with_output(jax.random.key(0), x, **arguments), inputs
        )
    except Exception as error:
        raise SpecError(
            f"model {sweep.model.name!r} does not take inputs of shape {dataset.input_shape}: "
            f"{type(error).__name__}: {_first_line(error)}; choose a model that fits the data set "
            f"{sweep.dataset.name!r}"
        ) from error
    others = sorted(set(variables) - {"params"})
    if others:
        raise SpecError(
            f"model {sweep.model.name!r} keeps state beside its parameters ({', '.join(others)}), "
            f"such as batch statistics; use a model with parameters only"
        )
    shape = getattr(logits, "shape", None)
    if shape != (2, dataset.num_classes):
        returned = f"a {type(logits).__name__}" if shape is None else f"shape {shape}"
        raise SpecError(
            f"model {sweep.model.name!r} returns {returned} for 2 "
            f"examples, expected (2, {dataset.num_classes}): one logit per class"
        )
    return sum(leaf.size for leaf in jax.tree.leaves(variables["params"]))
