import re

import pytest

from supersample.presentation.figures import style


def test_a_pdf_has_its_title_in_the_metadata_and_not_on_the_page(tmp_path, full_figures):
    axes = style.axes_of(None, "acl1", 2.0)
    axes.plot([1, 2], [1, 2])
    style.entitle(axes, "auto", "A title that a paper says in its caption")
    style.save(axes, tmp_path, "titled")
    pdf = (tmp_path / "titled.pdf").read_bytes()
    assert b"A title that a paper says in its caption" in pdf
    [box] = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    width, height = map(float, box)
    assert width == pytest.approx(72 * style.inches("acl1"), abs=0.1)
    assert height < 72 * 2.0 - 8
    assert axes.get_title(loc="left").startswith("A title")
