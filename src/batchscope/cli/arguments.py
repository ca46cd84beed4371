"""The commands and their options."""

import argparse
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

_DESCRIPTION = """\
Measure how far data parallelism speeds up training.

For every batch size, batchscope searches the metaparameters anew, records the fewest training
steps that reach a goal, and fits the curve of steps against batch size: where perfect scaling
ends, what the critical batch size is, and where a larger batch stops helping."""

_EXAMPLES = """\
examples:
  batchscope list                                   the sweeps that come with the package
  batchscope plan quick                             what a sweep will cost on this machine
  batchscope run quick --out runs/quick             measure, and write runs/quick/report.html
  batchscope run my_sweep.toml --out runs/mine      a sweep of your own (start from `show quick`)
  batchscope report runs/quick runs/mine            one report that compares them

exit codes: 0 done, 1 failed, 2 misuse, 130 interrupted (run again to resume)"""


class _Parser(argparse.ArgumentParser):
    """Tells a mistake in one sentence, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see `{self.prog} --help`)\n")


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the `batchscope` command."""
    top = _Parser(
        prog="batchscope",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"batchscope {version('batchscope')}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = commands.add_parser(
        "run",
        help="measure one or more sweeps and write the report",
        description="Measure sweeps and write the report. Each sweep goes into DIR/<its name>; the "
        "report, curve.json and figures go into DIR. Running the same command again resumes an "
        "interrupted run, and adds batch sizes that are new.",
    )
    _add_sweeps(run, nargs="+")
    run.add_argument("--out", type=_folder, required=True, metavar="DIR", help="folder for results")
    _add_overrides(run)
    run.add_argument(
        "--checkpoint-seconds",
        type=_seconds,
        default=15.0,
        metavar="S",
        help="how much work a killed run may lose (default: %(default)s)",
    )
    run.add_argument("--quiet", action="store_true", help="print the result and warnings only")

    commands.add_parser(
        "list",
        help="list the sweeps that come with the package",
        description="List the sweeps that come with the package.",
    )

    show = commands.add_parser(
        "show",
        help="print a sweep as TOML, every default written out",
        description="Print a sweep as TOML with every default written out: the place to start a "
        "sweep of your own (batchscope show quick > my_sweep.toml).",
    )
    _add_sweeps(show, nargs=None)

    plan = commands.add_parser(
        "plan",
        help="say what a sweep will cost on this machine",
        description="Train a few steps at every batch size, and print the trials, steps, examples "
        "and time that the sweep may take at most. Nothing is written.",
    )
    _add_sweeps(plan, nargs=None)
    _add_overrides(plan)

    status = commands.add_parser(
        "status",
        help="say what a results folder holds and what is missing",
        description="Say what a results folder holds and what is missing.",
    )
    status.add_argument("dir", type=Path, metavar="DIR", help="folder given to run --out")

    report = commands.add_parser(
        "report",
        help="fit the curves again and write the report",
        description="Fit the curves of all sweeps found in the folders and write one report that "
        "compares them.",
    )
    report.add_argument(
        "dir", type=Path, nargs="+", metavar="DIR", help="folders given to run --out"
    )
    report.add_argument(
        "--out", type=_folder, metavar="DIR", help="folder for the report (default: the first DIR)"
    )
    return top


def _add_sweeps(command: argparse.ArgumentParser, *, nargs: str | None) -> None:
    command.add_argument(
        "sweep",
        nargs=nargs,
        metavar="SWEEP",
        help="a name from `batchscope list`, or a TOML file",
    )


def _add_overrides(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("instead of what the sweep says")
    group.add_argument("--batch-sizes", type=_integers, metavar="4,8,16", help="batch sizes")
    group.add_argument("--trials", type=int, metavar="N", help="feasible trials per batch size")
    group.add_argument("--seed", type=int, metavar="N", help="seed of the search and of training")
    group.add_argument(
        "--prune",
        choices=("min", "kth", "none"),
        help="stop trials once one has reached the goal, once k have, or never",
    )
    group.add_argument(
        "--trials-per-pack", type=int, metavar="N", help="trials trained together by one process"
    )


def _folder(text: str) -> Path:
    if not text:  # an unset variable of the shell, not the current folder
        raise argparse.ArgumentTypeError("'' is not a folder; write . for the current one")
    return Path(text)


def _integers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of whole numbers such as 4,8,16"
        ) from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds
