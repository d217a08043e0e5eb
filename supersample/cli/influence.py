"""``supersample influence``: how much a ranking depends on each single system."""

from supersample.cli.app import app, print_tables
from supersample.cli.options import Formula, Reader, with_source
from supersample.cli.parameters import FigureOutput, SystemOptions, with_options


@app.command()
@with_source
@with_options
def influence(
    read: Reader,
    *,
    method: Formula = "zou2007",
    options: SystemOptions,
    output: FigureOutput,
) -> None:
    """Leave out one system after the other, and show what changes.

    Prints for each system how far its human score lies from the others, the largest change of any
    metric's r without it, and how many significant differences come or go. These are tested by a
    formula, since all pairs are tested again without each system; compare's own test allows for
    tails and may find fewer.
    """
    scores = read()
    from supersample.comparisons.correlations.influence import leave_one_out
    from supersample.presentation.influence import influence_table
    from supersample.results.outputs import write_influence
    from supersample.scores.system_level import outlier_systems, system_level_scores

    systems = system_level_scores(scores, mask=options.mask, human_mean=options.human_mean)
    left_out = leave_one_out(systems, method=method, confidence_level=options.confidence_level)
    outliers = outlier_systems(systems)
    print_tables(influence_table(left_out, outliers), of=[left_out])
    output.write(write_influence, left_out, outliers)
