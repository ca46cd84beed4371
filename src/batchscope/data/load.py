"""From a name to a data set, the package's or the user's own."""

import inspect
from collections.abc import Callable
from typing import Any

from batchscope.data.dataset import Dataset
from batchscope.data.embedded import mnist_10k
from batchscope.data.own import as_dataset
from batchscope.data.prepared import cifar10, fashion_mnist, mnist
from batchscope.data.splits import take_subset
from batchscope.errors import SpecError
from batchscope.plugins import call, is_plugin, resolve
from batchscope.spec.sweep import Named

DATASETS: dict[str, Callable[..., Dataset]] = {
    "mnist_10k": mnist_10k,
    "mnist": mnist,
    "fashion_mnist": fashion_mnist,
    "cifar10": cifar10,
}


def load_dataset(dataset: Named) -> Dataset:
    """Returns the data set of that name.

    The option `subset` keeps that many training examples of any data set; the other options are
    handed to its function. What a user's `module:function` may return is told in `own`.

    Raises:
        SpecError: nothing has that name, an option is not one of its parameters, the data is
            missing, or what the function returned is not a data set.
    """
    function = resolve("data set", dataset.name, DATASETS, dataset.folder)
    options = dict(dataset.options)
    accepted, open_ended = _parameters(function)
    subset = None if "subset" in accepted else options.pop("subset", None)
    for option in options:
        if option not in accepted and not open_ended:
            takes = ", ".join([*accepted, "subset"])
            raise SpecError(
                f"data set {dataset.name!r} has no option {option!r}: it takes {takes}; "
                f"remove or correct the option"
            )
    loaded = call("data set", dataset.name, function, **options)
    if is_plugin(dataset.name):
        loaded = as_dataset(dataset.name, loaded)
    return loaded if subset is None else take_subset(loaded, subset)


def _parameters(function: Callable[..., Any]) -> tuple[list[str], bool]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], True
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return named, any(p.kind is p.VAR_KEYWORD for p in parameters)
