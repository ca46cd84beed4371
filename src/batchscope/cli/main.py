"""From the command line to one of the commands, and from their errors to an exit code."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from batchscope.cli.arguments import parser
from batchscope.cli.interrupt import INTERRUPTED, StopSignal
from batchscope.errors import BatchscopeError, SpecError

DONE, FAILED, MISUSE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns 0 done, 1 failed, 2 misuse, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without Unicode shows "?"
            stream.reconfigure(errors="replace")
    options = parser().parse_args(arguments)
    sentence = _interrupted(options)
    try:
        with StopSignal(sentence) as stop:
            code = _command(options, stop)
            sys.stdout.flush()
    except SpecError as error:
        return _complain(error, MISUSE)
    except BatchscopeError as error:
        return _complain(error, FAILED)
    except KeyboardInterrupt:
        return _complain(sentence, INTERRUPTED)
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        _discard_output()
        return DONE
    except OSError as error:  # a disk that is full under `> file`, say
        _discard_output()
        return _complain(f"cannot go on: {error}; put that right and try again", FAILED)
    return code


def _command(options: argparse.Namespace, stop: StopSignal) -> int:
    # imported when needed: `batchscope list` should not wait for JAX
    match options.command:
        case "run":
            from batchscope.cli.run import run

            return run(options, stop)
        case "list":
            from batchscope.cli.sweeps import list_sweeps

            return list_sweeps()
        case "show":
            from batchscope.cli.sweeps import show_sweep

            return show_sweep(options.sweep)
        case "plan":
            from batchscope.cli.plan import plan

            return plan(options)
        case "status":
            from batchscope.cli.status import status

            return status(options.dir)
        case _:
            from batchscope.cli.report import report

            return report(options.dir, options.out)


def _interrupted(options: argparse.Namespace) -> str:
    if options.command != "run":
        return "interrupted"
    return (
        f"interrupted; what was done is kept in {options.out}: run the same command again to go "
        "on from there"
    )


def _complain(problem: object, code: int) -> int:
    print(f"batchscope: {problem}", file=sys.stderr)
    return code


def _discard_output() -> None:
    """Lets Python flush what cannot be written, as it does on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
