"""Looking a name up in a registry, or in the user's own code as `module:function`."""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from batchscope.errors import BatchscopeError, SpecError


def is_plugin(name: str) -> bool:
    """Returns whether `name` points at the user's own code."""
    return ":" in name


def resolve(
    kind: str, name: str, registry: Mapping[str, Callable[..., Any]], folder: Path | None
) -> Callable[..., Any]:
    """Returns the function that `name` stands for.

    Args:
        kind: what is looked up, for messages: "model", "data set", ...
        name: a key of `registry`, or `module:function`.
        registry: the functions the package ships.
        folder: where `module.py` is looked for before the installed packages.

    Raises:
        SpecError: nothing has that name.
    """
    if not is_plugin(name):
        if name in registry:
            return registry[name]
        raise SpecError(unknown(kind, name, registry))
    module_name, _, attribute = name.partition(":")
    module = _load(kind, name, module_name, folder)
    function = getattr(module, attribute, None)
    if not callable(function):
        raise SpecError(
            f"{kind} {name!r}: the module {module_name!r} has no function {attribute!r}; "
            f"define it there or correct the name"
        )
    return function


def call(
    kind: str, name: str, function: Callable[..., Any], /, *arguments: Any, **keywords: Any
) -> Any:
    """Returns what `function`, found by `resolve`, returns.

    Raises:
        SpecError: the user's own code raised something; the sentence says what and where.
    """
    try:
        return function(*arguments, **keywords)
    except BatchscopeError:
        raise
    except (Exception, SystemExit) as error:  # a script that calls sys.exit() must not end us
        if not is_plugin(name):
            raise
        file = getattr(getattr(function, "__code__", None), "co_filename", None)
        raise SpecError(
            f"{kind} {name!r} failed with {_failure(error, file)}; correct its code or its options"
        ) from error


def _failure(error: BaseException, file: str | None) -> str:
    """Returns an error's type, the first line it says, and the last place in `file` it went by."""
    frames = traceback.extract_tb(error.__traceback__)
    frame = [*frames, *(f for f in frames if f.filename == file)][-1]
    says = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {says} ({frame.filename}, line {frame.lineno})"


def unknown(kind: str, name: str, known: Mapping[str, Any]) -> str:
    """Returns the sentence for a name that is in no registry."""
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return (
        f"unknown {kind} {name!r}: {hint}known are {', '.join(sorted(known))}, or module:function"
    )


def source_file(name: str, folder: Path | None) -> Path | None:
    """Returns the file beside the sweep that a `module:function` name loads, if there is one."""
    if not is_plugin(name) or folder is None:
        return None
    path = folder.joinpath(*name.partition(":")[0].split(".")).with_suffix(".py")
    return path if path.is_file() else None


def _load(kind: str, name: str, module_name: str, folder: Path | None) -> ModuleType:
    path = source_file(name, folder)
    try:
        if path is None:
            return importlib.import_module(module_name)
        # keyed by its full path: two sweeps may each have a module of the same name
        key = f"batchscope_plugin:{path.resolve()}"
        if key not in sys.modules:
            spec = importlib.util.spec_from_file_location(key, path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[key] = module
            try:
                spec.loader.exec_module(module)
            except BaseException:
                del sys.modules[key]
                raise
        return sys.modules[key]
    except ModuleNotFoundError as error:
        if path is not None:
            raise SpecError(
                f"{kind} {name!r}: {path} imports {error.name!r}, which is not installed; "
                "install it or remove the import"
            ) from error
        where = f"{folder} or the installed packages" if folder else "the installed packages"
        raise SpecError(
            f"{kind} {name!r}: {error}; put {module_name}.py into {where}, or correct the name"
        ) from error
    except SyntaxError as error:  # says itself where
        raise SpecError(
            f"{kind} {name!r}: importing {path or module_name} failed with "
            f"{type(error).__name__}: {error}; correct the module"
        ) from error
    except (Exception, SystemExit) as error:
        raise SpecError(
            f"{kind} {name!r}: importing {path or module_name} failed with "
            f"{_failure(error, str(path))}; correct the module"
        ) from error
