"""Options that commands share, and the Scores that those of the source name."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

Table = Annotated[
    str | None,
    typer.Argument(
        metavar="[TABLE]",
        help="Long table with the columns system, segment, scorer and score, optionally document "
        "and domain: .csv, .tsv, .jsonl or .parquet; - reads standard input. Or Scores that "
        "convert wrote: .nc or .zarr; or those of a run.",
        show_default=False,
    ),
]
Example = Annotated[bool, typer.Option("--example", help="Use the embedded example.")]
Mtme = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder of test sets, mt-metrics-eval v2.")
]
Wmt = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="PATH",
        help="Segment-level file of the WMT metrics task (.seg.score, .seg.score.gz), or a folder "
        "of them; repeatable. Takes --human, a file or one of the metrics.",
    ),
]
Systems = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="PATH",
        help="System-level scores: table with METRIC LP TESTSET SYSTEM SCORE and perhaps HUMAN, or "
        ".sys.score; repeatable. They make no hybrids.",
    ),
]
AddMetric = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=FILE",
        help="Your metric, set beside the others: a table, .seg.score, lines of a system and a "
        "score, or a folder with a file for each system; repeatable. {pair} in FILE stands for "
        "each language pair of several. Say its orientation by "
        "--lower-is-better or --higher-is-better, or it is inferred, with a warning.",
    ),
]
HigherIsBetter = Annotated[
    list[str] | None, typer.Option(help="Added metric whose higher scores are better; repeatable.")
]
TestSet = Annotated[
    str | None, typer.Option(help="With --mtme, for instance wmt23, --wmt or --systems.")
]
LanguagePair = Annotated[
    str | None, typer.Option(help="With --mtme, for instance en-de, --wmt or --systems.")
]
Human = Annotated[
    str | None,
    typer.Option(
        help="Human scores: name of the scorer in a table, or of the human scores with --mtme.  "
        "[default: human; with --mtme mqm]",
        show_default=False,
    ),
]
Reference = Annotated[
    str | None,
    typer.Option(
        help="With --mtme, --wmt or --systems, the reference of the metric scores.  "
        "[default: with --mtme refA]"
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        help="Metrics to keep: names joined by commas, all, or none. With --mtme also reference "
        "(its default) or reference-free (-src)."
    ),
]
LowerIsBetter = Annotated[
    list[str] | None,
    typer.Option(help="Scorer whose higher scores mean worse translations; repeatable."),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        help="System to keep although --mtme or --wmt leave it out by default, such as a human "
        "translation; repeatable."
    ),
]
Only = Annotated[list[str] | None, typer.Option(help="System to keep, and no others; repeatable.")]
Ratings = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Raw ratings in place of the source's human scores: a long table with assessor, "
        "system, segment, score and perhaps type, or a CSV file of Appraise.",
        show_default=False,
    ),
]
RatingScale = Annotated[
    Literal["z", "raw"],
    typer.Option(help="With --ratings: z-scores of each assessor, or as given."),
]
QualityControl = Annotated[
    Literal["wilcoxon", "t-test", "none"],
    typer.Option(
        help="With --ratings: paired test of damaged translations that drops unreliable assessors."
    ),
]
Exclude = Annotated[list[str] | None, typer.Option(help="System to leave out; repeatable.")]
CorpusMetrics = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus-metric",
        help="Corpus score computed from texts: bleu, chrf, chrf++ or ter, with options as in "
        "bleu:tokenizer=char,name=BLEU-char; repeatable. Texts are those of --mtme, or of "
        "--hypotheses and --references.",
        show_default=False,
    ),
]
Hypotheses = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SYSTEM=FILE",
        help="Output of a system, a line a segment; one for each system.",
        show_default=False,
    ),
]
References = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE", help="Reference, a line a segment; repeatable.", show_default=False
    ),
]
TextCache = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder that keeps counts of texts for the next run.  [default: the user's cache]",
        show_default=False,
    ),
]
Pairs = Annotated[Literal["balanced", "random"], typer.Option(help="How pairs are chosen.")]
Share = Annotated[str, typer.Option(help="Share of one system in a hybrid: a number, or uniform.")]
Unit = Annotated[Literal["segment", "document"], typer.Option(help="What is taken whole.")]
Also = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PAIR[:REFERENCE]",
        help="Further language pair of the source (of a table: another table) to average over; "
        "repeatable.",
    ),
]
By = Annotated[
    Literal["domain", "document"] | None, typer.Option(help="Group segments by this label.")
]
MaskOption = Annotated[
    Literal["common", "all"],
    typer.Option(
        help="Human and metric scores on the segments rated for every system; or metrics on all, "
        "human scores on the rated ones."
    ),
]
HumanMeanOption = Annotated[
    Literal["ratings", "segments"], typer.Option(help="What human scores are means over.")
]
Hybrids = Annotated[int, typer.Option("--hybrids", "-n", help="How many hybrids.")]
Seed = Annotated[int, typer.Option(help="Of everything random.")]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for data, tables and figures; made if it is not there."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace results in --out.")]
ConfidenceLevel = Annotated[float, typer.Option(min=0, max=1, help="Of intervals and tests.")]
Alternative = Annotated[
    Literal["two-sided", "greater", "less"], typer.Option(help="Of tests, as in scipy.")
]
FORMULAS = Literal[
    "zou2007",
    "pearson1898",
    "hotelling1940",
    "williams1959",
    "olkin1967",
    "dunn1969",
    "hendrickson1970",
    "steiger1980",
    "meng1992",
    "hittner2003",
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the table alone, no progress.")]


def read_scores(
    table: Table = None,
    *,
    example: Example = False,
    mtme: Mtme = None,
    wmt: Wmt = None,
    systems: Systems = None,
    test_set: TestSet = None,
    language_pair: LanguagePair = None,
    human: Human = None,
    reference: Reference = None,
    metrics: Metrics = None,
    lower_is_better: LowerIsBetter = None,
    include: Include = None,
    exclude: Exclude = None,
    only: Only = None,
    ratings: Ratings = None,
    rating_scale: RatingScale = "z",
    quality_control: QualityControl = "wilcoxon",
    add_metric: AddMetric = None,
    higher_is_better: HigherIsBetter = None,
    corpus_metric: CorpusMetrics = None,
    hypotheses: Hypotheses = None,
    references: References = None,
    text_cache: TextCache = None,
    progress: bool = False,
) -> "xr.Dataset":
    """Read Scores from the one source that was named, and add the metrics that were."""
    from supersample.cli.sources import RawRatings, Source, added_metrics, read_source
    from supersample.cli.texts import CorpusTexts

    if (table is not None) + example + sum(map(bool, (mtme, wmt, systems))) != 1:
        raise InputError(
            "name one source of scores: a table, --mtme DIR, --wmt PATH, --systems PATH, or "
            "--example"
        )
    texts = CorpusTexts(corpus_metric or [], hypotheses or [], references or [], text_cache)
    added = added_metrics(add_metric or [], lower_is_better or [], higher_is_better or [])
    source = Source(
        test_set=test_set,
        language_pair=language_pair,
        human=human,
        reference=reference,
        metrics=metrics,
        lower_is_better=[name for name in lower_is_better or [] if name not in added],
        include=include or [],
        exclude=exclude or [],
        only=only or [],
    )
    pair = _pair(table, language_pair)
    scores = read_source(source, table=table, mtme=mtme, wmt=wmt or [], systems=systems or [])
    import supersample as ss

    raw = RawRatings(ratings, rating_scale, quality_control).prepared(pair)
    if raw is not None:
        scores = ss.rate_scores(scores, raw)
    for name, (file, orientation) in added.items():
        own = file.replace("{pair}", pair)
        scores = ss.add_metric(scores, name, own, orientation=orientation)
    return texts.added_to(scores, source, mtme, progress=progress)


def _pair(table: str | None, language_pair: str | None) -> str:
    """Name what {pair} stands for: the language pair, or a table's name without its suffix."""
    return language_pair or (Path(table).stem if table else "")


class Reader:
    """Reads the Scores that options name, when a command has checked what costs nothing."""

    def __init__(self, named: dict[str, Any], *, progress: bool) -> None:
        self._named = named
        self._progress = progress

    def __call__(self) -> "xr.Dataset":
        """Scores, with the metrics that are to be added."""
        return read_scores(**self._named, progress=self._progress)

    @property
    def has_source(self) -> bool:
        """Whether options name a source of scores."""
        sources = ("table", "example", "mtme", "wmt", "systems")
        return any(bool(self._named[name]) for name in sources)

    def ratings(self) -> "xr.Dataset | None":
        """Raw ratings that the human scores are means of, if any were named."""
        from supersample.cli.sources import RawRatings

        named = self._named
        raw = RawRatings(named["ratings"], named["rating_scale"], named["quality_control"])
        return raw.prepared(_pair(named["table"], named["language_pair"]))

    def several(self, also: list[str]) -> dict[str, "xr.Dataset"]:
        """Scores of the source and of further language pairs (or tables), by name."""
        named = [self._named, *(self._another(name) for name in also)]
        found = {}
        for own in named:
            scores = read_scores(**own, progress=self._progress)
            table = own["table"]
            name = Path(table).stem if table else str(scores.attrs.get("source", "scores"))
            if name in found:
                raise InputError(f"{name} is named more than once")
            found[name] = scores
        return found

    def _another(self, name: str) -> dict[str, Any]:
        """Options with another table, or another language pair and perhaps its reference."""
        if self._named["table"]:
            return {**self._named, "table": name}
        if self._named["example"]:
            raise InputError("--also does not go with --example")
        pair, colon, reference = name.partition(":")
        return {
            **self._named,
            "language_pair": pair,
            "reference": reference if colon else self._named["reference"],
        }


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a source of Scores.

    The command's first parameter reads them.
    """
    source = dict(inspect.signature(read_scores).parameters)
    del source["progress"]  # follows from the command's own --quiet
    own = dict(list(inspect.signature(command).parameters.items())[1:])

    def run(**given: Any) -> None:
        named = {name: given.pop(name) for name in source}
        command(Reader(named, progress=not given.get("quiet", False)), **given)

    parameters = [*source.values(), *own.values()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def checked_folder(out: Path | None, overwrite: bool) -> Path | None:
    """Refuse an output folder that cannot be used, before any work is spent."""
    if out is None:
        return None
    from supersample.results.outputs import check_folder

    return check_folder(out, overwrite=overwrite)


def parsed_share(text: str) -> Any:
    """Read a share: a number or a word, which the design checks."""
    try:
        return float(text)
    except ValueError:
        return text
