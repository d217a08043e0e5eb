"""``supersample qe``: predictions of quality, evaluated by gold labels."""

from typing import Annotated

import typer

from supersample.cli.app import app
from supersample.cli.options import ConfidenceLevel, Output, Texts
from supersample.errors import DegenerateScoreWarning, InputError, told_elsewhere


@app.command()
def qe(
    file: Annotated[str, typer.Argument()],
    *,
    gold: Texts = None,
    time: str | None = None,
    length: str | None = None,
    confidence_level: ConfidenceLevel = 0.95,
    output: Output,
) -> None:
    """Evaluate quality estimation by gold labels of segments.

    Prints Pearson's r of every system with Fisher's interval, MAE and RMSE, how many pairs
    differ by Williams' test, clusters, and how rescaling the predictions changes each measure.

    Parameters
    ----------
    file
        Predictions: a table with the columns METRIC SID SCORE RANK HUMAN, or with the columns
        system, segment, score and optionally trained_on; tabs or commas, .parquet, or - for
        standard input.
    gold
        Gold standard: its name in the column system; A,B. If the table has the column HUMAN
        instead, a name for it.  [default: human]
    time
        Name of a gold standard that is a post-editing time. The time and its predictions are
        divided by --length, and called PER (post-editing rate).
    length
        With --time: name in the column system of the lengths in words.
    """
    if (time is None) != (length is None):
        raise InputError("--time and --length go together, as in --time seconds --length words")
    from supersample.presentation import studies as presented
    from supersample.quality_estimation.evaluation import (
        evaluate_predictions,
        rescaling_study,
        to_post_edit_rates,
    )
    from supersample.readers.tables import read_predictions

    data = read_predictions(file, gold=gold or (), length=length)
    if time is not None:
        data = to_post_edit_rates(data, time=time)
    evaluation = evaluate_predictions(data, confidence_level=confidence_level)
    with told_elsewhere(DegenerateScoreWarning):  # evaluate_predictions has warned
        study = rescaling_study(data)
    output.say(presented.source_line(data, evaluation))
    output.finish(evaluation, study, data)
