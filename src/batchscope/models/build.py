"""From a name to a model, the package's or the user's own."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from flax import linen as nn

from batchscope.errors import SpecError
from batchscope.models.fully_connected import fully_connected, widths_of
from batchscope.models.simple_cnn import SimpleCNN
from batchscope.plugins import call, is_plugin, resolve
from batchscope.spec.sweep import Named


def build_model(model: Named, *, num_classes: int, input_shape: tuple[int, ...]) -> nn.Module:
    """Returns the flax module of that name for inputs [m, *input_shape].

    `module.apply({"params": params}, inputs)` gives logits [m, num_classes]. A module whose
    `__call__` has a parameter `training` is to be called with it, and while training with a random
    key named "dropout". A user's function is called with those of `num_classes` and `input_shape`
    that it accepts, and the options.

    Raises:
        SpecError: nothing has that name, an option is not one of its parameters, the input shape
            does not suit it, or the function returns something other than a flax.linen.Module.
    """
    function = resolve("model", model.name, _registry(model.name), model.folder)
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise SpecError(
            f"model {model.name!r} does not tell its parameters ({error}); "
            f"wrap it in a Python function that names them"
        ) from error
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    sizes = {"num_classes": num_classes, "input_shape": input_shape}
    given = {name: size for name, size in sizes.items() if open_ended or name in parameters}
    for option in model.options:
        if option in sizes or not (open_ended or option in parameters):
            known = [name for name in parameters if name not in sizes]
            takes = f"takes {', '.join(known)}" if known else "takes none"
            raise SpecError(
                f"model {model.name!r} has no option {option!r}: it {takes}; "
                f"remove or correct the option"
            )
    module = call("model", model.name, function, **given, **model.options)
    if not isinstance(module, nn.Module):
        kind = "class" if isinstance(module, type) else type(module).__name__
        raise SpecError(
            f"model {model.name!r} returned a {kind} ({module!r:.60}); "
            f"it must return an instance of flax.linen.Module"
        )
    return module


def _registry(name: str) -> dict[str, Callable[..., Any]]:
    """Returns the registered models, with the fully connected one that `name` may spell."""
    spelled = [] if is_plugin(name) else [name]
    widths = {n: w for n in ["fc_64", "fc_1024_1024", *spelled] if (w := widths_of(n))}
    return {
        **{n: partial(_fully_connected, w) for n, w in widths.items()},
        "simple_cnn": partial(_simple_cnn, (32, 64), 1024),
        "simple_cnn_base": partial(_simple_cnn, (32, 64), 1024),
        "simple_cnn_narrow": partial(_simple_cnn, (16, 32), 512),
        "simple_cnn_wide": partial(_simple_cnn, (64, 128), 2048),
    }


def _fully_connected(
    widths: tuple[int, ...], /, *, num_classes: int, dropout_rate: float | None = None
) -> nn.Module:
    return fully_connected(widths=widths, num_classes=num_classes, dropout_rate=dropout_rate)


def _simple_cnn(
    filters: tuple[int, int], hidden: int, /, *, num_classes: int, input_shape: tuple[int, ...]
) -> nn.Module:
    if len(input_shape) != 3 or min(input_shape[:2]) < 4:
        raise SpecError(
            f"the Simple CNN takes images of height, width and channels, at least 4 x 4, "
            f"but the data set's inputs have the shape {input_shape}; choose another model"
        )
    return SimpleCNN(filters=filters, hidden=hidden, num_classes=num_classes)
