"""Names, options, metaparameters, and the user's own optimizers and schedules."""

from pathlib import Path

import jax.numpy as jnp
import optax
import pytest

from batchscope.errors import SpecError
from batchscope.optimizers import build_optimizer, build_schedule, metaparameter_names
from batchscope.spec.sweep import Named

DECAY = ("learning_rate", "end_learning_rate_factor", "learning_rate_decay_steps")


@pytest.mark.parametrize(
    ("name", "required", "optional"),
    [
        ("sgd", (), ()),
        ("momentum", ("momentum",), ()),
        ("nesterov_momentum", ("momentum",), ()),
        ("adam", (), ("beta1", "beta2", "epsilon")),
    ],
)
def test_metaparameters_of_optimizers(
    name: str, required: tuple[str, ...], optional: tuple[str, ...]
) -> None:
    assert metaparameter_names(build_optimizer(Named(name))) == (required, optional)


@pytest.mark.parametrize(
    ("name", "required"),
    [
        ("constant", ("learning_rate",)),
        ("linear_decay", DECAY),
        ("cosine", DECAY),
        ("piecewise_linear", (*DECAY, "learning_rate_warmup_steps")),
    ],
)
def test_metaparameters_of_schedules(name: str, required: tuple[str, ...]) -> None:
    assert metaparameter_names(build_schedule(Named(name))) == (required, ())


def test_an_option_fixes_a_metaparameter() -> None:
    adam = build_optimizer(Named("adam", {"epsilon": 1.0}))
    assert metaparameter_names(adam) == ((), ("beta1", "beta2"))
    transformation = adam(lambda step: 1.0)
    update, _ = transformation.update(jnp.ones(()), transformation.init(jnp.ones(())))
    assert float(update) == pytest.approx(-0.5, rel=1e-5)  # -1 / (1 + epsilon)


OWN = """
import optax

def clipped(learning_rate, clip, momentum=0.5):
    return optax.chain(optax.clip(clip), optax.sgd(learning_rate, momentum))

def keyword_only(*, learning_rate):
    return optax.sgd(learning_rate)

def a_number(learning_rate):
    return 7

def broken(learning_rate):
    return 1 / 0

def inverse(learning_rate, power=1.0):
    return lambda step: learning_rate / (1 + step) ** power
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(OWN)
    return tmp_path


def test_own_optimizer(folder: Path) -> None:
    build = build_optimizer(Named("mine:clipped", {"momentum": 0.0}, folder))
    assert metaparameter_names(build) == (("clip",), ())
    transformation = build(lambda step: 0.5, clip=2.0)
    update, _ = transformation.update(jnp.float32(9), transformation.init(jnp.float32(0)))
    assert float(update) == -1.0


def test_own_schedule(folder: Path) -> None:
    build = build_schedule(Named("mine:inverse", {}, folder))
    assert metaparameter_names(build) == (("learning_rate",), ("power",))
    assert build(learning_rate=6.0, power=2.0)(1) == 1.5


def test_an_optax_function_can_be_named_directly() -> None:
    build = build_optimizer(Named("optax:lion"))
    assert {"b1", "b2", "weight_decay"} <= set(metaparameter_names(build)[1])
    assert isinstance(build(lambda step: 0.1, b1=0.5), optax.GradientTransformation)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("mine:a_number", {}, "returned a int; it must return an optax.GradientTransformation"),
        ("mine:broken", {}, "failed with ZeroDivisionError: division by zero .*mine.py, line 14"),
        ("adam", {"epsilon": "1e-8"}, "has epsilon = '1e-8'; expected a number"),
        ("mine:keyword_only", {}, "its first parameter must be positional"),
        ("mine:clipped", {"clp": 1}, "no option 'clp': it takes clip, momentum"),
        ("mine:absent", {}, "no function 'absent'"),
        ("sgd", {"momentum": 0.9}, "no option 'momentum': it takes none"),
        ("nesterov", {}, "unknown optimizer 'nesterov'"),
    ],
)
def test_mistakes_in_optimizers(
    folder: Path, name: str, options: dict[str, object], says: str
) -> None:
    with pytest.raises(SpecError, match=says):
        build_optimizer(Named(name, options, folder))(lambda step: 0.1)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("mine:a_number", {"learning_rate": 1}, "returned a int; it must return a function"),
        ("mine:inverse", {"pow": 1}, "no option 'pow': it takes learning_rate, power"),
        ("linear", {}, "unknown schedule 'linear'"),
    ],
)
def test_mistakes_in_schedules(
    folder: Path, name: str, options: dict[str, object], says: str
) -> None:
    with pytest.raises(SpecError, match=says):
        build_schedule(Named(name, options, folder))()
