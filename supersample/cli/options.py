"""Options that commands share, and the Scores that those of the source name."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
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
        "and domain: .csv, .tsv or .parquet; - reads standard input.",
        show_default=False,
    ),
]
Example = Annotated[bool, typer.Option("--example", help="Use the embedded example.")]
Mtme = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder of test sets, mt-metrics-eval v2.")
]
TestSet = Annotated[str | None, typer.Option(help="With --mtme, for instance wmt23.")]
LanguagePair = Annotated[str | None, typer.Option(help="With --mtme, for instance en-de.")]
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
    typer.Option(help="With --mtme, the reference of the metric scores.  [default: refA]"),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        help="With --mtme: reference, reference-free (-src), all, or names joined by commas.  "
        "[default: reference]"
    ),
]
LowerIsBetter = Annotated[
    list[str] | None,
    typer.Option(help="Scorer whose higher scores mean worse translations; repeatable."),
]
Include = Annotated[
    list[str] | None,
    typer.Option(help="System to keep (of a table: only these); repeatable."),
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
MaskOption = Annotated[
    Literal["common", "all"], typer.Option(help="Segments rated for every system, or all.")
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
    test_set: TestSet = None,
    language_pair: LanguagePair = None,
    human: Human = None,
    reference: Reference = None,
    metrics: Metrics = None,
    lower_is_better: LowerIsBetter = None,
    include: Include = None,
    exclude: Exclude = None,
    corpus_metric: CorpusMetrics = None,
    hypotheses: Hypotheses = None,
    references: References = None,
    text_cache: TextCache = None,
    progress: bool = False,
) -> "xr.Dataset":
    """Read Scores from the one source that was named, and add the corpus metrics asked for."""
    import supersample as ss

    if not corpus_metric:
        of_texts = {
            "--hypotheses": hypotheses,
            "--references": references,
            "--text-cache": text_cache,
        }
        for name, value in of_texts.items():
            if value:
                raise InputError(f"{name} needs --corpus-metric, such as --corpus-metric bleu")
    scores = _read_source(
        table,
        example,
        mtme,
        test_set,
        language_pair,
        human=human,
        reference=reference,
        metrics=metrics,
        lower_is_better=lower_is_better,
        include=include,
        exclude=exclude,
    )
    if not corpus_metric:
        return scores
    systems = [str(name) for name in scores["system"].to_numpy()]
    files = _files_of(hypotheses or [], systems)
    if mtme is None or files:
        if not files or not references:
            raise InputError(
                "--corpus-metric needs the texts: --hypotheses SYSTEM=FILE for each system and "
                "--references FILE, or those of --mtme"
            )
        texts = ss.read_texts(files, references)
    elif references:
        raise InputError("--references goes with --hypotheses; with --mtme name --reference")
    else:
        texts = ss.read_mtme_texts(
            mtme,
            str(test_set),
            str(language_pair),
            systems=systems,
            references=[reference or "refA"],
        )
    return ss.add_corpus_metrics(
        scores,
        texts,
        corpus_metric,
        cache=text_cache or "user",
        scheduler="auto",
        progress=progress,
    )


def _files_of(hypotheses: list[str], systems: list[str]) -> dict[str, Path]:
    """Take SYSTEM=FILE apart."""
    files: dict[str, Path] = {}
    for given in hypotheses:
        system, equals, path = given.partition("=")
        if not equals or not path:
            raise InputError(f"--hypotheses is SYSTEM=FILE, not '{given}'")
        if system not in systems:
            raise InputError(f"--hypotheses {given}: no system '{system}' in the scores")
        if system in files:
            raise InputError(f"--hypotheses names two files of '{system}'")
        files[system] = Path(path)
    return files


def _read_source(
    table: str | None,
    example: bool,
    mtme: Path | None,
    test_set: str | None,
    language_pair: str | None,
    *,
    human: str | None,
    reference: str | None,
    metrics: str | None,
    lower_is_better: list[str] | None,
    include: list[str] | None,
    exclude: list[str] | None,
) -> "xr.Dataset":
    import supersample as ss

    if (table is not None) + example + (mtme is not None) != 1:
        raise InputError("name one source of scores: a table, --mtme DIR, or --example")
    of_mtme = {
        "--test-set": test_set,
        "--language-pair": language_pair,
        "--reference": reference,
        "--metrics": metrics,
    }
    of_files = {
        "--human": human,
        "--lower-is-better": lower_is_better,
        "--include": include,
        "--exclude": exclude,
    }
    if example:
        _refuse({**of_mtme, **of_files}, "--example")
        return ss.load_example()
    if mtme is None:
        _refuse(of_mtme, "a table")
        return ss.read_table(
            str(table),
            human=human or "human",
            lower_is_better=lower_is_better or (),
            include=include or (),
            exclude=exclude or (),
        )
    if test_set is None or language_pair is None:
        raise InputError("--mtme also needs --test-set and --language-pair")
    metrics = metrics or "reference"
    kinds = ("reference", "reference-free", "all")
    return ss.read_mtme(
        mtme,
        test_set,
        language_pair,
        human=human or "mqm",
        reference=reference or "refA",
        metrics=metrics if metrics in kinds else [name.strip() for name in metrics.split(",")],
        lower_is_better=lower_is_better or (),
        include=include or (),
        exclude=exclude or (),
    )


def _refuse(options: Mapping[str, object], source: str) -> None:
    """Refuse what was asked for but would have no effect."""
    for name, value in options.items():
        if value:
            raise InputError(f"{name} does not go with {source}; leave it out")


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a source of Scores.

    The command's first parameter is a function that reads them; it is called when the command has
    checked what costs nothing to check.
    """
    source = dict(inspect.signature(read_scores).parameters)
    del source["progress"]  # follows from the command's own --quiet
    own = dict(list(inspect.signature(command).parameters.items())[1:])

    def run(**given: Any) -> None:
        named = {name: given.pop(name) for name in source}
        progress = not given.get("quiet", False)
        command(partial(read_scores, **named, progress=progress), **given)

    parameters = [*source.values(), *own.values()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def checked_folder(out: Path | None, overwrite: bool) -> Path | None:
    """Refuse an output folder that cannot be used, before any work is spent."""
    if out is None:
        return None
    from supersample.outputs import check_folder

    return check_folder(out, overwrite=overwrite)


def parsed_share(text: str) -> Any:
    """Read a share: a number or a word, which the design checks."""
    try:
        return float(text)
    except ValueError:
        return text
