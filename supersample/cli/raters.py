"""``supersample raters``: people among the metrics."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from supersample.cli.app import app, print_tables
from supersample.cli.commands import SCORES
from supersample.cli.options import ConfidenceLevel, Scale, Seed, Texts
from supersample.cli.output import Amount, FigureOutput
from supersample.cli.sources import Reader, warn_of_people
from supersample.errors import InputError, quoted

if TYPE_CHECKING:
    import xarray as xr

MOST_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class People:
    """People among the scorers.

    Parameters
    ----------
    rater : NAME[=FILE]
        A person: a scorer of the source, other human scores of the set, human (the source's),
        an assessor of --ratings, or a file as for --add-metric; A,B. {pair} in FILE stands
        for the language pair. Add --lower-is-better NAME if higher scores are worse.
        [default: with --ratings every assessor]
    gold : NAME
        The person who is the gold standard; or others, which ranks each person by the mean of the
        other people.
    """

    PANEL: ClassVar = SCORES
    rater: Texts = None
    gold: str = "others"

    def beside(self, read: Reader) -> "tuple[xr.Dataset, list[str]]":
        """Read the metrics of a source, add these people to them, and list the people."""
        from supersample.raters.golds import add_assessors, add_rater
        from supersample.scores.selection import keep_metrics

        files: dict[str, str] = {}
        names: list[str] = []
        ratings = read.raw_ratings()
        for text in self.rater or []:
            name, equals, file = text.partition("=")
            if equals and not file:
                raise InputError(f"--rater takes NAME or NAME=FILE, not {quoted(text)}")
            own = {name.strip(): file} if equals else read.human_files([name])
            names += own or [name]
            files |= own
        scores = read.unchecked(files)
        if "segment" not in scores.dims:
            raise InputError("raters needs scores of segments; these scores are of whole systems")
        if ratings is not None:
            scores, assessors = add_assessors(scores, ratings)
            names = names or assessors
            others = {*assessors} - {*names}
            kept = [x for x in map(str, scores["metric"].to_numpy()) if x not in others]
            scores = keep_metrics(scores, kept)
        if not names:
            raise InputError("name the people: --rater NAME or --rater NAME=FILE, once for each")
        for name in names:
            scores = add_rater(scores, name)
        return scores, names


@app.command()
def raters(
    read: Reader,
    *,
    people: People,
    measure: Annotated[Texts, typer.Option("--measure", "-m")] = None,
    alpha: Scale | None = None,
    resamples: int = 999,
    confidence_level: ConfidenceLevel = 0.95,
    seed: Seed = 0,
    shown: Amount,
    output: FigureOutput,
) -> None:
    """Rank people among the metrics, and say how well they agree.

    Names the metrics that rank above and below people (if they are many, counts them), and those
    that are significantly better or worse than people on new documents and on new systems. Says
    how well people agree with each other, and which r a metric without error is expected to reach.

    Parameters
    ----------
    measure : NAME
        Measure of agreement: pearson, SPA, PA, acc_eq/item, pdp/item, ...; A,B.
        [default: pearson]
    alpha
        Also print agreement beyond chance, for scores on this scale: Krippendorff's alpha of all
        people and, with --full, Cohen's kappa of every two.
    resamples
        Number of bootstrap draws of documents, and of systems if a measure has no formula.
    """
    from supersample.presentation import raters as presented
    from supersample.raters.ranking import rank_raters
    from supersample.results.outputs import results_of
    from supersample.scores.selection import keep_metrics

    scores, names = people.beside(read)
    metrics = [x for x in map(str, scores["metric"].to_numpy()) if x not in names]
    warn_of_people(read, keep_metrics(scores, metrics))
    options: dict[str, Any] = {"confidence_level": confidence_level, "seed": seed}
    more: Any = {"resamples": resamples, "allowed": read.allow_part or (), **options}
    found = rank_raters(scores, names, measure or "pearson", gold=people.gold, **more)
    output.say(presented.source_of_raters(found))
    most = None if shown.all or shown.full else MOST_ROWS
    measures = found["measure"].to_numpy() if metrics or shown.full or shown.all else ()
    tables = [presented.raters_table(found, name, most) for name in measures]
    measured = _reliability(scores, names, scale=alpha, **options)
    cut = max((found.sizes["scorer"] - len(each.rows) for each in tables), default=0)
    told = [f"{cut} more: --all"] if cut else []
    told += [] if measured is None else presented.people_lines(measured)
    results = results_of(found, *([] if measured is None else [measured]))
    if shown.full:
        of_people = [name for name in results.pages if not name.startswith("raters")]
        tables += [results.pages[name] for name in of_people]
    answer = [line for line in results.answer if line not in told]
    told += presented.EXPLAINED if shown.explain else ()
    print_tables(*tables, of=results.signed if shown.full else (), answer=answer, lines=told)
    output.keep(results)


def _reliability(scores: "xr.Dataset", names: list[str], **options: Any) -> "xr.Dataset | None":
    """Measure how well people agree, where enough of them scored the same translations."""
    from supersample.cli.app import say
    from supersample.raters.agreement import reliability

    try:
        return reliability(scores, names, **options)
    except InputError as error:
        if options["scale"] is not None:
            raise
        say(f"how well people agree is not measured: {error}", quiet=False)
        return None
