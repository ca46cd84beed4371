"""Whatever a sweep's text says, `show` prints a sweep or complains in one sentence."""

import tomllib

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from batchscope.cli import main
from batchscope.spec import catalog, load_sweep, to_toml

_TEXTS = [to_toml(load_sweep(name)) for name in catalog()]
_KEYS = sorted({key for text in _TEXTS for key in tomllib.loads(text)})
_VALUES = [
    "0",
    "9" * 5000,
    "-1",
    "1e400",
    "nan",
    "-inf",
    "true",
    '""',
    '"\\u0000"',
    '"é:ü"',
    "[]",
    "[[1]]",
    "{}",
    "{ name = 1 }",
    "{ name = [] }",
    "2024-01-01",
    "9" * 30,
]


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    """A valid sweep with some lines replaced, left out or doubled, or some characters changed."""
    lines = draw(st.sampled_from(_TEXTS)).splitlines()
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        key = lines[at].partition(" = ")[0]
        match draw(st.sampled_from(["value", "key", "drop", "double", "insert", "cut"])):
            case "value":
                lines[at] = f"{key} = {draw(st.sampled_from(_VALUES))}"
            case "key":
                lines[at] = lines[at].replace(key, draw(st.sampled_from(_KEYS)))
            case "drop":
                lines[at] = ""
            case "double":
                lines.append(lines[at])
            case "insert":
                column = draw(st.integers(0, len(lines[at])))
                lines[at] = lines[at][:column] + draw(st.text(max_size=3)) + lines[at][column:]
            case _:
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
    return "\n".join(lines)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # a file and streams, overwritten
)
@given(text=st.one_of(_mutated(), st.text(max_size=60)))
@example(text="a." * 3000 + "a = 1")
@example(text="a = " + "[" * 2000)
@example(text='name = "curve.json"')
def test_show_never_fails_otherwise(text, tmp_path, capsys):
    path = tmp_path / "sweep.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    code = main(["show", str(path)])
    out, err = capsys.readouterr()
    assert code in (0, 2)
    if code == 0:
        path.write_text(out)
        assert main(["show", str(path)]) == 0
        assert capsys.readouterr().out == out
    else:
        assert out == ""
        assert err.startswith("batchscope: ") and err.count("\n") == 1 and len(err) < 3000
