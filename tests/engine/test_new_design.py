"""A design defined outside the package, with nothing but what a design must say."""

from dataclasses import dataclass

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from experiments.calibration.evidence import MomentResampling
from supersample import MixHybrids, PairHybrids
from supersample.engine.additive import combine, mean_columns
from supersample.engine.hybrid_designs import (
    DESIGNS,
    Components,
    Design,
    hybrid_block,
    make_design,
    parse_design,
    register_design,
)
from supersample.engine.moments import score_contributions
from supersample.engine.streams import stream_key, uniforms
from supersample.hybrids.samples import prepare_hybrids
from supersample.scores.system_level import prepare_scores

EXAMPLE = ss.load_example()


@dataclass(frozen=True)
class TripleHybrids(Design):
    """Each unit comes from any of three systems, drawn at random for each hybrid.

    The first of the three gives a unit with probability `share`, the others share the rest.
    """

    share: float = 0.5
    unit: str = "segment"

    def _threes(self, draw):
        u = uniforms(stream_key(draw.seed, "triple"), draw.replicates, draw.systems)
        return np.argsort(u, axis=1)[:, :3]

    def origins(self, draw):
        u = uniforms(stream_key(draw.seed, "triple unit"), draw.replicates, draw.units)
        rest = (1 - self.share) / 2
        place = (u >= self.share).astype(int) + (u >= self.share + rest)
        return np.take_along_axis(self._threes(draw), place, axis=1)

    def components(self, systems):
        threes = [
            (a, b, c)
            for a in range(systems)
            for b in range(systems)
            for c in range(b + 1, systems)
            if a not in (b, c)
        ]
        probabilities = np.zeros((len(threes), systems))
        for row, (a, b, c) in zip(probabilities, threes, strict=True):
            row[[a, b, c]] = self.share, (1 - self.share) / 2, (1 - self.share) / 2
        return Components(np.full(len(threes), 1 / len(threes)), probabilities)

    def coordinates(self, draw):
        return {"main_system": self._threes(draw)[:, 0].astype(np.int32)}


@pytest.fixture
def triples():
    register_design("triples", TripleHybrids)
    yield TripleHybrids(0.6)
    del DESIGNS["triples"]


def test_samples_are_made_of_what_the_design_says(triples):
    sample = ss.hybrid_supersample(EXAMPLE, n=600, seed=3, design=triples)
    assert "first_system" not in sample.coords
    made = ss.hybrids.hybrid_assignments(EXAMPLE, n=600, seed=3, design=triples)
    scores = EXAMPLE["score"].sel(segment=made["segment"]).values
    origin = made["origin"].values
    chosen = scores[:, origin, np.arange(origin.shape[1])]
    np.testing.assert_allclose(np.nanmean(chosen, axis=2).T, sample["score"], rtol=1e-12)
    mode = np.array([np.bincount(row).argmax() for row in origin])
    np.testing.assert_array_equal(sample["main_system"], mode)
    assert "TripleHybrids(0.6,segment)" in sample.attrs["signature"]


@pytest.mark.parametrize(
    "design",
    [
        TripleHybrids(0.6),
        TripleHybrids(0.6, "document"),
        PairHybrids("random", 0.3),
        PairHybrids(share="uniform"),
        MixHybrids(),
        MixHybrids("document"),
    ],
)
def test_designs_keep_what_is_promised(design):
    ss.testing.check_design(design)


def test_weights_of_moments_come_from_the_components(triples):
    prepared = prepare_scores(EXAMPLE)
    contributions = score_contributions(prepared.statistics, "common") * prepared.signs
    hybrid = MomentResampling(contributions, "hybrid", triples).correlations()[0, 1:]
    exact = ss.exact_hybrid_correlations(EXAMPLE, design=triples)["r"].values
    np.testing.assert_allclose(hybrid, exact, rtol=1e-6)


def test_a_run_is_stored_and_resumed(triples, tmp_path):
    path = tmp_path / "run.zarr"
    ss.hybrids.run_hybrids(EXAMPLE, path, n=300, chunk=100, design=triples)
    ss.hybrids.resume_run(path, n=500)
    expected = ss.hybrid_supersample(EXAMPLE, n=500, design=triples)
    stored = xr.open_zarr(path)
    for name in ("human", "score", "main_system"):
        np.testing.assert_array_equal(stored[name], expected[name])


def test_sweeps_take_it_by_name(triples, tmp_path):
    designs = ["triples:share=0.6", "mix"]
    study = {"inputs": ["example"], "n": [50], "designs": designs}
    swept = ss.simulation.sweep(study, tmp_path / "sweep")
    assert list(swept["design"].values) == ["TripleHybrids(0.6,segment)", "MixHybrids(segment)"]


@pytest.mark.parametrize(
    "design",
    [PairHybrids(), PairHybrids("random", 0.3), PairHybrids(share="uniform"), MixHybrids()],
)
def test_the_defaults_agree_with_kernels_and_closed_forms(design):
    rng = np.random.default_rng(2)
    statistics = combine([mean_columns(rng.normal(size=(5, 40))) for _ in range(3)])
    expected, ours = design.mixture(statistics), Design.mixture(design, statistics)
    for part in ("between", "share", "within"):
        np.testing.assert_allclose(
            getattr(ours, part), getattr(expected, part), rtol=1e-9, atol=1e-15
        )
    np.testing.assert_allclose(
        Design.moment_weights(design, 5, 40), design.moment_weights(5, 40), rtol=1e-12, atol=1e-16
    )
    source = prepare_hybrids(
        EXAMPLE, n=1, seed=4, design=design, mask="common", human_mean="ratings"
    ).source
    draw = hybrid_block(source, 0, 300)
    values, varying = source.statistics.values, source.varying
    totals = [np.zeros((300, values.shape[2])) for _ in range(2)]
    shared = (source.totals, varying, draw)
    design.fill_totals(totals[0], source.rows, *shared)
    Design.fill_totals(design, totals[1], Design.layout(design, values, varying), *shared)
    np.testing.assert_allclose(totals[0], totals[1], rtol=1e-12)


def test_names_are_registered_once_and_options_are_checked():
    with pytest.raises(ss.InputError, match="'PairHybrids' is already registered"):
        register_design("couples", PairHybrids)
    with pytest.raises(ss.InputError, match="no design 'trio'; there are pairs, mix"):
        make_design("trio", {})
    with pytest.raises(ss.InputError, match="no option 'pairs' in the design mix; there are unit"):
        make_design("mix", {"pairs": "random"})


def test_designs_are_made_of_texts(triples):
    assert parse_design("triples:share=0.6") == triples
    assert parse_design("pairs:share=uniform, unit=document, pairs=random") == (
        PairHybrids("random", "uniform", "document")
    )
    assert parse_design("mix") == MixHybrids()
    for text in ("mix:", "mix:unit", "mix:=document"):
        with pytest.raises(ss.InputError, match=f"no design '{text}'; there are pairs, mix"):
            parse_design(text)
    with pytest.raises(ss.InputError, match="each option once"):
        parse_design("mix:unit=segment,unit=segment")
    with pytest.raises(ss.InputError, match="no option 'systems' in the design mix"):
        parse_design("mix:systems=3")
    with pytest.raises(ss.InputError, match="no design 'x'; there are pairs, mix, triples"):
        parse_design("x:systems=3")
