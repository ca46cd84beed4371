"""Models by name: sizes, what they compute, options, and the user's own."""

import inspect
from functools import partial
from pathlib import Path

import jax
import numpy as np
import pytest

from batchscope.errors import SpecError
from batchscope.models import build_model
from batchscope.spec.sweep import Named

MNIST = (28, 28, 1)


def _shapes(module, input_shape):
    keywords = {"training": False} if "training" in inspect.signature(module).parameters else {}
    inputs = np.zeros((1, *input_shape), np.float32)
    return jax.eval_shape(partial(module.init, **keywords), jax.random.key(0), inputs)["params"]


def _normal_parameters(module, input_shape):
    random = np.random.default_rng(7)
    return jax.tree.map(
        lambda leaf: random.normal(size=leaf.shape).astype(leaf.dtype) / max(leaf.shape) ** 0.5,
        _shapes(module, input_shape),
    )


def _count(name: str, *, classes: int = 10, shape: tuple[int, ...] = MNIST, **options) -> int:
    module = build_model(Named(name, options), num_classes=classes, input_shape=shape)
    return sum(leaf.size for leaf in jax.tree.leaves(_shapes(module, shape)))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("fc_64", 50_890),
        ("fc_1024_1024", 1_863_690),
        ("fc_1024_1024_1024", 2_913_290),
        ("simple_cnn", 3_274_634),
        ("simple_cnn_base", 3_274_634),
        ("simple_cnn_narrow", 821_706),
        ("simple_cnn_wide", 13_074_186),
    ],
)
def test_parameter_counts(name: str, parameters: int) -> None:
    assert _count(name) == parameters


def test_sizes_follow_the_data_set() -> None:
    assert _count("fc_7", classes=3, shape=(5,)) == 5 * 7 + 7 + 7 * 3 + 3
    # two poolings leave 8 x 8 of 32 x 32
    cifar = 75 * 32 + 32 + 800 * 64 + 64 + 8 * 8 * 64 * 1024 + 1024 + 1024 * 10 + 10
    assert _count("simple_cnn", shape=(32, 32, 3)) == cifar


def test_fully_connected_computes_relu_layers() -> None:
    module = build_model(Named("fc_6_5"), num_classes=3, input_shape=(2, 2, 1))
    parameters = _normal_parameters(module, (2, 2, 1))
    x = np.random.default_rng(0).normal(size=(4, 2, 2, 1)).astype(np.float32)
    hidden = x.reshape(4, 4).astype(np.float64)
    for layer in ("hidden_0", "hidden_1"):
        weights = parameters[layer]
        hidden = np.maximum(hidden @ weights["kernel"].T + weights["bias"], 0)
    expected = hidden @ parameters["output"]["kernel"].T + parameters["output"]["bias"]
    np.testing.assert_allclose(module.apply({"params": parameters}, x), expected, rtol=1e-5)


def test_simple_cnn_computes_convolution_relu_pooling_twice() -> None:
    module = build_model(Named("simple_cnn_narrow"), num_classes=3, input_shape=(9, 8, 2))
    parameters = _normal_parameters(module, (9, 8, 2))
    x = np.random.default_rng(0).normal(size=(2, 9, 8, 2)).astype(np.float32)
    features = x.astype(np.float64)
    for layer in ("convolution_0", "convolution_1"):
        kernel, bias = parameters[layer]["kernel"], parameters[layer]["bias"]
        m, rows, columns, _ = features.shape
        padded = np.pad(features, ((0, 0), (2, 2), (2, 2), (0, 0)))
        convolved = np.zeros((m, rows, columns, kernel.shape[-1]))
        for i, j in np.ndindex(5, 5):
            convolved += padded[:, i : i + rows, j : j + columns] @ kernel[i, j]
        active = np.maximum(convolved + bias, 0)[:, : rows // 2 * 2, : columns // 2 * 2]
        features = active.reshape(m, rows // 2, 2, columns // 2, 2, -1).max(axis=(2, 4))
    hidden = features.reshape(2, -1)
    hidden = np.maximum(hidden @ parameters["hidden"]["kernel"].T + parameters["hidden"]["bias"], 0)
    expected = hidden @ parameters["output"]["kernel"].T + parameters["output"]["bias"]
    logits = module.apply({"params": parameters}, x)
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-5)


def test_initial_weights_are_lecun_normal_and_biases_zero() -> None:
    module = build_model(Named("fc_512"), num_classes=10, input_shape=(400,))
    inputs = np.zeros((1, 400), np.float32)
    hidden = jax.jit(module.init)(jax.random.key(0), inputs)["params"]["hidden_0"]
    assert np.std(hidden["kernel"]) == pytest.approx(400**-0.5, rel=0.02)
    assert not np.any(hidden["bias"])


def test_dropout_drops_while_training_only() -> None:
    named = Named("fc_1000", {"dropout_rate": 0.25})
    module = build_model(named, num_classes=2, input_shape=(3,))
    plain = build_model(Named("fc_1000"), num_classes=2, input_shape=(3,))
    variables = {"params": _normal_parameters(module, (3,))}
    x = np.ones((1, 3), np.float32)

    quiet = module.apply(variables, x, training=False)
    np.testing.assert_array_equal(quiet, plain.apply(variables, x))

    @jax.jit
    @jax.vmap
    def noisy(seed):
        rngs = {"dropout": jax.random.key(seed)}
        return module.apply(variables, x, training=True, rngs=rngs)

    outputs = noisy(np.arange(400))
    np.testing.assert_array_equal(outputs[:2], noisy(np.arange(2)))
    assert np.std(outputs, axis=0).min() > 0.01
    # what is kept is scaled up, so that the mean is that of the whole network
    error_of_mean = np.std(outputs, axis=0) / 20
    assert np.all(np.abs(np.mean(outputs, axis=0) - quiet) < 4 * error_of_mean)


def test_only_models_with_dropout_ask_whether_they_train() -> None:
    plain = build_model(Named("fc_8"), num_classes=2, input_shape=(3,))
    dropped = build_model(Named("fc_8", {"dropout_rate": 0.5}), num_classes=2, input_shape=(3,))
    assert "training" not in inspect.signature(plain).parameters
    assert "training" in inspect.signature(dropped).parameters


OWN = """
from flax import linen as nn

class Linear(nn.Module):
    num_classes: int
    scale: float = 1.0

    @nn.compact
    def __call__(self, inputs):
        return self.scale * nn.Dense(self.num_classes)(inputs.reshape(len(inputs), -1))

def both(num_classes, input_shape, *, scale=2.0):
    assert input_shape == (4,)
    return Linear(num_classes, scale)

def neither():
    return Linear(3)

def a_class(num_classes):
    return Linear

def a_number():
    return 12

def broken(num_classes):
    return [][num_classes]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(OWN)
    return tmp_path


def test_own_model_gets_the_sizes_it_accepts_and_its_options(folder: Path) -> None:
    def build(name: str, **options):
        named = Named(f"mine:{name}", options, folder)
        return build_model(named, num_classes=3, input_shape=(4,))

    assert (build("both").num_classes, build("both").scale) == (3, 2.0)
    assert build("both", scale=5.0).scale == 5.0
    assert build("neither").num_classes == 3
    assert build("Linear").num_classes == 3


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("mine:a_class", {}, "returned a class .* instance of flax.linen.Module"),
        ("mine:a_number", {}, r"returned a int \(12\)"),
        ("mine:broken", {}, "failed with IndexError: list index out of range .*mine.py, line 26"),
        ("mine:both", {"depth": 2}, "no option 'depth': it takes scale"),
        ("mine:neither", {"num_classes": 2}, "no option 'num_classes': it takes none"),
        ("fc_64", {"dropout": 0.1}, "no option 'dropout': it takes dropout_rate"),
        ("fc_64", {"dropout_rate": 1.0}, "dropout_rate = 1.0: expected .* below 1"),
        ("fc_64", {"dropout_rate": True}, "dropout_rate = True"),
        ("fc_64_", {}, "unknown model 'fc_64_': did you mean 'fc_64'"),
        ("fc_0", {}, "unknown model 'fc_0'"),
        ("simple_cnn", {}, r"shape \(4,\)"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    folder: Path, name: str, options: dict[str, object], says: str
) -> None:
    with pytest.raises(SpecError, match=says):
        build_model(Named(name, options, folder), num_classes=3, input_shape=(4,))
