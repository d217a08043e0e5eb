"""Evaluations of predictions, written to a folder."""

from pathlib import Path
from typing import Any

import xarray as xr

from supersample.results.figures import MAIN, Figures, drawn_by
from supersample.results.outputs import Results, write_results

MOST_PAIRS = 50_000  # of systems, in a table of text
MOST_DENSITIES, MOST_SCATTERS = 12, 20  # systems in a figure


def write_evaluation(
    folder: Path,
    data: xr.Dataset,
    evaluation: xr.Dataset,
    study: xr.Dataset,
    *,
    figures: Figures = MAIN,
) -> list[str]:
    """Write what `evaluate_predictions` and `rescaling_study` gave, as `write_comparison` does.

    With more than 50,000 pairs of systems, differences are in the Dataset alone. Figures of each
    gold standard show the leading systems.
    """
    from supersample.presentation import studies as presented
    from supersample.presentation.labels import names_of
    from supersample.presentation.numbers import comparisons_table, ranking_table
    from supersample.presentation.printed import evaluation_table
    from supersample.quality_estimation.rescaling import rescaled_predictions

    rescaled = presented.rescaling_table(study, evaluation)
    results = Results(
        datasets={"evaluation": evaluation, "rescaling": study},
        numbers={"evaluation": ranking_table(evaluation), "rescaling": rescaled},
        pages={"rescaling": rescaled},
        facts=evaluation.attrs,
    )
    systems = evaluation.sizes["system"]
    if systems * (systems - 1) // 2 <= MOST_PAIRS:
        results.numbers["differences"] = comparisons_table(evaluation)
    golds = names_of(evaluation, "gold")
    for number, gold in enumerate(golds, start=1):
        end = f"-{number}" if len(golds) > 1 else ""
        results.pages[f"evaluation{end}"] = evaluation_table(evaluation, gold)

        def leading(most: int, gold: str = gold) -> xr.Dataset:
            systems = presented.leading_systems(evaluation, gold, most)
            return rescaled_predictions(data, gold, systems=systems, share=study.attrs["share"])

        def densities(leading: Any = leading, **options: Any) -> Any:
            return drawn_by("quality_estimation.densities", leading(MOST_DENSITIES))(**options)

        def scatters(leading: Any = leading, **options: Any) -> Any:
            draw = drawn_by("quality_estimation.standard_scatters", leading(MOST_SCATTERS))
            return draw(**options)

        of = {"end": end, "gold": gold}
        results.draw("significance", "quality_estimation.plot_shades", evaluation, **of)
        results.draw("predictions", "quality_estimation.plot_predictions", evaluation, **of)
        results.figures |= {f"densities{end}": densities, f"scatter{end}": scatters}
    return write_results(folder, results, figures=figures)
