"""The pages of the documentation, and the real command to try them with."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

_DOCS = Path(__file__).parents[2] / "docs"
_FENCE = re.compile(r"^```(\w+)?(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: "```language file" and its content; the file's name is "" without one."""

    language: str
    file: str
    content: str


@dataclass(frozen=True)
class Page:
    """A page of the documentation."""

    text: str

    @property
    def blocks(self) -> list[Block]:
        """The fenced blocks in their order."""
        found = _FENCE.findall(self.text)
        return [Block(language=one[0], file=one[1], content=one[2]) for one in found]

    @property
    def commands(self) -> list[str]:
        """The lines of the shell blocks, without comments."""
        lines = [line for b in self.blocks if b.language == "sh" for line in b.content.splitlines()]
        return [line for line in lines if line and not line.startswith("#")]

    def file(self, name: str) -> str:
        """The content of the one block that is the file `name`."""
        (content,) = [block.content for block in self.blocks if block.file == name]
        return content


@pytest.fixture(scope="session")
def page() -> Callable[[str], Page]:
    """Returns a page by the name of its file."""
    return lambda name: Page((_DOCS / name).read_text("utf-8"))


@pytest.fixture(scope="session")
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Python with some arguments in a folder, to its end."""

    def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False
        )

    return run
