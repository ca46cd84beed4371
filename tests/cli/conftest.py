"""The real command, on sweeps of a few seconds."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

# Trials of the first learning rate train in vain to the end of their budget, those of the second
# reach the goal, and those of the third diverge, which puts NaN into the tables.
_SWEEP = """
name = "{name}"
description = "A sweep for tests"
dataset = {{ name = "mnist_10k", subset = 512 }}
model = "fc_8"
optimizer = "momentum"
schedule = "constant"
goal = {{ metric = "val/classification_error", below = {goal} }}
batch_sizes = [16, 32]
trials = 4
k = 4
seed = {seed}
budget = {{ steps = {steps} }}
evaluation = {{ every_examples = 64, growth = 0.01 }}

[search_space.parameter_configs.learning_rate]
type = "DISCRETE"
feasible_points = {rates}

[search_space.parameter_configs.momentum]
type = "DOUBLE"
scale = "REVERSE_LOG_SCALE"
min_value = 0.5
max_value = 0.9
"""


@dataclass(frozen=True)
class Ended:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one sentence on stderr; fails if there is more, or output."""
        assert self.out == ""
        (line,) = self.err.splitlines()
        assert line.startswith("batchscope") and "Traceback" not in line
        return line


def _sweep(
    folder: Path,
    name: str,
    *,
    goal: float = 0.5,
    rates: Sequence[float] = (1e-6, 0.1, 1e30),
    steps: int = 2000,
    seed: int = 0,
) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(_SWEEP.format(name=name, goal=goal, rates=list(rates), steps=steps, seed=seed))
    return path


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "batchscope", *map(str, arguments)]


def _batchscope(*arguments: object, cwd: Path | None = None) -> Ended:
    process = subprocess.run(
        _command(*arguments),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
    )
    return Ended(process.returncode, process.stdout, process.stderr)


def _tables(folder: Path) -> dict[str, bytes]:
    contents = {}
    for path in sorted(folder.rglob("*.parquet")):
        table = pq.read_table(path).replace_schema_metadata()  # which holds what a clock said
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        contents[path.relative_to(folder).as_posix()] = stream.getvalue().to_pybytes()
    return contents


@pytest.fixture(scope="session")
def write_sweep() -> Callable[..., Path]:
    """Writes the TOML of a sweep: folder, name, and what is to differ."""
    return _sweep


@pytest.fixture(scope="session")
def command() -> Callable[..., list[str]]:
    """Returns the arguments that start the command in a process of its own."""
    return _command


@pytest.fixture(scope="session")
def batchscope() -> Callable[..., Ended]:
    """Runs the command to its end, without a terminal."""
    return _batchscope


@pytest.fixture(scope="session")
def tables() -> Callable[[Path], dict[str, bytes]]:
    """Returns the columns, bit for bit, of every table below a folder."""
    return _tables


@dataclass(frozen=True)
class Run:
    """A run of the sweeps alpha and beta into `out`."""

    sweeps: tuple[Path, Path]
    out: Path
    ended: Ended


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two sweeps, run by one command without a break; to be read, not written."""
    folder = tmp_path_factory.mktemp("finished")
    sweeps = (_sweep(folder, "alpha"), _sweep(folder, "beta", seed=1, steps=200))
    ended = _batchscope("run", *sweeps, "--out", folder / "out")
    assert ended.code == 0, ended.err
    return Run(sweeps, folder / "out", ended)
