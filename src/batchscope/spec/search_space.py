"""Reading the search space, in the field names of the published study database."""

import re
from collections.abc import Mapping
from itertools import pairwise

from batchscope.spec.sweep import ParameterConfig, ParameterType, Scale
from batchscope.spec.table import Table, is_count, is_finite_number, show

MAX_PARAMETERS = 20  # beyond, the low-discrepancy sequence is no better than random points
PARAMETER_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYS = ("type", "scale", "min_value", "max_value", "feasible_points")
_LARGEST_INTEGER = 2**53  # whole numbers a double holds exactly


def read_search_space(
    document: Table, *, fixed: Mapping[str, float]
) -> tuple[ParameterConfig, ...]:
    """Returns the searched metaparameters in the order of the text.

    Args:
        document: the whole sweep.
        fixed: metaparameters that already have a value.

    Raises:
        SpecError: a range that cannot be searched, or a metaparameter that is fixed as well.
    """
    space = document.table("search_space", known=("parameter_configs",))
    configs = space.table("parameter_configs", expected="a table per searched metaparameter")
    if len(configs.values) > MAX_PARAMETERS:
        raise configs.error(
            list(configs.values)[MAX_PARAMETERS],
            f"is searched metaparameter number {MAX_PARAMETERS + 1}, expected at most "
            f"{MAX_PARAMETERS}: give some a fixed value under [metaparameters]",
        )
    for name in configs.values:
        check_parameter_name(configs, name)
        if name in fixed:
            raise configs.error(
                name,
                f"is searched and also fixed at {show(fixed[name])} under [metaparameters], "
                "expected one of the two",
            )
    return tuple(_read_config(configs, name) for name in configs.values)


def check_parameter_name(table: Table, name: str) -> None:
    """Raises SpecError for a name that cannot be a metaparameter's."""
    if not PARAMETER_NAME.fullmatch(name):
        raise table.error(
            name, "is no metaparameter's name, expected letters, digits and _, no digit first"
        )


def _read_config(configs: Table, name: str) -> ParameterConfig:
    table = configs.table(name, known=_KEYS, expected="a table with min_value and max_value")
    kind = ParameterType(table.choice("type", ParameterType, default=ParameterType.DOUBLE))
    if kind is ParameterType.DISCRETE:
        return _read_discrete(table, name)
    if "feasible_points" in table:
        raise table.error(
            "feasible_points", f'is given for the type {kind}, expected type = "DISCRETE" with it'
        )
    # the database writes an empty scale where it means linear
    scale = Scale(
        table.choice("scale", Scale, default=Scale.LINEAR)
        if table.values.get("scale") != ""
        else Scale.LINEAR
    )
    low, high = table.number("min_value"), table.number("max_value")
    if low >= high:
        raise table.wrong("min_value", f"less than max_value, which is {show(high)}")
    if kind is ParameterType.INTEGER:
        _check_whole(table)
    if scale is Scale.LOG and low <= 0:
        raise table.wrong("min_value", "more than 0 for LOG_SCALE")
    if scale is Scale.REVERSE_LOG and high >= 1:
        raise table.wrong("max_value", "less than 1 for REVERSE_LOG_SCALE")
    return ParameterConfig(name=name, type=kind, scale=scale, min_value=low, max_value=high)


def _check_whole(table: Table) -> None:
    for key in ("min_value", "max_value"):
        value = table.number(key)
        if not value.is_integer() or abs(value) > _LARGEST_INTEGER:
            raise table.wrong(key, "a whole number for the type INTEGER, at most 2^53 in size")


def _read_discrete(table: Table, name: str) -> ParameterConfig:
    for key in ("min_value", "max_value", "scale"):
        if key in table and table.values[key] != "":
            raise table.error(
                key,
                f"is {show(table.values[key])}, expected feasible_points alone for the type "
                "DISCRETE",
            )
    points = table.values.get("feasible_points")
    expected = "a list of numbers in ascending order for the type DISCRETE"
    if not isinstance(points, (list, tuple)) or not points:
        raise table.wrong("feasible_points", expected)
    if not all(is_count(point) or is_finite_number(point) for point in points):
        raise table.wrong("feasible_points", expected)
    if any(after <= before for before, after in pairwise(points)):
        raise table.wrong("feasible_points", f"{expected}, each once")
    return ParameterConfig(
        name=name,
        type=ParameterType.DISCRETE,
        feasible_points=tuple(float(point) for point in points),
    )
