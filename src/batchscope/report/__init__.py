"""Findings as a page, figures, Markdown and JSON."""

from batchscope.report.curve_json import SCHEMA_VERSION, to_json
from batchscope.report.markdown import to_markdown
from batchscope.report.page import to_html
from batchscope.report.plots import figures
from batchscope.report.writing import ReportFiles, write_report

__all__ = [
    "SCHEMA_VERSION",
    "ReportFiles",
    "figures",
    "to_html",
    "to_json",
    "to_markdown",
    "write_report",
]
