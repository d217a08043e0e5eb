"""``supersample qe``: predictions of quality, judged by gold labels and compared."""

import warnings
from typing import Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import ConfidenceLevel, Out, Overwrite, Quiet, checked_folder
from supersample.cli.printing import print_table
from supersample.errors import DegenerateScoreWarning, InputError


@app.command()
def qe(
    file: Annotated[
        str,
        typer.Argument(
            help="Predictions: METRIC SID SCORE RANK HUMAN, or a long table with the columns "
            "system, segment, score and perhaps trained_on; tabs or commas, .parquet, or - for "
            "standard input.",
        ),
    ],
    *,
    gold: Annotated[
        list[str] | None,
        typer.Option(
            help="Gold standard: of a long table, a name in the column system; repeatable. "
            "Otherwise what to call the column HUMAN.  [default: human]",
            show_default=False,
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            help="Gold standard that is a post-edit time: it, and predictions of it, are divided "
            "by --length and called PER.",
        ),
    ] = None,
    length: Annotated[
        str | None,
        typer.Option(
            help="With --time, the name in the column system that holds lengths in words."
        ),
    ] = None,
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Judge quality estimation: segment-level predictions against gold labels.

    Prints Pearson's r of every system with Fisher's interval beside MAE and RMSE, how many pairs
    differ by Williams' test, clusters, and what rescaling predictions does to each measure.
    """
    folder = checked_folder(out, overwrite)
    if (time is None) != (length is None):
        raise InputError("post-edit rates need both --time and --length")
    import supersample as ss

    data = ss.read_predictions(file, gold=gold or (), length=length)
    if time is not None:
        data = ss.to_post_edit_rates(data, time=time)
    evaluation = ss.evaluate_predictions(data, confidence_level=confidence_level)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateScoreWarning)  # evaluate_predictions has said so
        study = ss.rescaling_study(data)
    if folder is not None:
        from supersample.quality_estimation.outputs import write_evaluation

        written = write_evaluation(folder, data, evaluation, study)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
        if "differences.csv" not in written:
            say("so many pairs of systems stand in evaluation.zarr alone", quiet=quiet)
    from supersample.presentation import quality_estimation as presented

    for line in presented.source_lines(data, evaluation):
        say(line, quiet=quiet)
    golds = [str(name) for name in evaluation["gold"].to_numpy()]
    for name in golds:
        print_table(presented.leading_rows(presented.printed_evaluation(evaluation, name)))
    rescaled = presented.rescaling_table(study, evaluation)
    print_table(presented.leading_rows(rescaled))
    for name in golds:
        typer.echo(presented.significance_line(evaluation, name))
    for line in (*presented.notes(evaluation), *rescaled.notes):
        typer.echo(line)
    typer.echo(evaluation.attrs["signature"])
