"""Options that describe a population of systems to simulate."""

from typing import Annotated, Literal

import typer

R = Annotated[
    float | None,
    typer.Option("--r", help="Correlation of the first metric's true scores with people's."),
]
OtherR = Annotated[
    float | None, typer.Option("--other-r", help="Correlation of the second metric with people.")
]
MetricR = Annotated[
    float | None, typer.Option("--metric-r", help="Correlation of both metrics with each other.")
]
SegmentDeviation = Annotated[
    float,
    typer.Option(help="Standard deviation of a segment's score about its system's, in systems'."),
]
SharedNoise = Annotated[
    float, typer.Option(help="Correlation of segments' noise between any two scorers.")
]
DistributionName = Literal["normal", "skewed", "heavy-tailed", "log-normal", "uneven"]
OutliersName = Literal["none", "one", "some"]
HumanLevels = Annotated[
    int | None, typer.Option(help="Human scores of segments are so many whole numbers.")
]
MissingRatings = Annotated[float, typer.Option(help="Share of ratings that are missing.")]
Replicates = Annotated[int, typer.Option(help="Samples of each size.")]


def correlation_matrix(r: float, other_r: float, metric_r: float) -> list[list[float]]:
    """All scorers' correlations: people, first metric, second metric."""
    return [[1.0, r, other_r], [r, 1.0, metric_r], [other_r, metric_r, 1.0]]
