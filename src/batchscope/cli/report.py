"""`batchscope report`, and the report at the end of a run."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from batchscope.errors import ResultsError


@dataclass(frozen=True)
class Written:
    """The HTML report, what it says in words, and the files that could not be read."""

    html: Path
    summary: str
    problems: tuple[str, ...]


def report(folders: Sequence[Path], out: Path | None) -> int:
    """Writes one report over all sweeps in the folders."""
    written = write(folders, out or folders[0])
    for problem in written.problems:
        print(f"batchscope: {problem}", file=sys.stderr)
    print(f"{written.summary}\n\nreport: {written.html}")
    return 0


def write(folders: Sequence[Path], out: Path) -> Written:
    """Analyses every sweep found in `folders` and writes the report into `out`.

    Raises:
        ResultsError: no sweep is there, or the report cannot be written.
    """
    from batchscope.analysis import find
    from batchscope.report import write_report
    from batchscope.results import find_sweeps, read

    found = dict.fromkeys(path.resolve() for folder in folders for path in find_sweeps(folder))
    if not found:
        raise ResultsError(
            f"no sweep in {', '.join(map(str, folders))}: expected a folder that "
            "`batchscope run --out` wrote; correct the path"
        )
    findings = find([read(path) for path in found])
    files = write_report(findings, out)
    sentences = [f"{sweep.name}: {sweep.headline}" for sweep in findings.sweeps]
    sentences += [comparison.sentence for comparison in findings.comparisons]
    problems = tuple(problem for sweep in findings.sweeps for problem in sweep.problems)
    return Written(files.html, "\n".join(sentences), problems)
