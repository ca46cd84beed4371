"""What is wrong with the user's own code is said in one sentence before anything is trained."""

from pathlib import Path

import pytest

from batchscope.errors import SpecError
from batchscope.spec import parse_sweep
from batchscope.training.workload import load_workload

SWEEP = """
name = "own"
dataset = {{ name = "mnist_10k", subset = 100 }}
model = "{model}"
optimizer = "{optimizer}"
schedule = "{schedule}"
goal = {{ metric = "val/classification_error", below = 0.5 }}
batch_sizes = [10]
trials = 1
budget = {{ steps = 10 }}
[metaparameters]
learning_rate = 0.1
"""

CODE = """
import jax.numpy as jnp
import optax
from flax import linen as nn


def branches(*, learning_rate):
    def schedule(step):
        if step < 10:
            return learning_rate
        return 0.0
    return schedule


def nothing(*, learning_rate):
    return lambda step: None


def vector(*, learning_rate):
    return lambda step: learning_rate * jnp.ones(3)


def needs_the_loss(learning_rate):
    return optax.chain(optax.sgd(learning_rate), optax.contrib.reduce_on_plateau())


class Noisy(nn.Module):
    num_classes: int

    @nn.compact
    def __call__(self, inputs, *, training):
        if training:
            inputs = inputs + self.make_rng("noise")[0]
        return nn.Dense(self.num_classes)(inputs.reshape(len(inputs), -1))


def another_stream(num_classes):
    return Noisy(num_classes)


class Pair(nn.Module):
    @nn.compact
    def __call__(self, inputs):
        return nn.Dense(10)(inputs.reshape(len(inputs), -1)), 0


def pair():
    return Pair()
"""


@pytest.mark.parametrize(
    ("part", "name", "said"),
    [
        ("schedule", "branches", "own.py, line"),
        ("schedule", "nothing", "the schedule must return one number"),
        ("schedule", "vector", "the schedule must return one number"),
        ("optimizer", "needs_the_loss", "cannot be traced"),
        ("model", "another_stream", "no other random stream than 'dropout'"),
        ("model", "pair", "returns a tuple for 2 examples"),
    ],
)
def test_mistakes_in_a_training_step(tmp_path: Path, part: str, name: str, said: str) -> None:
    (tmp_path / "own.py").write_text(CODE)
    names = {"model": "fc_8", "optimizer": "sgd", "schedule": "constant"} | {part: f"own:{name}"}
    sweep = parse_sweep(SWEEP.format(**names), folder=tmp_path)
    with pytest.raises(SpecError) as mistake:
        load_workload(sweep)
    assert said in str(mistake.value)
    assert "\n" not in str(mistake.value)


def test_a_missing_import_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("import optaxx\n")
    names = {"model": "own:net", "optimizer": "sgd", "schedule": "constant"}
    with pytest.raises(SpecError, match=r"own\.py imports 'optaxx', which is not installed"):
        load_workload(parse_sweep(SWEEP.format(**names), folder=tmp_path))
