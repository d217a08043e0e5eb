"""Sources of scores: the options that name them, and the Scores that are read from them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from inspect import Parameter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supersample.cli.app import say
from supersample.cli.commands import SCORES, gathered_parts, parameter, several
from supersample.cli.effects import flag
from supersample.cli.options import Groups
from supersample.cli.selections import (
    Added,
    Columns,
    RawRatings,
    Selected,
    Systems,
    Text,
    added_metrics,
    files_of,
)
from supersample.errors import InputError, check_names, listed
from supersample.readers.registry import OPTIONS, ScoreReader, reader_of, registered_readers
from supersample.readers.text import bare_name

if TYPE_CHECKING:
    import xarray as xr

KINDS = ("reference", "reference-free", "all", "primary")
_TABLE = (
    "[DATA]",
    "Table with the columns system, segment, scorer and score, or with a column for each scorer: "
    ".csv, .tsv, .xlsx, .json, .jsonl, .parquet, also .gz; - reads standard input. Or a public "
    "set (wmt23/zh-en; see fetch), Scores that inspect --to wrote, or a run.",
)


def source_readers() -> list[ScoreReader]:
    """Readers that have an option ``--NAME``."""
    return [reader for reader in registered_readers().values() if reader.help]


@dataclass(frozen=True)
class Named:
    """The table, and what the options of readers name, by reader."""

    table: str | None
    others: Mapping[str, Any]
    quiet: bool
    """Whether nobody wants to see progress."""

    @classmethod
    def declared_options(cls) -> Iterator[Parameter]:
        """Make the table an argument, and each reader that is registered by now an option."""
        yield parameter("table", Annotated[Text, typer.Argument()], None, _TABLE)
        kinds: dict[str, Any] = {"path": Path | None, "paths": list[Path] | None, "nothing": bool}
        for reader in source_readers():
            flagged = reader.argument == "nothing"
            kind: Any = Annotated[(kinds[reader.argument], typer.Option(flag(reader.name)))]
            text = ("" if flagged else reader.metavar, reader.help)
            yield parameter(reader.name, kind, False if flagged else None, text, SCORES)

    @classmethod
    def gathered_from(cls, values: Mapping[str, Any]) -> "Named":
        """Keep what the command line names."""
        others = {each.name: values[each.name] for each in source_readers() if values[each.name]}
        return cls(values["table"], others, bool(values.get("quiet")))

    def only(self) -> tuple[ScoreReader, Any]:
        """Reader of the one source that is named, and what it reads."""
        if (self.table is not None) + len(self.others) != 1:
            named = [
                f"{flag(reader.name)} {reader.metavar}"
                for reader in source_readers()
                if reader.argument != "nothing"
            ]
            raise InputError(
                f"name one source of scores: a table, {', '.join(named)}, or --example"
            )
        for name, value in self.others.items():
            return registered_readers()[name], value
        return reader_of(self.table or ""), self.table


@dataclass(frozen=True)
class Reader:
    """Reads the Scores that options name, after a command has made its cheap checks."""

    named: Named
    selected: Selected
    systems: Systems
    columns: Columns
    raw: RawRatings
    added: Added

    @classmethod
    def gathered_from(cls, values: Mapping[str, Any]) -> "Reader":
        """Take the values of the options; a table such as wmt23/zh-en stands for three of them."""
        given = ("test_set", *(each.name for each in source_readers()))
        if not any(values[name] for name in given):
            values = {**values, **_named_set(values)}
        made: Reader = gathered_parts(cls, values)
        return made

    def __call__(self, *, some_elsewhere: bool = False) -> "xr.Dataset":
        """Scores, with the metrics that are to be added; see `by_gold`."""
        found = list(self.by_gold(some_elsewhere=some_elsewhere).values())
        if len(found) > 1:
            raise InputError(f"--human names {len(found)} gold standards; name one here")
        return found[0]

    def by_gold(self, *, some_elsewhere: bool = False) -> "dict[str, xr.Dataset]":
        """Scores with each gold standard that --human names as human scores, by its name.

        Parts of human scores that are allowed may be `some_elsewhere`, in other sets.
        """
        from supersample.raters.golds import add_rater, take_as_gold
        from supersample.readers.tables import NOBODY
        from supersample.scores.contamination import refuse_parts
        from supersample.scores.selection import keep_metrics

        asked = _names(self.selected.human or "")
        files = {} if "wmt" in self.named.others else self.human_files(asked)  # it reads them
        named = [name for name in asked if name not in files.values()]
        if len(asked) == len(named) == 1:
            found = {asked[0]: self.unchecked()}
        else:
            golds = [bare_name(x) if x in files.values() else x for x in asked]
            wanted = self.selected.metrics if self.named.table else None
            of_table = bool(self.named.table) and self.named.only()[0].name == "table"
            told: dict[str, Any] = {"human": next(iter(named), NOBODY if of_table else None)}
            if wanted:
                told["metrics"] = None  # gold standards are among the metrics of a table
            files.pop(str(told["human"]), None)  # read already
            scores = self._told(**told).unchecked(files)
            for gold in golds:
                scores = add_rater(scores, gold)
            metrics = map(str, scores["metric"].to_numpy())
            kept = _names(wanted) if wanted else [name for name in metrics if name not in golds]
            found = {x: take_as_gold(keep_metrics(scores, [*kept, x]), x) for x in golds}
            found = {x: of.assign_attrs(set_name="gold standard") for x, of in found.items()}
        allowed = tuple(self.added.allow_part or ())
        of_segments = [scores for scores in found.values() if "segment" in scores.dims]
        refuse_parts(of_segments, allowed, some_elsewhere=some_elsewhere)
        if of_segments:
            warn_of_people(self, next(iter(found.values())))
        return found

    def unchecked(self, people: Mapping[str, str] = MappingProxyType({})) -> "xr.Dataset":
        """Scores of the source with added metrics, and people of these files among the metrics."""
        lower = self.selected.lower_is_better or []
        added = added_metrics(self.added.add_metric or [], lower, self.added.higher_is_better or [])
        own, kept = self._metrics_of_source([*added, *self._corpus_labels()], list(added))
        reader, source = self.named.only()
        options = self._options(own, [x for x in lower if x not in {*added, *people}])
        absent = options["missing"] or []
        if added and "missing" not in reader.takes:  # it is for their files
            del options["missing"]
        scores = _read(reader, source, options)
        from supersample.raters.golds import add_rater
        from supersample.readers.added_metrics import add_metric
        from supersample.scores.ratings import rate_scores
        from supersample.scores.selection import keep_metrics

        raw = self.ratings()
        if raw is not None:
            scores = rate_scores(scores, raw)
        for name, (file, orientation) in added.items():
            of_file: Any = {"orientation": orientation, "missing": absent}
            scores = add_metric(scores, name, self.file_of(file), **of_file)
        for name, file in people.items():
            scores = add_rater(scores, name, self.file_of(file), lower_is_better=name in lower)
        if self.added.corpus_metric:
            scores = self._with_corpus_metrics(scores, reader, source)
        return scores if kept is None else keep_metrics(scores, kept)

    @property
    def has_source(self) -> bool:
        """Whether options name a source of scores."""
        return bool(self.named.table or self.named.others)

    @property
    def run(self) -> str | None:
        """Path of the run that is named as the source, if one is."""
        return run_of({"table": self.named.table})

    def apart(self) -> "tuple[Reader, list[str]]":
        """Split off the first argument if an option names the source: it is then not a table."""
        table = self.named.table
        if table is None or not self.named.others:
            return self, []
        return replace(self, named=replace(self.named, table=None)), [table]

    def with_files(self, names: list[str]) -> "tuple[Reader, list[str]]":
        """Reader that adds the metrics that are named by their files, and the names of all."""
        files = list(_paths(names))
        more = [*(self.added.add_metric or []), *files] or None
        named = [bare_name(name) if name in files else name for name in names]
        return replace(self, added=replace(self.added, add_metric=more)), named

    def ratings(self) -> "xr.Dataset | None":
        """Raw ratings that the human scores are means of, if any were named."""
        return self.raw.prepared(self._pair(), self.selected.language_pair)

    def groups(self, groups: Groups) -> Any:
        """Scores of the source, or by name those of several language pairs, test sets or files."""
        if not groups.also and not groups.language_pairs:
            by_gold = self.by_gold()
            return by_gold if len(by_gold) > 1 else next(iter(by_gold.values()))
        readers = self._of_pairs(groups.language_pairs) if groups.language_pairs else [self]
        readers += [self.another(name, "--also") for name in groups.also or []]
        found: dict[str, xr.Dataset] = {}
        added = added_metrics(self.added.add_metric or [], [], [])
        lower = self.selected.lower_is_better or []
        asked = _names(self.selected.human or "human")
        people = {*(x.casefold() for x in asked), *self.human_files(asked)}
        turned = [x for x in lower if x not in added and not {x, x.casefold()} & people]
        for reader in readers:  # a set need not have each metric that counts errors
            own = reader._told(lower_is_better=[x for x in lower if x not in turned])
            scores, table = own(some_elsewhere=True), reader.named.table
            higher = scores["higher_is_better"]
            scores["higher_is_better"] = higher & ~higher["metric"].isin(turned)
            name = Path(table).stem if table else str(scores.attrs.get("source", "scores"))
            if table and groups.language_pairs and reader.selected.language_pair:
                name += f" {reader.selected.language_pair}"
            again = sum(each == name or each.startswith(f"{name} again") for each in found)
            found[f"{name} again {again}".removesuffix(" 1") if again else name] = scores
        metrics = [str(name) for part in found.values() for name in part["metric"].to_numpy()]
        check_names("scorer", turned, list(dict.fromkeys(metrics)))
        return groups.matched(found)

    def _of_pairs(self, named: str) -> "list[Reader]":
        """Readers of the language pairs that are named, or of all, in each test set."""
        reader, source = self.named.only()
        if reader.pairs is None:
            raise InputError("--language-pairs goes with --mtme, --system-scores or a table")
        if self.selected.language_pair:
            raise InputError("--language-pairs names the pairs; leave --language-pair out")
        if "," in (self.selected.human or ""):
            raise InputError("--human names several gold standards; name one for --language-pairs")
        asked = [] if named == "all" else _names(named)
        found = []
        for test_set in _names(self.selected.test_set or ""):
            there = reader.pairs_of(
                source, **{**self._options(None, []), "test_set": test_set or None}
            )
            known = [pair for _, pair in there]
            check_names("language pair", asked, known, test_set or "the files")
            found += [each for each in there if named == "all" or each[1] in asked]
        return [self._told(test_set=test_set, language_pair=pair) for test_set, pair in found]

    def another(self, name: str, option: str) -> "Reader":
        """Reader of the table, or of the language pair and perhaps its reference, of an option."""
        if self.named.table or Path(name).exists():
            return self._of_file(name)
        for each in self.named.others:
            if "language_pair" not in registered_readers()[each].takes:
                raise InputError(f"{option} does not go with {flag(each)}; leave {option} out")
        pair, colon, other = name.partition(":")
        return self._told(language_pair=pair, reference=other if colon else self.selected.reference)

    def _told(self, **options: Any) -> "Reader":
        return replace(self, selected=replace(self.selected, **options))

    def _of_file(self, name: str) -> "Reader":
        """Reader of another file, of the kind of this one, or of system-level scores."""
        others: dict[str, Any] = {"system_scores": [Path(name)]} if _of_systems(name) else {}
        named = replace(self.named, table=None if others else name, others=others)
        unlike = others or self.named.table is None
        none: Any = dict.fromkeys(("test_set", "language_pair", "human", "reference"))
        return replace(self._told(**none) if unlike else self, named=named)

    def file_of(self, name: str) -> str:
        """Name of a file, {pair} standing for the language pair or the table."""
        return name.replace("{pair}", self._pair())

    def human_files(self, names: Iterable[str]) -> dict[str, str]:
        """Files of people that are named, by a path or as further human scores of --mtme."""
        found = {bare_name(x): x for x in _paths(names)}
        told = self.selected
        if "mtme" not in self.named.others or not (told.test_set and told.language_pair):
            return found
        from supersample.readers.mtme import human_paths, set_folder

        folder = set_folder(self.named.others["mtme"], told.test_set)
        there = human_paths(folder, told.language_pair)
        return found | {name: str(there[name]) for name in names if name in there}

    def _pair(self) -> str:
        """Name what {pair} stands for: the language pair, or a table's name without its suffix."""
        return self.selected.language_pair or Path(self.named.table or "").stem

    def _options(self, metrics: str | None, lower: list[str]) -> dict[str, Any]:
        """Options of the source, by the names of `OPTIONS`; None or empty where not passed."""
        columns = {
            name.removesuffix("_column"): column
            for name, column in vars(self.columns).items()
            if name.endswith("_column") and column is not None
        }
        told = {**vars(self.selected), **vars(self.systems), "metrics": metrics}
        told |= {"lower_is_better": lower, "columns": columns}
        told |= {name: getattr(self.columns, name) for name in ("sheet", "missing", "repeated")}
        return {name: told[name] for name in OPTIONS}

    def _metrics_of_source(
        self, more: list[str], added: list[str]
    ) -> tuple[str | None, list[str] | None]:
        """Metrics that the source is asked for, and those to keep where --metrics has added ones.

        Corpus metrics are added, too. They are not scores of segments, and are always kept.
        """
        asked = _names(self.selected.metrics or "")
        own = [name for name in asked if name not in more]
        if own == asked:
            return self.selected.metrics, None
        kept = [name for name in asked if name in (*own, *added)]
        return ",".join(own) or None, list(dict.fromkeys([*kept, *added]))

    def _corpus_labels(self) -> list[str]:
        """Names that the corpus metrics get."""
        if not self.added.corpus_metric:
            return []
        from supersample.scores.corpus.metrics import parse_text_metric

        return [parse_text_metric(spec).label for spec in self.added.corpus_metric]

    def translations(
        self, scores: "xr.Dataset", found: "xr.Dataset"
    ) -> dict[str, list[str]] | None:
        """Read what each system translated, in the order of the segments of `found`.

        None without --mtme, or where its folder lacks the texts.
        """
        if "mtme" not in self.named.others:
            return None
        from supersample.readers.texts import read_mtme_texts
        from supersample.scores.alignment import lines_of_segments

        where: Any = (self.named.others["mtme"], self.selected.test_set, self._pair())
        if not Path(where[0], where[1], "system-outputs", where[2]).is_dir():
            return None
        systems, of_set = scores["system"].to_numpy().astype(str), str(scores.attrs["reference"])
        texts = read_mtme_texts(*where, systems=systems.tolist(), references=[of_set])
        lines, _ = lines_of_segments(scores, texts.segments, "the texts")
        of = dict(zip(scores["segment"].to_numpy().tolist(), lines.tolist(), strict=True))
        order = [of[label] for label in found["segment"].to_numpy().tolist()]
        return {name: [texts.hypotheses[name][i] for i in order] for name in systems.tolist()}

    def _with_corpus_metrics(
        self, scores: "xr.Dataset", reader: ScoreReader, source: Any
    ) -> "xr.Dataset":
        """Add the corpus metrics, from the texts of --mtme or of files."""
        from supersample.readers.texts import read_mtme_texts, read_texts
        from supersample.scores.corpus.adding import add_corpus_metrics

        if "segment" not in scores.dims:
            raise InputError("--corpus-metric needs scores of segments, not of whole systems")
        systems = [str(name) for name in scores["system"].to_numpy()]
        files = files_of(self.added.hypotheses or [], systems)
        references = self.added.references
        if files and references:
            texts = read_texts(files, references)
        elif files or reader.name != "mtme":
            raise InputError(
                "--corpus-metric needs the texts: --hypotheses SYSTEM=FILE for each system and "
                "--references FILE, or those of --mtme"
            )
        elif references:
            raise InputError("--references goes with --hypotheses; with --mtme name --reference")
        else:
            where: Any = (source, self.selected.test_set, self.selected.language_pair)
            of_set = [str(scores.attrs["reference"])]
            texts = read_mtme_texts(*where, systems=systems, references=of_set)
        cache: Any = Path(self.added.text_cache) if self.added.text_cache else "user"
        options = {"cache": cache, "workers": "auto", "progress": not self.named.quiet}
        return add_corpus_metrics(scores, texts, self.added.corpus_metric or [], **options)


def warn_of_people(read: Reader, scores: "xr.Dataset") -> None:
    """Name metrics of a table that may be people."""
    from supersample.scores.contamination import people_among

    if read.named.table and (people := people_among(scores)):
        say(
            f"warning: {listed(people, 5)} may be people, not metrics: compare them by "
            "raters --rater NAME, average them by --human A,B, or leave them out by --metrics",
            quiet=False,
        )


def _of_systems(name: str) -> bool:
    """Whether a file or folder has system-level scores, by its name or its header."""
    if Path(name).is_dir() or name.endswith((".sys.score", ".sys.score.gz")):
        return Path(name).suffix != ".zarr"
    with suppress(OSError, UnicodeDecodeError), Path(name).open(encoding="utf-8-sig") as stream:
        return {"metric", "lp", "score"} <= set(stream.readline().casefold().split())
    return False


SOURCE_OPTIONS = tuple(
    each.name for group in (Selected, Systems, Columns, RawRatings, Added) for each in fields(group)
)
"""Names of the options that say how a source is read."""


def _named_set(values: Mapping[str, Any]) -> dict[str, Any]:
    """Options that public sets, or one and its language pair, stand for; none for a table."""
    from supersample.readers.public_sets import language_pairs, set_names

    table = values["table"] or ""
    test_sets, _, pair = table.partition("/")
    names = _names(test_sets)
    if Path(table).exists() or not set(names) <= set(set_names()):
        return {}
    asked = values["language_pair"]
    if pair and asked:
        raise InputError(f"{table} names its language pair; leave --language-pair out")
    if pair and values.get("language_pairs"):
        raise InputError(
            f"{table} names one language pair, and --language-pairs several; write {test_sets} in "
            f"place of {table}"
        )
    pair = pair or asked
    from supersample.readers.public_sets.fetching import sets_folder

    folder = sets_folder(names[0])
    if not pair and not values.get("language_pairs"):
        from supersample.readers.mtme import mtme_pairs

        there = [name for _, name in mtme_pairs(folder, names[0], None)]
        first = next(iter(there), language_pairs(names[0])[0])
        raise InputError(
            f"{table} has several language pairs: name one, as in {names[0]}/{first}, or rank by "
            "all with --language-pairs all"
        )
    return {"table": None, "mtme": folder, "test_set": test_sets, "language_pair": pair}


def run_of(values: Mapping[str, Any]) -> str | None:
    """Path of the run that is named as the source of scores, if one is; its hybrids are built."""
    table = values["table"]
    if table is None or Path(table).suffix.lower() != ".zarr":
        return None
    from supersample.hybrids.run_progress import is_run

    return str(table) if is_run(table) else None


def _read(reader: ScoreReader, source: Any, options: Mapping[str, Any]) -> "xr.Dataset":
    """Read the Scores of a source, and keep the systems and metrics asked for."""
    from supersample.scores.selection import keep_metrics, keep_systems

    _check(reader, source, options)
    metrics, takes = options["metrics"], reader.takes
    passed = {name: value for name, value in options.items() if name in takes and value}
    if "include" in takes:
        asked = [*(options["include"] or []), *(options["only"] or [])]
        passed["include"] = list(dict.fromkeys(asked))
    if "metrics" in passed and metrics not in KINDS:
        passed["metrics"] = [] if metrics == "none" else _names(metrics)
    scores = reader(source, **passed)
    if "exclude" not in takes:
        scores = keep_systems(scores, exclude=options["exclude"] or [])
    if "metrics" not in takes and metrics not in (None, "all"):
        scores = keep_metrics(scores, _names(metrics))
    if "only" not in takes and options["only"]:
        scores = keep_systems(scores, only=options["only"])
    return scores


def _check(reader: ScoreReader, source: Any, options: Mapping[str, Any]) -> None:
    """Refuse options that are missing, or would have no effect."""
    name = flag(reader.name) if reader.help else f"a {Path(source).suffix.lower()} file"
    name = "a table" if reader.name == "table" else name
    for option, value in options.items():
        if not value or option in (*reader.takes, "metrics", "exclude", "only"):
            continue
        if option == "include":
            raise InputError(
                f"--include does not go with {name}, which leaves no system out by itself; "
                "--only names those to keep"
            )
        given = f"{next(iter(value))}_column" if option == "columns" else option
        raise InputError(f"{flag(given)} does not go with {name}; leave {flag(given)} out")
    missing = [option for option in reader.needs if options[option] is None]
    if missing:
        needs = " and ".join(map(flag, reader.needs))
        what = ": a file with human scores, or a metric" if missing == ["human"] else ""
        raise InputError(f"{name} also needs {needs}{what}")
    metrics = options["metrics"]
    if "metrics" not in reader.takes and metrics in {*KINDS, "none"} - {"all"}:
        raise InputError(f"--metrics {metrics} needs --mtme; name metrics, or say all")


def _paths(names: Iterable[str]) -> Iterator[str]:
    """Names that are files; a bare name is that of a metric or a person."""
    return (x for x in names if (Path(x).suffix or "/" in x) and Path(x).is_file())


def _names(text: str) -> list[str]:
    return several(text) or [text]
