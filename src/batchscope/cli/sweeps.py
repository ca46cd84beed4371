"""`batchscope list` and `batchscope show`."""

from batchscope.spec import catalog, load_sweep, to_toml


def list_sweeps() -> int:
    """Prints the catalogue, a line each."""
    sweeps = catalog()
    width = max(map(len, sweeps))
    for name, description in sweeps.items():
        print(f"{name:<{width}}  {description}")
    return 0


def show_sweep(source: str) -> int:
    """Prints a sweep as TOML with every default written out."""
    print(to_toml(load_sweep(source)), end="")
    return 0
