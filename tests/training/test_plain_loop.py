"""The engine against a training loop written independently: NumPy, float64, gradients by hand."""

import jax
import numpy as np
import pytest

from batchscope.data import batch_indices, load_dataset
from batchscope.spec import parse_sweep
from batchscope.training.engine import Engine
from batchscope.training.trial import Trial
from batchscope.training.workload import load_workload

STEPS, BATCH, SEED = 12, 20, 3

SCHEDULES = {
    "constant": {},
    "linear_decay": {"end_learning_rate_factor": 0.1, "learning_rate_decay_steps": 8},
    "cosine": {"end_learning_rate_factor": 0.1, "learning_rate_decay_steps": 8},
    "piecewise_linear": {
        "end_learning_rate_factor": 0.1,
        "learning_rate_decay_steps": 8,
        "learning_rate_warmup_steps": 3,
    },
}
OPTIMIZERS = {
    "sgd": {},
    "momentum": {"momentum": 0.9},
    "nesterov_momentum": {"momentum": 0.9},
    "adam": {"beta1": 0.8, "beta2": 0.95, "epsilon": 1e-6},
}


def learning_rate(schedule: str, t: int, eta: float, values: dict[str, float]) -> float:
    if schedule == "constant":
        return eta
    alpha, end = values["end_learning_rate_factor"], values["learning_rate_decay_steps"]
    done = min(t / end, 1.0)
    if schedule == "linear_decay":
        return eta * (1 - (1 - alpha) * done)
    if schedule == "cosine":
        return eta * (alpha + (1 - alpha) * (1 + np.cos(np.pi * done)) / 2)
    warmup = values["learning_rate_warmup_steps"]
    if t < warmup:
        return eta * (t + 1) / (warmup + 1)
    return eta * (1 - (1 - alpha) * min((t - warmup) / (end - warmup), 1.0))


def update(optimizer: str, values: dict[str, float], t: int, slots: list, g: np.ndarray):
    """Returns the direction to subtract, times the learning rate."""
    if optimizer == "sgd":
        return g
    if optimizer == "adam":
        b1, b2 = values["beta1"], values["beta2"]
        slots[0] = b1 * slots[0] + (1 - b1) * g
        slots[1] = b2 * slots[1] + (1 - b2) * g**2
        mean, square = slots[0] / (1 - b1 ** (t + 1)), slots[1] / (1 - b2 ** (t + 1))
        return mean / (np.sqrt(square) + values["epsilon"])
    slots[0] = values["momentum"] * slots[0] + g
    return g + values["momentum"] * slots[0] if "nesterov" in optimizer else slots[0]


def softmax(logits: np.ndarray) -> np.ndarray:
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def plain_training(parameters, dataset, optimizer, schedule, eta, values, smoothing):
    """Yields (train cross entropy of the step, val cross entropy, val errors) after each step."""
    weights = [
        parameters[layer][kind].astype(np.float64).T  # kernels are [outputs, inputs]
        for layer in ("hidden_0", "output")
        for kind in ("kernel", "bias")
    ]
    slots = [[np.zeros_like(w), np.zeros_like(w)] for w in weights]
    inputs, labels = dataset.train.fetch(np.arange(len(dataset.train)))
    val_inputs, val_labels = dataset.val.fetch(np.arange(len(dataset.val)))
    order = batch_indices(
        examples=len(labels), batch_size=BATCH, seed=SEED, first_step=0, steps=STEPS
    )
    for t, batch in enumerate(order):
        x, y = inputs[batch].reshape(BATCH, -1).astype(np.float64), labels[batch]
        hidden = np.maximum(x @ weights[0] + weights[1], 0)
        p = softmax(hidden @ weights[2] + weights[3])
        loss = -np.log(p[np.arange(BATCH), y]).mean()
        target = np.full_like(p, smoothing / (p.shape[1] - 1))
        target[np.arange(BATCH), y] = 1 - smoothing
        d = (p - target) / BATCH
        dh = (d @ weights[2].T) * (hidden > 0)
        gradients = [x.T @ dh, dh.sum(0), hidden.T @ d, d.sum(0)]
        rate = learning_rate(schedule, t, eta, values)
        for w, s, g in zip(weights, slots, gradients, strict=True):
            np.subtract(w, rate * update(optimizer, values, t, s, g), out=w)
        v = val_inputs.reshape(len(val_labels), -1).astype(np.float64)
        q = softmax(np.maximum(v @ weights[0] + weights[1], 0) @ weights[2] + weights[3])
        val_loss = -np.log(q[np.arange(len(val_labels)), val_labels]).mean()
        yield loss, val_loss, int((q.argmax(1) != val_labels).sum())


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_step_equals_the_plain_loop(optimizer: str, schedule: str) -> None:
    eta = 0.02 if optimizer == "adam" else 0.2
    smoothing = 0.1
    values = SCHEDULES[schedule] | OPTIMIZERS[optimizer]
    fixed = "\n".join(f"{name} = {value}" for name, value in values.items())
    sweep = parse_sweep(f"""
name = "plain"
dataset = {{ name = "mnist_10k", subset = 100 }}
model = "fc_8"
optimizer = "{optimizer}"
schedule = "{schedule}"
goal = {{ metric = "val/classification_error", below = 0.001 }}
batch_sizes = [{BATCH}]
trials = 1
prune = "none"
seed = {SEED}
budget = {{ steps = {STEPS} }}
evaluation = {{ every_examples = 1, growth = 0.0 }}
[metaparameters]
learning_rate = {eta}
label_smoothing = {smoothing}
{fixed}
""")
    workload = load_workload(sweep)
    tables = Engine(sweep, workload).run_pack(BATCH, 0)
    got = tables.measurements.to_pydict()
    assert got["step"] == list(range(1, STEPS + 1))

    trial = Trial(
        workload.module,
        input_shape=workload.dataset.input_shape,
        make_optimizer=workload.make_optimizer,
        uses_dropout=False,
        seed=SEED,
    )
    metaparameters = {name: np.float32(0.5) for name in workload.metaparameters}
    start = jax.tree.map(np.asarray, trial.start(np.int32(0), metaparameters).parameters)
    plain = plain_training(
        start, load_dataset(sweep.dataset), optimizer, schedule, eta, values, smoothing
    )
    losses, val_losses, errors = zip(*plain, strict=True)
    np.testing.assert_allclose(got["train/cross_entropy_error"], losses, rtol=2e-4)
    np.testing.assert_allclose(got["val/cross_entropy_error"], val_losses, rtol=2e-4)
    # a validation image may lie on the border between two classes
    wrong = np.asarray(got["val/classification_error"]) * len(workload.dataset.val)
    assert np.abs(wrong - errors).max() <= 1
