"""A kind of result that is declared from outside is shown and written like any other."""

import json

import pytest
import xarray as xr

import supersample as ss
from supersample.cli.options import Output
from supersample.presentation.registry import Figure, Forms, Kind, Rows, every_kind, register_kind
from supersample.presentation.table import Column


def draw(lengths, *, width):
    from matplotlib.figure import Figure as Drawn

    drawn = Drawn()
    drawn.subplots().bar(lengths["system"], lengths["words"])
    return drawn


PLACES = Rows(["system"], ["system", "place"])
LENGTHS = Kind(
    name="lengths",
    file="lengths",
    title="Lengths of translations",
    answer=lambda lengths: [f"{lengths['system'].values[0]} is the longest."],
    tables={
        "lengths": Rows(["system"], ["system", Column("words", "mean words", ".1f")], "Words"),
        "places": Forms(numbers=lambda lengths, half: PLACES(lengths), each="half"),
    },
    figures={"lengths": Figure(draw)},
)
RESULT = xr.Dataset(
    {"words": ("system", [21.04, 19.96]), "place": ("system", [1, 2])},
    {"system": ["A", "B"], "half": ["first", "second"]},
    {"kind": "lengths", "signature": "statistic:words"},
)


@pytest.fixture
def declared(monkeypatch):
    known = {kind.name: kind for kind in every_kind()}
    monkeypatch.setattr("supersample.presentation.registry._KINDS", known)
    register_kind(LENGTHS)


def test_a_kind_from_outside_is_printed_written_and_drawn(declared, tmp_path, capsys):
    Output(out=tmp_path / "o").finish(RESULT)
    printed = capsys.readouterr().out
    assert "A is the longest." in printed
    assert "mean words" in printed
    assert "20.0" in printed
    assert printed.splitlines()[-1] == "statistic:words"
    written = {path.name for path in (tmp_path / "o").iterdir()}
    assert written >= {"lengths.zarr", "lengths.pdf", "places-1.csv", "places-2.json"}
    files = {name: (tmp_path / "o" / f"lengths.{name}") for name in ("csv", "json", "md", "tex")}
    csv, facts, markdown, latex = (path.read_text(encoding="utf-8") for path in files.values())
    assert csv.splitlines() == ["system,words", "A,21.04", "B,19.96"]
    assert json.loads(facts)["signature"] == "statistic:words"
    assert json.loads(facts)["rows"][1] == {"system": "B", "words": 19.96}
    assert "| B      |       20.0 |" in markdown
    assert r"B & 20.0 \\" in latex
    page = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    for text in ("<title>Lengths of translations", "A is the longest.", "mean words", "data:image"):
        assert text in page
    with pytest.raises(ss.InputError, match="no kind of figure 'pie'"):
        Output(out=tmp_path / "p", figures=("pie",))
    Output(out=tmp_path / "p", figures=("lengths",))


def test_notebooks_show_it(declared):
    assert ss.show(RESULT).answer == ["A is the longest."]
    assert "<td" in ss.show(RESULT)._repr_html_()
    assert ss.to_frame(RESULT)["words"].tolist() == [21.04, 19.96]
    assert "% Signature: statistic:words" in ss.to_latex(RESULT, "words")


def test_a_name_is_declared_once_and_others_are_no_results(declared):
    with pytest.raises(ss.InputError, match="'lengths' is already registered"):
        register_kind(LENGTHS)
    with pytest.raises(ss.InputError, match="there is no kind of result 'width'"):
        ss.show(RESULT.assign_attrs(kind="width"))
