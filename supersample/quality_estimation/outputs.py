"""What is shown and written of predictions that are evaluated by gold labels."""

from typing import Any

import xarray as xr

from supersample.presentation.answer import best_line, counts_of
from supersample.presentation.labels import parts_of
from supersample.presentation.rankings import (
    comparisons_table,
    evaluation_table,
    plain_ranking_table,
)
from supersample.presentation.registry import Figure, Forms, Kind, register_kind
from supersample.presentation.studies import leading_systems, rescaling_table
from supersample.quality_estimation.evaluation import rescaled_predictions


def _of_leading(draw: str, most: int) -> Figure:
    """Draw the predictions of at most so many systems, those with the highest r."""

    def drawn(
        data: xr.Dataset, evaluation: xr.Dataset, study: xr.Dataset, *, gold: str, **options: Any
    ) -> Any:
        systems = leading_systems(evaluation, gold, most)
        rescaled = rescaled_predictions(data, gold, systems=systems, share=study.attrs["share"])
        return Figure(draw)(rescaled, **options)

    return Figure(drawn, each="gold", beside=["evaluation", "rescaling"])


register_kind(
    Kind(
        name="evaluation",
        file="evaluation",
        title="Predictions of quality, evaluated by gold labels",
        answer=lambda result: [*map(best_line, parts_of(result)), *counts_of(result)],
        tables={
            "evaluation": (Forms(None, plain_ranking_table), Forms(evaluation_table, each="gold")),
            "differences": Forms(None, comparisons_table),
        },
        figures={
            "significance": Figure("studies.plot_shades", each="gold"),
            "predictions": Figure("studies.plot_predictions", each="gold"),
        },
    ),
    Kind(name="rescaling", file="rescaling", tables={"rescaling": rescaling_table}),
    Kind(
        name="predictions",
        figures={
            "densities": _of_leading("studies.densities", 12),
            "scatter": _of_leading("studies.standard_scatters", 20),
        },
    ),
)
