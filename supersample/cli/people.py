"""``supersample systems``, ``raters`` and ``test``: people, judges, and correlations as numbers."""

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import SCORES, App, Values, app, beside, help_if_bare, print_tables
from supersample.cli.options import (
    Alternative,
    Amount,
    ConfidenceLevel,
    Output,
    Scale,
    Seed,
    Text,
    Texts,
    WorkerOptions,
)
from supersample.cli.sources import (
    SOURCE_OPTIONS,
    Reader,
    Source,
    is_grouped,
    warn_of_people,
    with_option,
)
from supersample.errors import InputError, as_option, check_names, listed, quoted

if TYPE_CHECKING:
    import xarray as xr

    from supersample.readers.tables import Answers


MOST_ROWS = 20
_IDLE = {
    "team": "is for conclusions on new systems, and documents are random here",
    "metrics": "has no effect on a ranking of systems, which is by --scorer",
    "allow_part": "has no effect on a ranking of systems, which takes any --scorer",
}


class SystemReader(Reader):
    """Reads Scores whose metrics are not compared with people."""

    SCALE: ClassVar = "raw"

    def check_metrics(self, golds: object, *, some_elsewhere: bool) -> None:
        """Accept metrics of all kinds: none is ranked."""

    def by_wmt24(self) -> "SystemReader":
        """Take what WMT24 took, unless named: all assessors, and references as systems."""
        data = [
            with_option(x, "include", "references") if Source.named(x).reader.name == "mtme" else x
            for x in self.data or []
        ]
        ratings = self.ratings and with_option(self.ratings, "quality_control", "none")
        return replace(self, data=data, ratings=ratings)

    def rated(self) -> "tuple[SystemReader, str]":
        """Take a table of people with a row for each rating as --ratings, too.

        Among several DATA, say which one is such a table, of which means are taken.

        Raises
        ------
        InputError
            If there are several such tables: of one set, they are parts of one campaign.
        """
        if len(self.data or []) > 1:
            each = [replace(self, data=[x]).rated()[0] for x in self.data or []]
            if len(files := [x.ratings for x in each if x.ratings and not self.ratings]) > 1:
                raise InputError(
                    "these are files of ratings; name the set that they rate, and all of them: "
                    f"systems SET --ratings {','.join(files)} (SET as wmt24/en-zh); or one file"
                )
            return self, "".join(files)
        alone = not (self.ratings or self.human or self.add_metric or is_grouped(vars(self)))
        if not alone or self.source.reader.name != "table" or self.source.options:
            return self, ""
        from supersample.scores.ratings import place_ratings

        read = replace(self, ratings=str(self.source.read))
        with suppress(InputError):
            scores = self()
            if not scores.sizes["metric"]:
                place_ratings(read.single_ratings, scores)
                return read, ""
        return self, ""


@app.command(idle=lambda _: _IDLE)
def systems(
    read: SystemReader,
    *,
    scorer: str = "human",
    by: Literal["domain"] | None = None,
    random: Literal["documents", "segments"] | None = None,
    mask: Literal["common", "all"] = "common",
    human_mean: Literal["ratings", "segments"] = "ratings",
    rule: Literal["wmt24"] | None = None,
    confidence_level: ConfidenceLevel = 0.95,
    seed: Seed = 0,
    full: bool = False,
    output: Output,
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
    mask
        Segments to use. common: those with a score of every system; all: every segment.
    human_mean
        How a system's human score is averaged. ratings: over all ratings; segments: over the means
        of its segments.
    rule
        Also apply a published rule. wmt24: Wilcoxon's test in each domain, not corrected, of
        ratings as given, with all assessors and with references that people rated.
    full
        Print every pair of systems, too.
    """
    from supersample.comparisons.rank_systems import rank_systems
    from supersample.presentation.systems import source_of_systems

    read, averaged = read.rated()
    read = read if rule is None else read.by_wmt24()
    how: dict[str, Any] = {"by": by, "random": random, "rule": rule, "human_mean": human_mean}
    how |= {"mask": mask, "ratings": read.raw_ratings()}
    how |= {"confidence_level": confidence_level, "seed": seed}
    found = rank_systems(read.groups(), scorer, **how)
    found.attrs |= {"averaged": averaged} if averaged else {}
    output.say(*source_of_systems(found))
    output.finish(found, full=full)


_UNNAMED = (
    "name a judge to compare with people: --judge NAME; or the people to rank among metrics: "
    "--rater NAME or --rater NAME=FILE, once for each"
)


def _ratings_of(read: Reader) -> "xr.Dataset | None":
    """Ratings as given of a table with a row for each."""
    try:
        return replace(read, ratings=f"{read.source.read}:scale=raw").raw_ratings()
    except InputError as error:
        raise InputError(f"{_UNNAMED}; {error}") from error


@dataclass(frozen=True, kw_only=True)
class Named:
    """People among the scorers.

    Parameters
    ----------
    rater : NAME[=FILE]
        A person: a scorer of the source, other human scores of the set, human (the source's),
        an assessor of --ratings, or a file as for --add-metric; A,B. {pair} in FILE stands
        for the language pair. Add --lower-is-better NAME if higher scores are worse.
        [default: with --ratings every assessor; with --judge the only other column, or those
        named as people]
    """

    PANEL: ClassVar = SCORES
    rater: Texts = None

    def beside(self, read: Reader) -> "tuple[xr.Dataset, list[str]]":
        """Read the metrics of a source, add these people to them, and list the people."""
        from supersample.raters.golds import add_assessors, add_rater
        from supersample.readers.tables import NOBODY
        from supersample.scores.selection import keep_metrics

        files: dict[str, str] = {}
        names: list[str] = []
        ratings = read.raw_ratings()
        if not self.rater and ratings is None and read.source.reader.name == "table":
            ratings = _ratings_of(read)
        for text in self.rater or []:
            name, equals, file = text.partition("=")
            if equals and not file:
                raise InputError(f"--rater takes NAME or NAME=FILE, not {quoted(text)}")
            own = {name.strip(): file} if equals else read.human_files([name])
            names += own or [name]
            files |= own
        if names and read.source.reader.name == "table" and "human" not in names:
            # people are ranked by each other
            columns = [] if ratings is not None else [x for x in names if x not in files]
            kept = [*read.metrics, *columns] if read.metrics else None
            read = replace(read, human=read.human or [NOBODY], metrics=kept)
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
            there = as_option(read.human_paths or ())
            raise InputError(f"{_UNNAMED}{f'; here --rater {there}' if there else ''}")
        for name in names:
            scores = add_rater(scores, name)
        return scores, names

    def answers(self, read: Reader, judge: str) -> "tuple[Answers, list[str]]":
        """Read answers of a judge and people to items, and list the people."""
        from supersample.raters.golds import scorer_values
        from supersample.readers.tables import read_answers

        if "," in judge:
            two = f"compare DATA --metrics {judge} --human {','.join(self.rater or ['PERSON'])}"
            raise InputError(f"--judge takes one; of several: {two} --measure pearson/none")
        sources = [Source.named(text) for text in read.data or []]
        tables = sources and all(source.reader.name == "table" for source in sources)
        if not tables or any(getattr(read, name) for name in SOURCE_OPTIONS):
            scores, names = self.beside(read)
            check_names("judge", [judge], map(str, scores["metric"].to_numpy()))
            items = [*product(*(scores[x].to_numpy().tolist() for x in ("system", "segment")))]
            values = {x: scorer_values(scores, [x]).ravel().tolist() for x in [judge, *names]}
            return {x: dict(zip(items, of, strict=True)) for x, of in values.items()}, names
        found: Answers = {}
        others: list[str] = []  # of the judge's own file only if it is the only one
        for source in sources:
            of = read_answers(source.read, judge, self.rater or (), **source.options)
            if both := [name for name in of if name in found]:
                raise InputError(f"{source.read} has answers of {listed(both)} again")
            found |= of
            others += [] if judge in of and len(sources) > 1 else of
        return found, self.rater or [name for name in others if name != judge]


@dataclass(frozen=True, kw_only=True)
class People(Named):
    """People among the scorers, and by whom they are ranked.

    Parameters
    ----------
    gold : NAME
        The person who is the gold standard; or others, which ranks each person by the mean of the
        other people.
    """

    gold: str = "others"


def _idle(values: Values) -> dict[str, str]:
    """Find options that have no effect beside --judge."""
    if values["judge"] is None:
        return {}
    return dict.fromkeys(_OF_RANKS, "does not go with --judge")


_OF_RANKS = (
    *("gold", "measure", "resamples", "seed", "scheduler", "workers", "all"),
    *("team", "allow_part"),
)


@app.command(idle=_idle)
def raters(
    read: Reader,
    *,
    people: People,
    judge: Text = None,
    epsilon: Annotated[float, beside("judge")] = 0.2,
    measure: Annotated[Texts, typer.Option("--measure", "-m")] = None,
    scale: Annotated[Scale | None, beside("judge")] = None,
    resamples: int = 999,
    confidence_level: ConfidenceLevel = 0.95,
    seed: Seed = 0,
    workers: WorkerOptions,
    shown: Amount,
    output: Output,
) -> None:
    """Rank people among the metrics, or compare a judge with people.

    With --judge: how well it agrees with people on items, whether it does as well as people with
    each other, whether it may replace one, and where it is biased. The source may be a
    spreadsheet with a row for each item, and a column for the judge and for each person, as in
    raters sheet.csv --judge gpt --rater alice,bob,carol

    Otherwise, names the metrics that rank above and below people (if they are many, counts them),
    and those that are significantly better or worse than people on new documents and on new
    systems. Says how well people agree with each other, and which r a metric without error is
    expected to reach.

    Parameters
    ----------
    judge : NAME
        The judge, such as an LLM: a column, or an annotator of a long table.
    epsilon
        How much worse than a person a judge may be because it is cheaper: 0.2 if people are
        experts, 0.15 if they are skilled, 0.1 if they are a crowd.
    measure : NAME
        Measure of agreement: pearson, SPA, PA, acc_eq/item, pdp/item, ...; A,B.
        [default: pearson]
    scale
        Scale of the answers; by default it is found.
    resamples
        Number of bootstrap draws of documents, and of systems if a measure has no formula.
    """
    if judge is not None:
        how = {"scale": scale, "epsilon": epsilon, "confidence_level": confidence_level}
        _judge(read, people, judge, how, shown, output)
        return
    from supersample.presentation import raters as presented
    from supersample.raters.agreement import rank_raters
    from supersample.results.outputs import results_of
    from supersample.scores.selection import keep_metrics

    scores, names = people.beside(read)
    metrics = [x for x in map(str, scores["metric"].to_numpy()) if x not in names]
    warn_of_people(read, keep_metrics(scores, metrics))
    more: Any = {"resamples": resamples, "allowed": read.allow_part or (), "seed": seed}
    more |= {"workers": workers.parsed(), "confidence_level": confidence_level}
    found = rank_raters(scores, names, measure or "pearson", gold=people.gold, **more)
    output.say(presented.source_of_raters(found))
    most = None if shown.all or shown.full else MOST_ROWS
    measures = found["measure"].to_numpy() if metrics or shown.full or shown.all else ()
    tables = [presented.raters_table(found, name, most) for name in measures]
    measured = _reliability(scores, names, confidence_level)
    cut = max((found.sizes["scorer"] - len(each.rows) for each in tables), default=0)
    told = [f"{cut} more: --all"] if cut else []
    agreed = [] if measured is None else presented.people_lines(measured)
    told += agreed[1:]
    results = results_of(found, *([] if measured is None else [measured]))
    if shown.full:
        of_people = [name for name in results.pages if not name.startswith("raters")]
        tables += [results.pages[name] for name in of_people]
    answer = [*agreed[:1], *(line for line in results.answer if line not in [*agreed, *told])]
    told += presented.EXPLAINED if shown.explain else ()
    print_tables(*tables, of=results.signed if shown.full else (), answer=answer, lines=told)
    output.keep(results)


def _judge(
    read: Reader, people: People, judge: str, how: dict[str, Any], shown: Amount, output: Output
) -> None:
    """Answer how well a judge agrees with people."""
    from supersample.presentation.raters import EXPLAINED_OF_JUDGES, judge_source
    from supersample.raters.judges import judge_agreement

    answers, names = people.answers(read, judge)
    found = judge_agreement(answers, judge, names, **how)
    output.say(judge_source(found, guessed=not people.rater))
    output.finish(found, full=shown.full)
    if shown.explain:
        print_tables(answer=("", *EXPLAINED_OF_JUDGES))


def _reliability(scores: "xr.Dataset", names: list[str], level: float) -> "xr.Dataset | None":
    """Measure how well people agree, where enough of them scored the same translations."""
    from supersample.cli.app import say
    from supersample.raters.agreement import reliability

    try:
        return reliability(scores, names, confidence_level=level)
    except InputError as error:
        say(f"how well people agree is not measured: {error}", quiet=False)
        return None


test = App(invoke_without_command=True, rich_markup_mode=None)
app.add_typer(test, name="test")
R = Annotated[float, typer.Argument()]
N = Annotated[
    int, typer.Option("--systems", "-n", help="Number of systems measured: --systems 12.")
]


@test.callback()
def _group(context: typer.Context) -> None:
    """Test correlations given as numbers.

    With numbers, as in test overlapping 0.95 0.9 0.93 --systems 14.

    The limits of one correlation: simulate --r 0.9 --systems 12.
    """
    help_if_bare(context)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of every test."""

    alternative: Alternative = "two-sided"
    confidence_level: ConfidenceLevel = 0.95


@test.command(ignore_unknown_options=True)
def overlapping(r12: R, r13: R, r23: R, *, n: N, options: Options, full: bool = False) -> None:
    """Test r12 against r13: two metrics with the same human scores.

    With numbers, as in test overlapping 0.95 0.9 0.93 --systems 14.

    Parameters
    ----------
    r12
        Correlation of metric a with the human scores, such as 0.9.
    r13
        Correlation of metric b with the human scores.
    r23
        Correlation of metric a with metric b.
    full
        Print all ten tests, and the signature.
    """
    from supersample.comparisons.correlations.by_formula import compare_overlapping

    result = compare_overlapping(r12, r13, r23, n, **vars(options))
    _print(result, full=full, r12=(r12, n), r13=(r13, n))


@test.command(ignore_unknown_options=True)
def non_overlapping(
    r12: R, r34: R, r13: R, r14: R, r23: R, r24: R, *, n: N, options: Options
) -> None:
    """Test r12 against r34: two metrics on the same systems, each with its own human scores.

    r12 is the correlation of 1 and 2, and so on: 1 and 3 are human scores, 2 and 4 are metrics.
    With numbers, as in test non-overlapping 0.9 0.8 0.9 0.8 0.8 0.9 --systems 14.

    Parameters
    ----------
    r12
        Correlation of the first metric with its human scores, such as 0.9.
    r34
        Correlation of the second metric with its human scores.
    r13
        Correlation of the human scores with each other.
    r14
        Correlation of the first human scores with the second metric.
    r23
        Correlation of the first metric with the second human scores.
    r24
        Correlation of the metrics with each other.
    """
    from supersample.comparisons.correlations.by_formula import compare_non_overlapping

    result = compare_non_overlapping(r12, r34, r13, r14, r23, r24, n, **vars(options))
    _print(result, r12=(r12, n), r34=(r34, n))


@test.command(ignore_unknown_options=True)
def independent(r1: R, r2: R, *, n1: int, n2: int, options: Options) -> None:
    """Test r1 against r2 over different systems, such as those of two language pairs.

    With numbers, as in test independent 0.9 0.8 --n1 12 --n2 15.

    Parameters
    ----------
    r1
        First correlation, such as 0.9.
    r2
        Second correlation.
    n1
        Number of systems behind r1, as in test independent 0.9 0.8 --n1 12 --n2 15.
    n2
        Number of systems behind r2, as in test independent 0.9 0.8 --n1 12 --n2 15.
    """
    from supersample.comparisons.correlations.by_formula import compare_independent

    result = compare_independent(r1, r2, n1, n2, **vars(options))
    _print(result, r1=(r1, n1), r2=(r2, n2))


def _print(result: "xr.Dataset", *, full: bool = True, **alone: tuple[float, int]) -> None:
    """Print all tests of a difference, or those to report; and the interval of each r alone."""
    from supersample.inference.one_correlation import fisher_interval
    from supersample.presentation import studies

    level = result.attrs["confidence_level"]
    limits = {x: fisher_interval(*of, confidence_level=level) for x, of in alone.items()}
    answer = [*studies.recommended_lines(result), studies.single_line(result, limits)]
    answer[-1] += " All ten tests: --full." * (not full)
    shown = result if full else result.sel(test=["williams1959", "zou2007"])
    print_tables(studies.numbers_table(shown), of=[result] * full, answer=answer)
