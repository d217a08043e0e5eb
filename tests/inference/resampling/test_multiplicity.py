import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersample.inference.resampling.multiplicity import benjamini_hochberg, holm

P = [0.01, 0.02, 0.03, 0.04, 0.05, 0.5, 0.02]


# Rscript -e 'p <- c(.01,.02,.03,.04,.05,.5,.02); p.adjust(p, "holm"); p.adjust(p, "BH")'
# R 4.2.2
def test_agrees_with_r():
    expected = [0.07, 0.12, 0.12, 0.12, 0.12, 0.5, 0.12]
    np.testing.assert_allclose(holm(P), expected, rtol=1e-14)
    expected = [0.04666666666667, 0.04666666666667, 0.0525, 0.056, 0.05833333333333, 0.5]
    np.testing.assert_allclose(benjamini_hochberg(P), [*expected, 0.04666666666667], rtol=1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_missing_p_values_do_not_count(adjust):
    table = np.array([[0.01, np.nan, 0.2], [0.04, 0.03, np.nan]])
    ours = adjust(table)
    assert ours.shape == table.shape
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(table))
    np.testing.assert_array_equal(ours[~np.isnan(ours)], adjust(table[~np.isnan(table)]))
    assert np.isnan(table[0, 1])
    assert table[0, 0] == 0.01
    assert adjust([]).shape == (0,)
    np.testing.assert_array_equal(adjust([np.nan]), np.nan)
    assert adjust(0.3) == 0.3


@pytest.mark.parametrize("p", [-0.1, 1.1])
@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_p_values_outside_zero_to_one_are_refused(adjust, p):
    with pytest.raises(ValueError, match=rf"not at {p}"):
        adjust([0.5, p])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusting_raises_and_keeps_the_order(p):
    raw = np.array(p)
    strict, lenient = holm(raw), benjamini_hochberg(raw)
    assert (lenient >= raw * (1 - 1e-15)).all()
    assert (strict >= lenient * (1 - 1e-15)).all()
    assert (strict <= np.minimum(1, raw * raw.size) * (1 + 1e-15)).all()
    order = np.argsort(raw, kind="stable")
    assert (np.diff(strict[order]) >= 0).all()
    assert (np.diff(lenient[order]) >= 0).all()
