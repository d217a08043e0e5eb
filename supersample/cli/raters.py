"""``supersample raters``: people among the metrics."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from supersample.cli.app import app, print_tables
from supersample.cli.commands import SCORES
from supersample.cli.options import ConfidenceLevel, FigureOutput, Seed
from supersample.cli.reports import Amount
from supersample.cli.sources import Reader, warn_of_people
from supersample.errors import InputError, quoted

if TYPE_CHECKING:
    import xarray as xr

MOST_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class People:
    """Who is a person.

    Parameters
    ----------
    rater : NAME[=FILE]
        A person: a scorer of the source, other human scores of --mtme, human (those of the source),
        or a file as --add-metric reads it; repeatable. {pair} in FILE stands for the language pair.
        With --ratings and no rater, every assessor.
    gold : NAME
        The person who is the gold standard, or others: each person is ranked by the mean of the
        others.
    """

    PANEL: ClassVar = SCORES
    rater: list[str] | None = None
    gold: str = "others"

    def added_to(self, scores: "xr.Dataset", read: Reader) -> "tuple[xr.Dataset, list[str]]":
        """Set these people beside the metrics, and list them."""
        from supersample.raters.golds import add_assessors, add_rater

        if "segment" not in scores.dims:
            raise InputError("people are compared on segments; give scores of segments")
        if not self.rater:
            ratings = read.ratings()
            if ratings is None:
                raise InputError("name the people: --rater NAME=FILE, once for each")
            return add_assessors(scores, ratings)
        names = []
        for text in self.rater:
            name, equals, file = text.partition("=")
            if equals and not file:
                raise InputError(f"--rater takes NAME or NAME=FILE, not {quoted(text)}")
            path = read.file_of(file) if equals else read.human_file(name, scores)
            scores = add_rater(scores, name.strip(), path)
            names.append(name.strip())
        return scores, names


@app.command()
def raters(
    read: Reader,
    *,
    people: People,
    measure: list[str] | None = None,
    resamples: int = 999,
    confidence_level: ConfidenceLevel = 0.95,
    seed: Seed = 0,
    shown: Amount,
    output: FigureOutput,
) -> None:
    """Rank people among the metrics, and say how well they agree.

    Counts the metrics above at least one person, above people's mean and above everybody, and
    those that cannot be told from people, on new documents and on new systems. Says how well people
    agree with each other, and which r a metric without error is expected to reach.

    Parameters
    ----------
    measure
        Agreement: pearson, SPA, PA, acc_eq/item, pdp/item, ...; repeatable.  [default: pearson]
    resamples
        Draws of documents, and of systems where a measure has no formula.
    """
    from supersample.presentation import raters as presented
    from supersample.raters.outputs import raters_results
    from supersample.raters.ranking import rank_raters
    from supersample.scores.selection import keep_metrics

    source = read if people.rater else replace(read, raw=replace(read.raw, ratings=None))
    scores, names = people.added_to(source.unchecked(), read)
    options: dict[str, Any] = {"resamples": resamples, "confidence_level": confidence_level}
    options["allowed"] = read.added.allow_part or ()
    warn_of_people(read, keep_metrics(scores, _others(scores, names)))
    found = rank_raters(scores, names, measure or "pearson", gold=people.gold, seed=seed, **options)
    output.say(presented.source_of_raters(found))
    most = None if shown.all or shown.full else MOST_ROWS
    tables = [presented.raters_table(found, name, most) for name in found["measure"].to_numpy()]
    measured = _reliability(scores, names, confidence_level, seed)
    told = [] if measured is None else presented.people_lines(measured)
    if measured is not None and shown.full:
        tables += presented.reliability_tables(measured).values()
    results, signed = raters_results(found, measured), [found] if shown.full else []
    notes = presented.EXPLAINED if shown.explain else presented.NOTES
    answer = [line for line in results.answer if line not in told]
    print_tables(*tables, of=signed, answer=answer, lines=[*told, *notes])
    output.keep(results, of=[found])


def _others(scores: "xr.Dataset", people: list[str]) -> list[str]:
    return [str(name) for name in scores["metric"].to_numpy() if name not in people]


def _reliability(
    scores: "xr.Dataset", names: list[str], confidence_level: float, seed: int
) -> "xr.Dataset | None":
    """Measure how well people agree, where enough of them scored the same translations."""
    from supersample.cli.app import say
    from supersample.raters.components import reliability

    try:
        return reliability(scores, names, confidence_level=confidence_level, seed=seed)
    except InputError as error:
        say(f"how well people agree is not measured: {error}", quiet=False)
        return None
