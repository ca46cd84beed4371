"""The `batchscope` command."""

from batchscope.cli.main import main

__all__ = ["main"]
