"""The wheel: code, data and catalogue come along."""

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A folder in which nothing but the wheel is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-build-isolation", "--no-deps", "-w", folder, _ROOT], check=True
    )
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", folder / "site", wheel], check=True)
    return folder / "site"


def test_the_wheel_works_without_the_checkout(installed, write_sweep, tmp_path):
    sweep = write_sweep(tmp_path, "mine")
    script = """
import sys
from importlib import resources
import batchscope
from batchscope.cli import main
print(batchscope.__file__)
print(resources.files("batchscope") / "catalog" / "quick.toml")
for arguments in (["list"], ["show", "quick"], ["plan", sys.argv[1], "--batch-sizes", "16"]):
    print("rc", main(arguments))
"""
    ended = subprocess.run(
        [sys.executable, "-c", script, sweep],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr == ""
    lines = ended.stdout.splitlines()
    assert lines[:2] == [
        str(installed / "batchscope" / "__init__.py"),
        str(installed / "batchscope" / "catalog" / "quick.toml"),
    ]
    assert lines.count("rc 0") == 3
    assert any(line.startswith("mine: mnist_10k") for line in lines)


def test_the_wheel_holds_every_file_of_the_package(installed):
    def files(folder: Path) -> set[str]:
        paths = (path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)) for path in paths if path.suffix != ".pyc"}

    assert files(installed / "batchscope") == files(_ROOT / "src" / "batchscope")
    assert (installed / "bin" / "batchscope").is_file()
