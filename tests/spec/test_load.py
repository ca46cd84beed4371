"""Finding sweeps: the catalogue, and the user's files."""

import re
from importlib import resources
from pathlib import Path

import pytest

from batchscope.errors import SpecError
from batchscope.spec import catalog, load_sweep, to_toml


def test_every_sweep_of_the_catalogue_is_valid_and_described() -> None:
    described = catalog()
    assert {"quick", "mnist_10k_sgd", "mnist_10k_nesterov"} <= set(described)
    for name, description in described.items():
        sweep = load_sweep(name)
        assert sweep.name == name
        assert sweep.description == description
        assert re.fullmatch(r"[A-Z].{10,}[^.]", description)


def test_every_sweep_of_the_catalogue_says_how_to_run_it() -> None:
    for name in catalog():
        entry = resources.files("batchscope") / "catalog" / f"{name}.toml"
        assert f"batchscope run {name} --out runs/{name}\n" in entry.read_text("utf-8")


def test_a_file_is_read_with_the_folder_of_its_modules(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = to_toml(load_sweep("quick")).replace('model = "fc_64"', 'model = "mine:net"')
    path.write_text(text, "utf-8")
    assert load_sweep(path) == load_sweep(str(path))
    assert load_sweep(path).model.folder == tmp_path


def test_a_path_without_an_ending_is_read_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_sweep").write_text(to_toml(load_sweep("quick")), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_sweep("my_sweep") == load_sweep("quick")


def message(source: str | Path) -> str:
    with pytest.raises(SpecError) as caught:
        load_sweep(source)
    return str(caught.value)


def test_a_misspelt_name() -> None:
    found = message("mnist_10k_fc64_sgd")
    assert found.startswith("no sweep 'mnist_10k_fc64_sgd': no file has that path, and the")
    assert "did you mean 'mnist_10k_sgd'?" in found
    assert message("x" * 5000).startswith("no sweep 'xxx")
    assert "the catalogue holds cifar10_simple_cnn_momentum, " in found


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert message(str(missing)) == f"{missing}: there is no such file; correct the path"
    assert message(Path("quick")) == "quick: there is no such file; correct the path"
    assert message(tmp_path).startswith(f"{tmp_path} is a folder, expected the TOML file")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'name = "caf\xe9"')
    assert message(latin).startswith(f"{latin} is not UTF-8 text (byte 11 is 0xe9), expected")
    assert "correct the path" in message("a\0b.toml")
    under_file = latin / "x.toml"
    assert message(under_file).startswith(f"'{under_file}' cannot be read: Not a directory;")


def test_a_mistake_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "x"\ntrials = 0\n', "utf-8")
    assert message(path).startswith(f"{path}, line 2: trials is 0, expected")
