"""Options that name a source of Scores, and the commands that take them.

Each registered reader with a help text is an option; the others follow.
"""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.commands import SCORES
from supersample.cli.effects import beside, flag
from supersample.cli.sources import CorpusTexts, RawRatings, Source, added_metrics, source_readers
from supersample.errors import InputError
from supersample.readers.registry import ScoreReader

if TYPE_CHECKING:
    import xarray as xr


def _text(text: str, **options: Any) -> Any:
    """Make an option with one value, or none."""
    return Annotated[str | None, typer.Option(help=text, show_default=False, **options)]


def _texts(text: str, **options: Any) -> Any:
    """Make a repeatable option."""
    return Annotated[list[str] | None, typer.Option(help=text, show_default=False, **options)]


_TABLE = Annotated[
    str | None,
    typer.Argument(
        metavar="[TABLE]",
        help="Table with the columns system, segment, scorer and score, or with a column for each "
        "scorer, optionally document and domain: .csv, .tsv, .xlsx, .json, .jsonl or .parquet, "
        "perhaps .gz or .zst; - reads standard input. Or Scores that convert wrote: .nc or .zarr; "
        "or those of a run.",
        show_default=False,
    ),
]
_OPTIONS: dict[str, Any] = {
    "test_set": _text("With --mtme, for instance wmt23, --wmt or --system-scores."),
    "language_pair": _text(
        "With --mtme, for instance en-de, --wmt or --system-scores; of a table that has several."
    ),
    "human": _text(
        "Human scores: name of the scorer in a table, or of the human scores with --mtme.  "
        "[default: human; with --mtme the standard of the set]"
    ),
    "reference": _text(
        "With --mtme, --wmt or --system-scores, the reference of the metric scores.  "
        "[default: with --mtme the standard of the set]"
    ),
    "metrics": _text(
        "Metrics to keep, beside added ones: names joined by commas, all, or none. With --mtme "
        "also reference (its default), reference-free (-src), or primary (submissions and "
        "baselines)."
    ),
    "lower_is_better": _texts("Scorer whose higher scores mean worse translations; repeatable."),
    "include": _texts(
        "System to keep although --mtme or --wmt leave it out by default, such as a human "
        "translation; repeatable."
    ),
    "exclude": _texts("System to leave out; repeatable."),
    "only": _texts("System to keep, and no others; repeatable."),
    "system_column": _text("Column of a table that names the systems, if no usual name does."),
    "segment_column": _text("Column that names the segments."),
    "scorer_column": _text("Column that names the scorers, in a table with a row for each score."),
    "score_column": _text("Column of scores, in a table with a row for each."),
    "document_column": _text("Column that names the documents."),
    "domain_column": _text("Column that names the domains."),
    "sheet": _text("Sheet of a spreadsheet, if several have cells."),
    "ratings": _text(
        "Raw ratings in place of the source's human scores: a long table with assessor, system, "
        "segment, score and perhaps type, or a CSV file of Appraise.",
        metavar="FILE",
    ),
    "rating_scale": Annotated[
        Literal["z", "raw"],
        typer.Option(help="With --ratings: z-scores of each assessor, or the raw scores."),
    ],
    "quality_control": Annotated[
        Literal["wilcoxon", "t-test", "none"],
        typer.Option(
            help="With --ratings: paired test of damaged translations that drops unreliable "
            "assessors."
        ),
    ],
    "add_metric": _texts(
        "Your metric, set beside the others: a table, .seg.score, lines of a system and a score, "
        "or a folder with a file for each system; repeatable. {pair} in FILE stands for each "
        "language pair of several. Say its orientation by --lower-is-better or "
        "--higher-is-better, or it is inferred, with a warning.",
        metavar="NAME=FILE",
    ),
    "higher_is_better": _texts("Added metric whose higher scores are better; repeatable."),
    "corpus_metric": _texts(
        "Corpus score computed from texts: bleu, chrf, chrf++ or ter, with options as in "
        "bleu:tokenizer=char,name=BLEU-char; repeatable. Texts are those of --mtme, or of "
        "--hypotheses and --references."
    ),
    "hypotheses": _texts(
        "Output of a system, a line a segment; one for each system.", metavar="SYSTEM=FILE"
    ),
    "references": _texts("Reference, a line a segment; repeatable.", metavar="FILE"),
    "text_cache": _text(
        "Folder that keeps counts of texts for the next run.  [default: the user's cache]",
        metavar="DIR",
    ),
}
SOURCE_OPTIONS = tuple(_OPTIONS)
"""Names of the options that say how a source is read."""
_DEFAULTS = {"rating_scale": "z", "quality_control": "wilcoxon"}
_LISTS = (
    *("lower_is_better", "include", "exclude", "only"),
    *("add_metric", "higher_is_better", "corpus_metric", "hypotheses", "references"),
)
_EFFECTS = {
    "rating_scale": beside("ratings"),
    "quality_control": beside("ratings"),
    "hypotheses": beside("corpus_metric"),
    "text_cache": beside("corpus_metric"),
    "references": beside("corpus_metric"),
}
_COMMANDS: list[tuple[Callable[..., None], list[inspect.Parameter]]] = []


class Reader:
    """Reads the Scores that options name, when a command has checked what costs nothing."""

    def __init__(self, values: dict[str, Any], *, progress: bool) -> None:
        self._values = values
        self._progress = progress

    def __call__(self) -> "xr.Dataset":
        """Scores, with the metrics that are to be added."""
        return _read(self._values, progress=self._progress)

    @property
    def has_source(self) -> bool:
        """Whether options name a source of scores."""
        names = ["table", *(reader.name for reader in source_readers())]
        return any(bool(self._values[name]) for name in names)

    def apart(self) -> "tuple[Reader, list[str]]":
        """Reader of the source that an option names, and what is first then in place of a table."""
        table = self._values["table"]
        if table is None or not any(self._values[reader.name] for reader in source_readers()):
            return self, []
        return Reader({**self._values, "table": None}, progress=self._progress), [table]

    def ratings(self) -> "xr.Dataset | None":
        """Raw ratings that the human scores are means of, if any were named."""
        return _ratings(self._values)

    def several(self, also: list[str]) -> dict[str, "xr.Dataset"]:
        """Scores of the source and of further language pairs (or tables), by name."""
        found = {}
        for values in (self._values, *(self._another(name) for name in also)):
            scores = _read(values, progress=self._progress)
            table = values["table"]
            name = Path(table).stem if table else str(scores.attrs.get("source", "scores"))
            if name in found:
                raise InputError(f"{name} is named more than once")
            found[name] = scores
        return found

    def another(self, name: str, option: str) -> "xr.Dataset":
        """Scores of the language pair (or table) that an option names."""
        return _read(self._another(name, option), progress=self._progress)

    def _another(self, name: str, option: str = "--also") -> dict[str, Any]:
        """Options with another table, or another language pair and perhaps its reference."""
        if self._values["table"]:
            return {**self._values, "table": name}
        for reader in source_readers():
            if self._values[reader.name] and "language_pair" not in reader.takes:
                raise InputError(f"{option} does not go with {flag(reader.name)}")
        pair, colon, reference = name.partition(":")
        return {
            **self._values,
            "language_pair": pair,
            "reference": reference if colon else self._values["reference"],
        }


def _read(values: Mapping[str, Any], *, progress: bool) -> "xr.Dataset":
    """Read Scores from the one source that is named, and add the metrics that are."""
    values = {
        name: [] if value is None and name in _LISTS else value for name, value in values.items()
    }
    texts = CorpusTexts(
        values["corpus_metric"], values["hypotheses"], values["references"], values["text_cache"]
    )
    added = added_metrics(
        values["add_metric"], values["lower_is_better"], values["higher_is_better"]
    )
    lower = [name for name in values["lower_is_better"] if name not in added]
    kept, of_source = _kept_metrics(values["metrics"], list(added), texts.labels())
    columns = {
        name.removesuffix("_column"): column
        for name, column in values.items()
        if name.endswith("_column") and column is not None
    }
    told = {"metrics": of_source, "lower_is_better": lower, "columns": columns}
    source = Source.named({**values, **told})
    scores = source.read()
    from supersample.readers.added_metrics import add_metric
    from supersample.scores.rated_scores import rate_scores
    from supersample.scores.selection import keep_metrics

    raw = _ratings(values)
    if raw is not None:
        scores = rate_scores(scores, raw)
    for name, (file, orientation) in added.items():
        path = file.replace("{pair}", _pair(values))
        scores = add_metric(scores, name, path, orientation=orientation)
    scores = texts.added_to(scores, source, progress=progress)
    return scores if kept is None else keep_metrics(scores, kept)


def _kept_metrics(
    metrics: str | None, added: list[str], corpus: list[str]
) -> tuple[list[str] | None, str | None]:
    """Metrics to keep where some of --metrics are added ones, and what the source is asked for.

    Corpus metrics, which are added too, are no scores of segments, and always kept.
    """
    asked = [name.strip() for name in (metrics or "").split(",")]
    own = [name for name in asked if name not in (*added, *corpus)]
    if own == asked:
        return None, metrics
    kept = [name for name in asked if name not in corpus]
    return list(dict.fromkeys([*kept, *added])), ",".join(own) or None


def _ratings(values: Mapping[str, Any]) -> "xr.Dataset | None":
    """Read raw ratings, if any are named."""
    raw = RawRatings(values["ratings"], values["rating_scale"], values["quality_control"])
    return raw.prepared(_pair(values), values["language_pair"])


def _pair(values: Mapping[str, Any]) -> str:
    """Name what {pair} stands for: the language pair, or a table's name without its suffix."""
    return values["language_pair"] or (Path(values["table"]).stem if values["table"] else "")


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a source of Scores.

    The command's first parameter is a `Reader` of them.
    """
    others = list(inspect.signature(command).parameters.values())[1:]

    def run(**passed: Any) -> None:
        values = {name: passed.pop(name) for name in _source_parameters()}
        command(Reader(values, progress=not passed.get("quiet", False)), **passed)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.effects = {**_EFFECTS, **getattr(command, "effects", {})}  # type: ignore[attr-defined]
    _COMMANDS.append((run, others))
    take_registered_readers()
    return run


def take_registered_readers() -> None:
    """Give all commands with a source an option for each reader that is registered by now."""
    source = _source_parameters()
    for run, others in _COMMANDS:
        parameters = [*source.values(), *others]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def _source_parameters() -> dict[str, inspect.Parameter]:
    """Parameters that name a source: the table, the readers, their options."""
    options = {reader.name: _option(reader) for reader in source_readers()} | _OPTIONS
    flags = {reader.name for reader in source_readers() if reader.argument == "nothing"}
    defaults = dict.fromkeys(flags, False) | _DEFAULTS
    at, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = {"table": inspect.Parameter("table", at, default=None, annotation=_TABLE)}
    for name, kind in options.items():
        default = defaults.get(name)
        parameters[name] = inspect.Parameter(name, named, default=default, annotation=kind)
    return parameters


def _option(reader: ScoreReader) -> Any:
    name = flag(reader.name)
    if reader.argument == "nothing":
        return Annotated[bool, typer.Option(name, help=reader.help, rich_help_panel=SCORES)]
    option = typer.Option(name, metavar=reader.metavar, help=reader.help, rich_help_panel=SCORES)
    kind: Any = list[Path] if reader.argument == "paths" else Path
    return Annotated[kind | None, option]
