"""``supersample systems``: systems ranked by people, or by a metric."""

from typing import Any, Literal

from supersample.cli.app import app
from supersample.cli.options import ConfidenceLevel, FigureOutput, Means, Seed
from supersample.cli.sources import Reader
from supersample.errors import InputError


@app.command()
def systems(
    read: Reader,
    *,
    scorer: str = "human",
    by: Literal["domain"] | None = None,
    random: Literal["documents", "segments"] | None = None,
    means: Means,
    rule: Literal["wmt24"] | None = None,
    confidence_level: ConfidenceLevel = 0.95,
    seed: Seed = 0,
    full: bool = False,
    output: FigureOutput,
) -> None:
    """Rank systems by people, and say which could be the best.

    Prints the ranks that each system can have, its mean with an interval, and groups of systems
    that do not differ.

    Parameters
    ----------
    scorer
        human, or a metric to rank systems by.
    by
        Let each domain count equally, and rank systems in each, too.
    random
        What other data would bring: other documents, or other segments.  [default: documents if
        they are known]
    rule
        Also apply a published rule: wmt24 (Wilcoxon's test in each domain, not corrected).
    full
        Print every pair of systems, too.
    """
    if read.team:
        raise InputError("documents are random here, not systems: leave --team out")
    from supersample.comparisons.system_means import rank_systems
    from supersample.presentation.systems import source_of_systems

    how: dict[str, Any] = {"by": by, "random": random, "rule": rule, "human_mean": means.human_mean}
    how |= {"mask": means.mask or "common", "ratings": read.raw_ratings()}
    how |= {"confidence_level": confidence_level, "seed": seed}
    found = rank_systems(read.groups(), scorer, **how)
    output.say(*source_of_systems(found))
    output.finish(found, full=full)
