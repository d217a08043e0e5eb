"""Options on the scores of a source: which scores are read, and which metrics are added."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from supersample.cli.commands import ADDED, COLUMNS, SCORES, SYSTEMS
from supersample.cli.effects import beside
from supersample.errors import InputError, quoted
from supersample.readers.text import bare_name

if TYPE_CHECKING:
    import xarray as xr

Orientation = Literal["infer", "higher-is-better", "lower-is-better"]
Text = str | None
Texts = list[str] | None


@dataclass(frozen=True, kw_only=True)
class Selected:
    """Which scores of the source are read.

    Parameters
    ----------
    test_set
        Test set to read, such as wmt23 or wmt22,wmt23.
    language_pair
        Language pair to read, such as en-de.
    human : NAME|FILE
        Human scores: a scorer, a name in --mtme or a file; A,B takes both and their average.
        [default: human; with --mtme the standard of the set]
    reference
        Reference that metrics used, in --mtme, --wmt or --system-scores.
        [default: with --mtme the standard of the set]
    metrics
        Metrics to keep (added ones are always kept): names joined by commas, all (the default), or
        none; with --mtme also reference, reference-free (-src), or primary (submissions and
        baselines).
    lower_is_better
        Scorer whose higher scores mean worse translations; one or A,B.
    """

    PANEL: ClassVar = SCORES
    test_set: Text = None
    language_pair: Text = None
    human: Text = None
    reference: Text = None
    metrics: Text = None
    lower_is_better: Texts = None


@dataclass(frozen=True, kw_only=True)
class Systems:
    """Which systems are kept.

    Parameters
    ----------
    include
        System to keep that --mtme or --wmt leaves out by default, such as a human translation;
        one or A,B.
    exclude
        System to leave out; one or A,B.
    only
        System to keep; all others are left out; one or A,B.
    """

    PANEL: ClassVar = SYSTEMS
    include: Texts = None
    exclude: Texts = None
    only: Texts = None


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Names of the columns of a table.

    Parameters
    ----------
    system_column
        Column with the names of systems, if its heading is unusual.
    segment_column
        Column with the names of segments.
    scorer_column
        Column with the names of scorers, in a table with one score per row.
    score_column
        Column with the scores, in a table with one score per row.
    document_column
        Column with the names of documents.
    domain_column
        Column with the names of domains.
    sheet
        Sheet of a spreadsheet to read, if several sheets have data.
    missing : TEXT
        Text that stands for a missing score, such as - or n/a; also in files of --add-metric;
        one or A,B.
    repeated
        Average different scores for the same segment of a system.  [default: refuse them]
    """

    PANEL: ClassVar = COLUMNS
    system_column: Text = None
    segment_column: Text = None
    scorer_column: Text = None
    score_column: Text = None
    document_column: Text = None
    domain_column: Text = None
    sheet: Text = None
    missing: Texts = None
    repeated: Literal["mean"] | None = None


@dataclass(frozen=True, kw_only=True)
class RawRatings:
    """Single ratings that take the place of human scores.

    Parameters
    ----------
    ratings : FILE
        Single ratings that replace the source's human scores: a table with the columns assessor,
        system, segment, score and optionally type, or a CSV file of Appraise.
    rating_scale
        With --ratings: average z-scores of each assessor, or raw scores.
    quality_control
        With --ratings: test that leaves out assessors who do not rate damaged translations lower;
        none keeps everyone.
    """

    PANEL: ClassVar = ADDED
    ratings: Text = None
    rating_scale: Annotated[Literal["z", "raw"], beside("ratings")] = "z"
    quality_control: Annotated[Literal["wilcoxon", "t-test", "none"], beside("ratings")] = (
        "wilcoxon"
    )

    def prepared(self, pair: str, language_pair: str | None) -> "xr.Dataset | None":
        """Ratings ready to be averaged, None without a file.

        `pair` stands for {pair} in the file's name; `language_pair` is that of its rows.
        """
        if self.ratings is None:
            return None
        from supersample.readers.tables import read_ratings
        from supersample.scores.ratings import prepare_ratings

        path = self.ratings.replace("{pair}", pair)
        read = read_ratings(path, language_pair=language_pair)
        return prepare_ratings(read, quality_control=self.quality_control, scale=self.rating_scale)


@dataclass(frozen=True, kw_only=True)
class Added:
    """Metrics that are added to those of the source.

    Parameters
    ----------
    add_metric : [NAME=]FILE
        Your metric, and what to call it: FILE is a table, .seg.score, lines of a system and a
        score, or a folder with a file for each system; one or A,B. {pair}
        in FILE stands for each language pair. Declare its orientation by --lower-is-better or
        --higher-is-better; otherwise it is inferred, with a warning.
    higher_is_better
        Added metric whose higher scores are better; one or A,B.
    corpus_metric
        Corpus score computed from texts: bleu, chrf, chrf++ or ter, with options as in
        bleu:tokenizer=char,name=BLEU-char; one or A,B. Texts are those of --mtme, or of
        --hypotheses and --references.
    hypotheses : SYSTEM=FILE
        File with the output of a system, one segment per line; repeat it for each system.
    references : FILE
        File with reference translations, one segment per line; one or A,B.
    allow_part : METRIC
        Metric to rank although it is a part of the human scores; one or A,B.
    text_cache : DIR
        Folder that keeps counts of texts, so that the next run is faster.
        [default: the user's cache]
    """

    PANEL: ClassVar = ADDED
    add_metric: Texts = None
    higher_is_better: Texts = None
    corpus_metric: Texts = None
    hypotheses: Annotated[Texts, beside("corpus_metric")] = None
    references: Annotated[Texts, beside("corpus_metric")] = None
    allow_part: Texts = None
    text_cache: Annotated[Text, beside("corpus_metric")] = None


def added_metrics(
    named: Sequence[str], lower: Sequence[str], higher: Sequence[str]
) -> dict[str, tuple[str, Orientation]]:
    """File and orientation of each metric to add, by name."""
    added: dict[str, tuple[str, Orientation]] = {}
    for text in named:
        name, equals, file = text.partition("=")
        name = name.strip()
        if not equals and Path(text).exists():
            name, equals, file = bare_name(text), "=", text
        if not equals or not name or not file:
            raise InputError(
                f"--add-metric takes NAME=FILE or an existing file, not {quoted(text)}"
            )
        if name in added:
            raise InputError(f"--add-metric names {quoted(name)} twice; use two names")
        if name in lower and name in higher:
            raise InputError(f"{quoted(name)} is lower-is-better or higher-is-better, not both")
        turned: Orientation = "higher-is-better" if name in higher else "infer"
        added[name] = (file, "lower-is-better" if name in lower else turned)
    for name in higher:
        if name not in added:
            raise InputError(
                f"--higher-is-better is for added metrics, and {quoted(name)} is not one; higher "
                "scores are better for all others, unless --lower-is-better names them"
            )
    return added


def files_of(hypotheses: list[str], systems: list[str]) -> dict[str, Path]:
    """Take SYSTEM=FILE apart."""
    files: dict[str, Path] = {}
    for text in hypotheses:
        system, equals, path = text.partition("=")
        if not equals or not path:
            raise InputError(f"--hypotheses takes SYSTEM=FILE, not {quoted(text)}")
        if system not in systems:
            raise InputError(f"--hypotheses {text}: no system {quoted(system)} in the scores")
        if system in files:
            raise InputError(f"--hypotheses names two files for {quoted(system)}; name one")
        files[system] = Path(path)
    return files
