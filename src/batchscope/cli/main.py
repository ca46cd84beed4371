"""From the command line to one of the commands, and from their errors to an exit code."""

import argparse
import os
import sys
from collections.abc import Sequence

from batchscope.cli.arguments import parser
from batchscope.errors import BatchscopeError, SpecError

DONE, FAILED, MISUSE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns 0 done, 1 failed, 2 misuse, 130 interrupted."""
    options = parser().parse_args(arguments)
    try:
        return _command(options)
    except SpecError as error:
        return _complain(error, MISUSE)
    except BatchscopeError as error:
        return _complain(error, FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _command(options: argparse.Namespace) -> int:
    # imported when needed: `batchscope list` should not wait for JAX
    match options.command:
        case "run":
            from batchscope.cli.run import run

            return run(options)
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


def _complain(error: BatchscopeError, code: int) -> int:
    print(f"batchscope: {error}", file=sys.stderr)
    return code
