"""Sources of scores: the options that name them, and the Scores that are read from them."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import typer

from supersample.cli.app import ADDED, SCORES, beside, flag, say, several
from supersample.cli.options import (
    KINDS,
    AddMetric,
    HigherIsBetter,
    LanguagePairs,
    LowerIsBetter,
    Means,
    Metrics,
    Texts,
    named_options,
    pairs_of,
)
from supersample.errors import (
    InputError,
    WholeSystemsError,
    as_option,
    check_names,
    is_there,
    listed,
    options_of,
    quoted,
    told_elsewhere,
)
from supersample.readers.registry import OPTIONS, ScoreReader, reader_of, source_of
from supersample.readers.text import bare_name

if TYPE_CHECKING:
    import xarray as xr

Orientation = Literal["infer", "higher-is-better", "lower-is-better"]
COLUMNS = ("system", "segment", "scorer", "score", "document", "domain", "team")
OF_DATA = ("reader", "test_set", "reference", "include", "sheet", "missing", *COLUMNS)
"""Options that follow the name of a source."""


class Source(NamedTuple):
    """What one DATA names: a reader, what it reads, and its options."""

    reader: ScoreReader
    read: Any
    options: dict[str, Any]
    text: str

    @classmethod
    def named(cls, text: str) -> "Source":
        """Find the reader of a file, of a folder, or of a public set and its language pair."""
        name, found = (text, {}) if is_there(text) else options_of(text, "a source")
        if {"scale", "quality_control"} & {*found}:
            raise InputError(f"options of ratings go with --ratings: {name} --ratings {text}")
        check_names("option", found, OF_DATA, f"a source such as {name}")
        texts = {option: str(value) for option, value in found.items()}
        options: dict[str, Any] = {
            option: several(value) if option in ("include", "missing") else value
            for option, value in texts.items()
            if option not in COLUMNS
        }
        columns = {option: value for option, value in texts.items() if option in COLUMNS}
        options |= {"columns": columns} if columns else {}
        files = several(name)
        of_systems = (x for x in files if reader_of(x).argument == "paths")
        whole = next(of_systems, name)
        chosen, read, of_set = source_of(whole, options.pop("reader", None))
        read = files if chosen.argument == "paths" else read
        return cls(chosen, read, of_set | options, text)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reads the Scores that options name, after a command has made its cheap checks.

    Parameters
    ----------
    data : [DATA[:OPTION=VALUE,...]]
        Table with the columns system, segment, scorer and score, or with a column for each scorer:
        .csv, .tsv, .xlsx, .json, .jsonl, .parquet, also .gz; - reads standard input; unusual
        headings are named as in scores.csv:system=SYS,score=VALUE. Or a set of the layout of
        mt-metrics-eval (wmt23/zh-en, see fetch, or FOLDER/wmt23/zh-en; with another reference,
        wmt23/zh-en:reference=refB); a table of system-level scores (METRIC
        LP TESTSET SYSTEM SCORE); Scores that inspect --to wrote; a run; or example, the embedded
        scores (a file of this name is ./example). Several are ranked one by one and on average.
    human : NAME|FILE
        Human scores: a scorer, other human scores of the set, or a file; A,B takes both and their
        average.  [default: human; of a known set its standard]
    exclude
        System to leave out; A,B.
    only
        System to keep; all others are left out; A,B.
    ratings : FILE[:OPTION=VALUE,...]
        Single ratings that replace the source's human scores: a table with the columns assessor,
        system, segment, score and optionally type, or a CSV file of Appraise; several
        files are A,B. Of a set of mt-metrics-eval, texts are then enough. scale: z (of each
        assessor) or raw, the default of systems; quality_control=none keeps assessors who do not
        rate damaged translations lower; Wilcoxon's test leaves them out.
    allow_part : METRIC
        Metric to rank although it is a part of the human scores; A,B.
    team : NAME=SYSTEM,...
        Systems that one team handed in, such as near-copies of one system: for conclusions on new
        systems, teams are then the units. Repeat it for each team, or give the table a column
        team.
    """

    PANEL: ClassVar = ADDED
    SCALE: ClassVar = "z"  # of ratings, unless they name one
    data: Annotated[list[str] | None, typer.Argument()] = None
    language_pair: LanguagePairs = None
    human: Annotated[Texts, typer.Option("--human", "-H", rich_help_panel=SCORES)] = None
    metrics: Metrics = None
    lower_is_better: LowerIsBetter = None
    exclude: Annotated[Texts, typer.Option(rich_help_panel=SCORES)] = None
    only: Annotated[Texts, typer.Option(rich_help_panel=SCORES)] = None
    add_metric: AddMetric = None
    higher_is_better: HigherIsBetter = None
    ratings: str | None = None
    allow_part: Texts = None
    team: Annotated[list[str] | None, typer.Option(rich_help_panel=SCORES)] = None

    def __call__(self, **how: Any) -> "xr.Dataset":
        """Scores, with the metrics that are to be added; see `by_gold`."""
        found = list(self.by_gold(**how).values())
        if len(found) > 1:
            raise InputError(f"--human names {len(found)} gold standards; name one here")
        return found[0]

    @cached_property
    def source(self) -> Source:
        """The one source that is named."""
        if len(self.data or []) != 1:
            raise InputError(
                "name one source of scores: a table, FOLDER/SET/PAIR, files of scores, or example"
            )
        return Source.named((self.data or [])[0])

    @property
    def run(self) -> str | None:
        """Path of the run that is named as the source, if one is."""
        return run_of(vars(self))

    def by_gold(
        self, *, some_elsewhere: bool = False, means: Means | None = None
    ) -> "dict[str, xr.Dataset]":
        """Scores with each gold standard that --human names as human scores, by its name.

        Parts of human scores that are allowed may be `some_elsewhere`, in other sets. Of one gold
        standard, `means` make system-level scores if an added metric has no others.
        """
        from supersample.raters.golds import add_rater, take_as_gold
        from supersample.readers.tables import NOBODY
        from supersample.scores.schema import GOLD
        from supersample.scores.selection import keep_metrics

        asked, kind = self.human or [], self.source.reader.name
        files = self.human_files(asked)
        named = [name for name in asked if name not in files.values()]
        if len(asked) == len(named) <= 1:
            found = {(asked or [""])[0]: self.unchecked(means=means)}
        else:
            golds = [bare_name(x) if x in files.values() else x for x in asked]
            wanted = self.metrics if kind in ("table", "xarray") else None
            told = next(iter(named), NOBODY if kind == "table" else None)
            files.pop(str(told), None)  # read already
            # gold standards are among the metrics of a table
            own = replace(self, human=[told] if told else None)
            scores = (replace(own, metrics=None) if wanted else own).unchecked(files)
            for gold in golds:
                scores = add_rater(scores, gold)
            metrics = map(str, scores["metric"].to_numpy())
            kept = wanted or [name for name in metrics if name not in golds]
            found = {x: take_as_gold(keep_metrics(scores, [*kept, x]), x) for x in golds}
            found = {x: of.assign_attrs(set_name=GOLD) for x, of in found.items()}
        self.check_metrics(found, some_elsewhere=some_elsewhere)
        return found

    def check_metrics(self, golds: "Mapping[str, xr.Dataset]", *, some_elsewhere: bool) -> None:
        """Refuse metrics that are a part of the human scores, and name those that may be people."""
        from supersample.scores.inspection import refuse_parts

        of_segments = [scores for scores in golds.values() if "segment" in scores.dims]
        refuse_parts(of_segments, tuple(self.allow_part or ()), some_elsewhere=some_elsewhere)
        if of_segments:
            warn_of_people(self, next(iter(golds.values())))

    def unchecked(
        self, people: Mapping[str, str] = MappingProxyType({}), means: Means | None = None
    ) -> "xr.Dataset":
        """Scores of the source with added metrics, and people of these files among the metrics."""
        from supersample.presentation.labels import NO_TEXTS
        from supersample.raters.golds import add_rater
        from supersample.readers.added_metrics import add_metric
        from supersample.scores.ratings import rate_scores
        from supersample.scores.selection import keep_metrics
        from supersample.scores.system_level import system_level_scores

        source, lower = self.source, self.lower_is_better or []
        added = added_metrics(self.add_metric or [], lower, self.higher_is_better or [])
        own, kept = self._metrics_of_source(list(added))
        options = self._options(source, own, [x for x in lower if x not in {*added, *people}])
        absent = options["missing"] or []
        if added and "missing" not in source.reader.takes:  # it is for their files
            del options["missing"]
        raw = self.raw_ratings()
        with nullcontext() if raw is None else told_elsewhere():
            scores = _read(source, options)
        if raw is not None:
            scores = rate_scores(scores, raw)
        whole = list[tuple[Any, ...]]()
        for name, (file, orientation) in added.items():
            of_file = (name, self.file_of(file), orientation)
            try:
                scores = add_metric(scores, *of_file[:2], orientation=orientation, missing=absent)
            except WholeSystemsError:
                if means is None:
                    raise
                whole.append(of_file)
        for name, file in people.items():
            turned: Orientation = "lower-is-better" if name in lower else "higher-is-better"
            scores = add_rater(scores, name, self.file_of(file), orientation=turned)
        if whole and means is not None:
            scores = system_level_scores(scores, **means.chosen())
            scores.attrs[NO_TEXTS] = f"{whole[0][0]} has scores of whole systems alone"
        for name, path, orientation in whole:
            scores = add_metric(scores, name, path, orientation=orientation, missing=absent)
        scores = self._with_teams(scores)
        return scores if kept is None else keep_metrics(scores, kept)

    def _with_teams(self, scores: Any) -> Any:
        """Declare the teams that are named of Scores, or of several."""
        if not self.team:
            return scores
        from supersample.scores.selection import declare_teams

        teams: dict[str, list[str]] = {}
        for text in self.team:  # NAME=A,B is NAME=A and B here
            name, equals, system = text.partition("=")
            if equals and name and system:
                teams.setdefault(name, []).append(system)
            elif not teams:
                raise InputError(f"--team takes NAME=SYSTEM,SYSTEM, not {quoted(text)}")
            else:
                teams[next(reversed(teams))].append(text)
        return declare_teams(scores, teams)

    def raw_ratings(self) -> "xr.Dataset | None":
        """Ratings that the human scores are means of, if any were named."""
        if self.ratings is None:
            return None
        from supersample.scores.ratings import prepare_ratings

        _, options = named_options(self.ratings, "ratings", ("scale", "quality_control"))
        return prepare_ratings(self.single_ratings, **{"scale": self.SCALE, **options})

    @cached_property
    def single_ratings(self) -> "xr.Dataset":
        """Ratings as they stand in the files that are named."""
        from supersample.readers.tables import read_ratings
        from supersample.scores.ratings import joined_ratings

        file, _ = options_of(str(self.ratings), flag("ratings"))
        files = [file] if is_there(self.file_of(file)) else several(file)
        pair = self._pair or None
        return joined_ratings([read_ratings(self.file_of(x), language_pair=pair) for x in files])

    def groups(self, corpus: "CorpusMetrics | None" = None, means: Means | None = None) -> Any:
        """Scores of the source, or by name those of several language pairs, test sets or files.

        `corpus` are metrics to add to one set; for `means` see `by_gold`.
        """
        if not is_grouped(vars(self)):
            by_gold = self.by_gold(means=means)
            if corpus is not None:
                by_gold = {name: corpus.added_to(of, self) for name, of in by_gold.items()}
            return by_gold if len(by_gold) > 1 else next(iter(by_gold.values()))
        if len(self.human or []) > 1:
            raise InputError("--human names several gold standards; name one for several sets")
        found: dict[str, xr.Dataset] = {}
        of_metrics: set[str] = set()
        added = added_metrics(self.add_metric or [], [], [])
        asked = self.human or ["human"]
        turned = [x for x in self.lower_is_better or [] if x not in added]
        for reader in self._each():  # a set need not have each metric that counts errors
            people = {*(x.casefold() for x in asked), *reader.human_files(asked)}
            of_set = [x for x in turned if not {x, x.casefold()} & people]
            of_metrics |= {*of_set}
            own = [x for x in self.lower_is_better or [] if x not in of_set]
            alone = replace(reader, lower_is_better=own, team=None)
            scores = alone(some_elsewhere=True, means=means)
            higher = scores["higher_is_better"]
            scores["higher_is_better"] = higher & ~higher["metric"].isin(of_set)
            table, source = reader.source.read, str(scores.attrs.get("source", "scores"))
            name = Path(table).stem if reader.source.reader.name in ("table", "xarray") else source
            if reader.source.reader.name == "table" and reader.language_pair:
                name += f" {reader.language_pair[0]}"
            again = sum(each == name or each.startswith(f"{name} again") for each in found)
            found[f"{name} again {again}".removesuffix(" 1") if again else name] = scores
        metrics = [str(name) for part in found.values() for name in part["metric"].to_numpy()]
        check_names("scorer", sorted(of_metrics), list(dict.fromkeys(metrics)))
        return self._with_teams(found)

    def _each(self) -> "Iterator[Reader]":
        """Readers of each source, and of each language pair that is named, or of all."""
        first, *others = self.data or [""]
        names = [x for x in others if not (x == "-" or Path(x).suffix or is_there(x))]
        if names := [x for x in names if Source.named(x).reader.name == "table"]:
            meant = as_option([*names, "OTHER"][: max(2, len(names))])
            raise InputError(f"no file {listed(names)}; metrics: compare {first} --metrics {meant}")
        for text in self.data or []:
            reader = replace(self, data=[text])
            if reader._pair or not _several_pairs(self.language_pair):
                yield reader
                continue
            source, asked = reader.source, self.language_pair or []
            if source.reader.pairs is None:
                raise InputError(f"--language-pair names several pairs, and {text} has none")
            for test_set in several(str(source.options.get("test_set", ""))):
                options = {**reader._options(source, None, []), "test_set": test_set or None}
                there = source.reader.pairs_of(source.read, **options)
                known = [pair for _, pair in there]
                wanted = known if asked == ["all"] else asked
                check_names("language pair", wanted, known, test_set or "the files")
                for name, pair in there:
                    if pair in wanted:
                        yield replace(reader, data=[_of_set(source, name)], language_pair=[pair])

    def file_of(self, name: str) -> str:
        """Name of a file, {pair} standing for the language pair or the table."""
        pair = self._pair or Path((self.data or [""])[0]).stem
        return name.replace("{pair}", pair)

    @property
    def _pair(self) -> str:
        """The one language pair that is named, if one is."""
        own = self.source.options.get("language_pair")
        named = self.language_pair or []
        if own and named and self.source.reader.name == "mtme" and named != [own]:
            raise InputError(
                f"{self.source.text} names its language pair; leave --language-pair out, or name "
                "the set without its pair"
            )
        return str(own or (named[0] if not _several_pairs(named) and named else ""))

    def human_files(self, names: Iterable[str]) -> dict[str, str]:
        """Files of people that are named, by a path or as further human scores of a set."""
        found, there = {bare_name(x): x for x in _paths(names)}, self.human_paths or {}
        return found | {name: str(there[name]) for name in names if name in there}

    @property
    def human_paths(self) -> dict[str, Path] | None:
        """Files of all human scores of a set, and None of other sources."""
        if self.source.reader.name != "mtme" or not self._pair:
            return None
        from supersample.readers import wmt

        folder = wmt.set_folder(self.source.read, self.source.options["test_set"])
        return wmt.human_paths(folder, self._pair)

    def _options(self, source: Source, metrics: Any, lower: list[str]) -> dict[str, Any]:
        """Options of the source, by the names of `OPTIONS`; None or empty where not passed."""
        told = dict.fromkeys(OPTIONS) | source.options
        told |= {"human": next(iter(self.human or []), None), "language_pair": self._pair or None}
        without_people = source.reader.name == "table" or self.human_paths == {}
        if self.ratings and not self.human and without_people:  # a table may be without, too
            from supersample.readers.tables import NOBODY

            told |= {"human": NOBODY}
        told |= {"exclude": self.exclude, "only": self.only}
        return told | {"metrics": metrics, "lower_is_better": lower}

    def _metrics_of_source(self, added: list[str]) -> tuple[list[str] | None, list[str] | None]:
        """Metrics to ask the source for, and those to keep where --metrics has added ones."""
        asked = self.metrics or []
        own = [name for name in asked if name not in added]
        if own == asked:
            return self.metrics, None
        return own or None, list(dict.fromkeys([*asked, *added]))

    def texts(self, systems: list[str], reference: str) -> Any:
        """Texts of the set."""
        from supersample.readers.added_metrics import read_mtme_texts

        source = self.source
        where: Any = (source.read, source.options["test_set"], self._pair)
        return read_mtme_texts(*where, systems=systems, references=[reference])


@dataclass(frozen=True, kw_only=True)
class CorpusMetrics:
    """Corpus metrics to add to scores.

    Parameters
    ----------
    corpus_metric
        Corpus score computed from texts: bleu, chrf, chrf++ or ter, with options as in
        bleu:tokenizer=char,name=BLEU-char; A,B. Texts are those of the set, or of --hypotheses and
        --references.
    hypotheses : SYSTEM=FILE
        File with the output of a system, one segment per line; for each system.
    references : FILE
        File with reference translations, one segment per line; A,B.
    """

    PANEL: ClassVar = ADDED
    corpus_metric: Texts = None
    hypotheses: Annotated[Texts, beside("corpus_metric")] = None
    references: Annotated[Texts, beside("corpus_metric")] = None

    def added_to(self, scores: "xr.Dataset", read: Reader) -> "xr.Dataset":
        """Add the corpus metrics, if there are any, from the texts of a set or of files."""
        if not self.corpus_metric:
            return scores
        from supersample.readers.added_metrics import read_texts
        from supersample.scores.corpus.metrics import add_corpus_metrics

        if "segment" not in scores.dims:
            raise InputError("--corpus-metric needs scores of segments, not of whole systems")
        systems = [str(name) for name in scores["system"].to_numpy()]
        named = pairs_of(self.hypotheses, "hypotheses", Path)
        check_names("system", named, systems, "the scores")
        if named and self.references:
            texts = read_texts(named, self.references)
        elif named or read.source.reader.name != "mtme":
            raise InputError(
                "--corpus-metric needs the texts: --hypotheses SYSTEM=FILE for each system and "
                "--references FILE, or those of a set of mt-metrics-eval"
            )
        elif self.references:
            raise InputError("--references goes with --hypotheses; of a set name its :reference=")
        else:
            texts = read.texts(systems, str(scores.attrs["reference"]))
        options: dict[str, Any] = {"workers": "auto", "progress": True}
        return add_corpus_metrics(scores, texts, self.corpus_metric or [], **options)


def added_metrics(
    named: Iterable[str], lower: Iterable[str], higher: Iterable[str]
) -> dict[str, tuple[str, Orientation]]:
    """File and orientation of each metric to add, by name."""
    added: dict[str, tuple[str, Orientation]] = {}
    for text in named:
        name, equals, file = text.partition("=")
        name = name.strip()
        if not equals and is_there(text):
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


def warn_of_people(read: Reader, scores: "xr.Dataset") -> None:
    """Name metrics of a table that may be people."""
    from supersample.scores.inspection import named_as_people

    tables = read.source.reader.name in ("table", "xarray")
    people = named_as_people(scores["metric"].to_numpy().astype(str).tolist())
    if tables and people:
        say(
            f"warning: {listed(people, 5)} may be people, not metrics: compare them by "
            "raters --rater NAME, average them by --human A,B, or leave them out by --metrics",
            quiet=False,
        )


def warn_of_copies(scores: Any) -> None:
    """Name systems of Scores, or of several, that may be near-copies, and the option for a team."""
    from supersample.scores.near_copies import near_copies

    parts = scores.values() if isinstance(scores, dict) else [scores]
    found = {name: systems for each in parts for name, systems in near_copies(each).items()}
    if found:
        teams = (f"{name}={as_option(systems)}" for name, systems in found.items())
        named = " ".join(f"--team {shlex.quote(team)}" for team in teams)
        say(
            "systems of similar names have close scores, and conclusions on new systems take them "
            f"as independent; if they are versions of one system, add {named}",
            quiet=False,
        )


SOURCE_OPTIONS = tuple(each.name for each in fields(Reader) if each.name != "data")
"""Names of the options that say how a source is read."""


def _several_pairs(named: Iterable[str] | None) -> bool:
    names = list(named or [])
    return len(names) > 1 or names == ["all"]


def is_grouped(values: Mapping[str, Any]) -> bool:
    """Whether options name several sets."""
    return len(values["data"] or []) > 1 or _several_pairs(values["language_pair"])


def run_of(values: Mapping[str, Any]) -> str | None:
    """Path of the run that is named as the source of scores, if one is; its hybrids are built."""
    data = values["data"] or []
    if len(data) != 1 or Path(data[0]).suffix.lower() != ".zarr":
        return None
    from supersample.hybrids.resuming import is_run

    return str(data[0]) if is_run(data[0]) else None


def _of_set(source: Source, test_set: str) -> str:
    """Text of one test set of a source of several."""
    whole = str(source.options.get("test_set", ""))
    if test_set in ("", whole):
        return source.text
    if whole:
        return source.text.replace(whole, test_set, 1)
    return with_option(source.text, "test_set", test_set)


def with_option(text: str, name: str, value: str) -> str:
    """Add an option to NAME:OPTION=VALUE,..., unless it is named there."""
    named = {} if is_there(text) else options_of(text, "a source")[1]
    return text if name in named else f"{text}{',' if named else ':'}{name}={value}"


def _read(source: Source, options: Mapping[str, Any]) -> "xr.Dataset":
    """Read the Scores of a source, and keep the systems and metrics asked for."""
    from supersample.scores.schema import corpus_metrics
    from supersample.scores.selection import keep_metrics, keep_systems

    reader = source.reader
    _check(source, options)
    metrics, takes = options["metrics"], reader.takes
    passed = {name: value for name, value in options.items() if name in takes and value}
    if "include" in takes:
        asked = [*(options["include"] or []), *(options["only"] or [])]
        passed["include"] = list(dict.fromkeys(asked))
    if "metrics" in passed:
        named = metrics[0] if metrics[0] in KINDS else metrics
        passed["metrics"] = [] if metrics == ["none"] else named
    scores = reader(source.read, **passed)
    if "exclude" not in takes:
        scores = keep_systems(scores, exclude=options["exclude"] or [])
    if "metrics" not in takes and metrics not in (None, ["all"]):
        counted = corpus_metrics(scores)  # they are always kept
        scores = keep_metrics(scores, [name for name in metrics if name not in counted])
    if "only" not in takes and options["only"]:
        scores = keep_systems(scores, only=options["only"])
    return scores


def _check(source: Source, options: Mapping[str, Any]) -> None:
    """Refuse options that are missing, or would have no effect."""
    reader = source.reader
    name = "a table" if reader.name == "table" else source.text
    for option, value in options.items():
        if not value or option in (*reader.takes, "metrics", "exclude", "only"):
            continue
        given = next(iter(value)) if option == "columns" else option
        given = given if option in source.options else flag(given)
        raise InputError(f"{given} does not go with {name}; leave {given} out")
    missing = [option for option in reader.needs if options[option] is None]
    if "language_pair" in missing:
        raise InputError(
            f"{name} has several language pairs: name one, as in {name}/en-de; rank, compare, spa, "
            "segments and systems also take --language-pair all"
        )
    if missing:
        raise InputError(f"{name} also needs {' and '.join(map(flag, missing))}")
    metrics = options["metrics"] or []
    if "metrics" not in reader.takes and {*metrics} & {*KINDS, "none"} - {"all"}:
        raise InputError(f"--metrics {metrics[0]} needs a set; name metrics, or say all")


def _paths(names: Iterable[str]) -> Iterator[str]:
    """Names that are files; a bare name is that of a metric or a person."""
    return (x for x in names if (Path(x).suffix or "/" in x) and Path(x).is_file())
