"""The Python lines of the README do what it says."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    assert {p.name for p in Path("runs/python").iterdir()} >= {"report.html", "curve.json"}


def test_the_sweep_shown_is_valid() -> None:
    from batchscope.spec import parse_sweep

    (text,) = re.findall(r"```toml\n(.*?)```", README.read_text("utf-8"), flags=re.DOTALL)
    assert parse_sweep(text).optimizer.name == "nesterov_momentum"
