"""The report as one HTML file: nothing is loaded from anywhere, scripts need no origin."""

import json
from functools import cache
from importlib import resources

import altair as alt
import vl_convert

from batchscope.analysis.findings import Findings
from batchscope.report.page_sections import body, title_of
from batchscope.report.page_text import text
from batchscope.report.plots import plots
from batchscope.report.theme import DARK, LIGHT, PAGE_STYLE, SCREEN_FONT, css_variables

# Plots are drawn by an interpreter of Vega's expressions (see report.js), so that scripts need no
# leave to evaluate text. Inside a frame this policy adds to the frame's own.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)


def to_html(findings: Findings) -> str:
    """Returns the report as one self-contained HTML page, about 1 MB of it the plotting library.

    It reads from a phone to a desktop, in light, dark and print, without network, also inside a
    frame that allows scripts only.
    """
    drawn = plots(findings, PAGE_STYLE)
    # Altair has checked each part as it was made; checking the whole again takes seconds.
    specs = {plot.name: plot.chart.to_dict(validate=False) for plot in drawn}
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(title_of(findings))}</title>",
            f"<style>{_styles()}</style>",
            "</head>",
            "<body>",
            body(findings, drawn),
            f'<script type="application/json" id="plots">{_inert(json.dumps(specs))}</script>',
            f"<script>{_inert_script(_library())}</script>",
            f"<script>{_asset('report.js')}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _asset(name: str) -> str:
    return resources.files("batchscope.report").joinpath("assets", name).read_text("utf-8")


def _styles() -> str:
    light, dark = css_variables(LIGHT), css_variables(DARK)
    return (
        f":root{{{light}--font:{SCREEN_FONT};}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n" + _asset("report.css")
    )


@cache
def _library() -> str:
    """Returns Vega-Embed, Vega-Lite and Vega in one script; putting it together takes seconds."""
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    return f"(function(){{{bundle}}})();"


def _inert(json_text: str) -> str:
    """Returns JSON that cannot end or confuse the script element around it."""
    return json_text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _inert_script(script: str) -> str:
    """Returns a script that cannot end the element around it; `\\/` and `\\!` mean `/` and `!`."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
