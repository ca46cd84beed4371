"""`curve.json` and the wording of numbers."""

import json
import math
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from batchscope.analysis.findings import Estimate, Findings
from batchscope.report import SCHEMA_VERSION, to_json, wording


def test_json_is_strict_and_holds_every_number_with_its_interval(two_sweeps: Findings) -> None:
    text = json.dumps(to_json(two_sweeps), allow_nan=False)
    read = json.loads(text)

    assert read["schema_version"] == SCHEMA_VERSION
    sgd, _ = read["sweeps"]
    assert [s["batch_size"] for s in sgd["studies"]] == [2**i for i in range(2, 12)]
    critical = two_sweeps.sweeps[0].curve
    assert critical is not None
    assert sgd["curve"]["critical_batch_size"] == {
        "value": critical.critical_batch_size.value,
        "low": critical.critical_batch_size.low,
        "high": critical.critical_batch_size.high,
        "level": 0.9,
        "bound": "=",
    }
    assert len(sgd["studies"][0]["trials"]) == 64
    batch_size, ratio = read["comparisons"][0]["steps"][0]
    assert batch_size == 4
    assert ratio["low"] < ratio["value"] < ratio["high"]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_json_turns_a_number_that_is_not_finite_into_null(two_sweeps: Findings, bad: float) -> None:
    first = two_sweeps.sweeps[0]
    study = replace(
        first.studies[0],
        optimism_log2=bad,
        best_parameters=MappingProxyType({"learning_rate": bad}),
        budget_steps=np.int64(7),
    )
    findings = Findings((replace(first, studies=(study,)),))

    read = json.loads(json.dumps(to_json(findings), allow_nan=False))

    (shown,) = read["sweeps"][0]["studies"]
    assert shown["optimism_log2"] is None
    assert shown["best_parameters"] == {"learning_rate": None}
    assert shown["budget_steps"] == 7


def test_json_refuses_what_has_no_counterpart(two_sweeps: Findings) -> None:
    odd = replace(two_sweeps.sweeps[0], versions={"batchscope": object()})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="object has no JSON counterpart"):
        to_json(Findings((odd,)))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2048, "2,048"),
        (198_656.0, "198,656"),
        (1234.56, "1,235"),
        (35.2345, "35.2"),
        (0.03125, "0.0312"),
        (0, "0"),
        (-0.5, "−0.5"),
        (1e-7, "1e−07"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_numbers_have_separators_and_three_digits(value: float | None, shown: str) -> None:
    assert wording.number(value) == shown


@pytest.mark.parametrize(
    ("estimate", "shown", "interval"),
    [
        (Estimate(64, 51, 83), "64", "51 to 83"),
        (Estimate(2048, 1500, None, bound=">="), "≥ 2,048", "at least 1,500"),
        (Estimate(4, None, 9, bound="<="), "≤ 4", "at most 9"),
        (Estimate(None, None, None), "–", ""),
    ],
)
def test_estimates_show_their_bounds(estimate: Estimate, shown: str, interval: str) -> None:
    assert wording.estimate(estimate) == shown
    assert wording.interval(estimate) == interval
