"""System-level scores read from files, for sets that have none of segments."""

import math
from collections.abc import Sequence
from pathlib import Path

import xarray as xr

from supersample.errors import InputError
from supersample.readers.cubes import choose_systems
from supersample.readers.system_rows import read_system_rows
from supersample.readers.text import listed
from supersample.scores.system_level import make_system_scores


def read_system_scores(
    files: str | Path | Sequence[str | Path],
    *,
    human: str = "HUMAN",
    language_pair: str | None = None,
    test_set: str | None = None,
    reference: str | None = None,
    lower_is_better: Sequence[str] = (),
    only: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> xr.Dataset:
    """Read system-level human and metric scores: WMT12's and WMT15's tables, or ``.sys.score``.

    Parameters
    ----------
    files : str, Path or sequence of them
        Tables with the header ``METRIC LP TESTSET SYSTEM SCORE`` and perhaps ``HUMAN``, files
        without one as the metrics task has them, or folders of ``.sys.score`` files.
    human : str, default "HUMAN"
        The scorer that holds the human scores; what to call the column ``HUMAN`` if there is one.
    language_pair, test_set, reference : str, optional
        Needed where the files have several.
    lower_is_better : sequence of str
        Scorers whose higher scores mean worse translations, the human one perhaps among them.
    only, exclude : sequence of str
        Systems to keep (all when empty), and to leave out.

    Returns
    -------
    xarray.Dataset
        As `make_system_scores` gives: correlations, intervals and tests take it. There are no
        hybrids of it, since there are no segments to mix. Systems without a human score, and
        metrics that have no score for one of the systems left, are left out and named
        (``systems_left_out``, ``metrics_left_out``).

    Raises
    ------
    InputError
        With file and line, if a file is malformed or a system has two scores of one scorer; or if
        what was named is not there, or must be named.

    Examples
    --------
    >>> read_system_scores("nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    rows = read_system_rows(
        files, human=human, language_pair=language_pair, test_set=test_set, reference=reference
    )
    there = dict.fromkeys(system for own in rows.metrics.values() for system in own)
    rated = [system for system in there if not math.isnan(rows.human.get(system, math.nan))]
    kept, left_out = choose_systems(rated, only, exclude, rows.source)
    systems = [rated[i] for i in kept]
    unrated = [name for name in {**there, **rows.human} if name not in rated]
    gaps = {
        name: [s for s in systems if math.isnan(own.get(s, math.nan))]
        for name, own in rows.metrics.items()
    }
    metrics = [name for name, missing in gaps.items() if not missing]
    if len(systems) < 2 or not metrics:
        raise InputError(
            f"{rows.source}: {len(systems)} systems have a human score, and {len(metrics)} metrics "
            "have scores of them all; at least 2 and 1 are needed"
        )
    for name in lower_is_better:
        if name not in rows.metrics and name != human:
            raise InputError(f"no scorer '{name}'; there are {listed([human, *rows.metrics])}")
    return make_system_scores(
        [rows.human[system] for system in systems],
        [[rows.metrics[metric][system] for system in systems] for metric in metrics],
        systems=systems,
        metrics=metrics,
        higher_is_better=[metric not in lower_is_better for metric in metrics],
        human_higher_is_better=human not in lower_is_better,
        attrs={
            "source": rows.source,
            "human": human,
            **({"reference": reference} if reference else {}),
            "systems_left_out": ", ".join(
                [*left_out, *(f"{name} (no human or no metric score)" for name in unrated)]
            ),
            "metrics_left_out": ", ".join(
                f"{name} (no score for {listed(own, 3)})" for name, own in gaps.items() if own
            ),
            "names_matched": ", ".join(f"{a} = {b}" for a, b in rows.matched.items()),
        },
    )
