"""From a name to an optimizer or a schedule, the package's or the user's own."""

import inspect
from collections.abc import Callable
from typing import Any

import optax

from batchscope.errors import SpecError
from batchscope.optimizers.rules import OPTIMIZERS
from batchscope.optimizers.schedules import SCHEDULES
from batchscope.plugins import call, is_plugin, resolve
from batchscope.spec.sweep import Named

_NUMBER = (int, float)
_KEYWORDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_NOT_POSITIONAL = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
_LEARNING_RATE = inspect.Parameter("learning_rate_schedule", inspect.Parameter.POSITIONAL_ONLY)


def build_optimizer(optimizer: Named) -> Callable[..., optax.GradientTransformation]:
    """Returns f(learning_rate_schedule, **metaparameters) -> transformation.

    The options of `optimizer` fix keyword arguments; what is left are its metaparameters, which
    `metaparameter_names` lists. f may be called under `jit` with traced metaparameters.

    Raises:
        SpecError: nothing has that name, an option is not a parameter of it, or, when f is called,
            it returns something that is not an optax transformation.
    """
    function = resolve("optimizer", optimizer.name, OPTIMIZERS, optimizer.folder)
    signature = _signature("optimizer", optimizer.name, function)
    parameters = list(signature.parameters.values())
    others = parameters[1:]
    if not parameters or parameters[0].kind in _NOT_POSITIONAL:
        raise SpecError(
            f"optimizer {optimizer.name!r} has the signature {signature}; "
            f"its first parameter must be positional and takes the learning rate schedule"
        )
    fixed = _check_options("optimizer", optimizer, others)

    def build(learning_rate: Any, /, **metaparameters: Any) -> optax.GradientTransformation:
        given = fixed | metaparameters
        result = call("optimizer", optimizer.name, function, learning_rate, **given)
        if not isinstance(result, optax.GradientTransformation):
            raise SpecError(
                f"optimizer {optimizer.name!r} returned a {type(result).__name__}; "
                f"it must return an optax.GradientTransformation"
            )
        return result

    _describe(build, [_LEARNING_RATE, *_left(others, fixed)])
    return build


def build_schedule(schedule: Named) -> Callable[..., Callable[[Any], Any]]:
    """Returns f(**metaparameters) -> schedule, where schedule(step) is the learning rate.

    Options and tracing are as in `build_optimizer`.

    Raises:
        SpecError: nothing has that name, an option is not a parameter of it, or, when f is called,
            it returns something that cannot be called.
    """
    function = resolve("schedule", schedule.name, SCHEDULES, schedule.folder)
    parameters = list(_signature("schedule", schedule.name, function).parameters.values())
    fixed = _check_options("schedule", schedule, parameters)

    def build(**metaparameters: Any) -> Callable[[Any], Any]:
        result = call("schedule", schedule.name, function, **fixed, **metaparameters)
        if not callable(result):
            raise SpecError(
                f"schedule {schedule.name!r} returned a {type(result).__name__}; "
                f"it must return a function of the step"
            )
        return result

    _describe(build, _left(parameters, fixed))
    return build


def metaparameter_names(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the names of the required and of the optional metaparameters, in their order.

    `function` is what `build_optimizer` or `build_schedule` returned; the learning rate schedule
    that an optimizer takes first is not a metaparameter.
    """
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind in _KEYWORDS]
    required = tuple(p.name for p in parameters if p.default is p.empty)
    optional = tuple(p.name for p in parameters if p.default is not p.empty)
    return required, optional


def _signature(kind: str, name: str, function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise SpecError(
            f"{kind} {name!r} does not tell its parameters ({error}); "
            f"wrap it in a Python function that names them"
        ) from error


def _check_options(kind: str, named: Named, parameters: list[inspect.Parameter]) -> dict[str, Any]:
    accepted = [p.name for p in parameters if p.kind in _KEYWORDS]
    open_ended = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    for option in named.options:
        if option not in accepted and not open_ended:
            takes = f"takes {', '.join(accepted)}" if accepted else "takes none"
            raise SpecError(
                f"{kind} {named.name!r} has no option {option!r}: it {takes}; "
                f"remove or correct the option"
            )
        value = named.options[option]
        if not is_plugin(named.name) and (
            isinstance(value, bool) or not isinstance(value, _NUMBER)
        ):
            raise SpecError(
                f"{kind} {named.name!r} has {option} = {value!r}; expected a number, correct it"
            )
    return dict(named.options)


def _left(parameters: list[inspect.Parameter], fixed: dict[str, Any]) -> list[inspect.Parameter]:
    return [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in parameters
        if parameter.kind in _KEYWORDS and parameter.name not in fixed
    ]


def _describe(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
