"""Read the files of the WMT metrics task, and test sets in the layout of mt-metrics-eval v2.

Files of the task have no header: each line has a metric's score and the labels of what it scores.
The columns have changed over the years. The number of columns, and whether the last one is a score,
distinguish them.

In mt-metrics-eval, a test set is a folder. ``documents/LP.docs``: domain and document of each
segment. ``human-scores/LP.NAME.seg.score`` and ``metric-scores/LP/METRIC-REF.seg.score``: a system
and its score (or ``None``) on each line; a system's lines are in the order of the segments.
System-level scores end in ``.sys.score``. All metrics are published so that higher is better, and
are read so unless declared otherwise.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from supersample.errors import (
    DegenerateScoreWarning,
    InputError,
    check_choice,
    check_names,
    listed,
    quoted,
    shortened,
    warn,
)
from supersample.readers.cells import (
    Columns,
    Header,
    SystemScores,
    Wanted,
    join_columns,
    join_matched,
    labelled,
    make_dataset,
    scores_by_system,
)
from supersample.readers.public_sets import set_facts, standard_options
from supersample.readers.table_files import Text, read_columns
from supersample.readers.tables import NOBODY, human_name, systems_wanted, with_teams_of
from supersample.readers.text import MISSING, is_number, read_lines, read_raw
from supersample.scores.alignment import matched_text
from supersample.scores.schema import REFERENCE_FREE, with_teams_named
from supersample.scores.selection import choose_systems, declare_teams

_ABOUT = ("scorer", "language pair", "test set")
_EXTRA = ("ensemble", "available")
SYSTEM_LAYOUTS = (
    (*_ABOUT, "system", "score"),  # until WMT16
    (*_ABOUT, "reference", "system", "score"),  # WMT20 and WMT21
    (*_ABOUT, "system", "score", *_EXTRA),  # WMT17 to WMT19
    (*_ABOUT, "domain", "reference", "system", "score"),  # since WMT22
)
SYSTEM_FILES = (".sys.score", ".sys.score.gz")
SEGMENT_LAYOUTS = (
    (*_ABOUT, "system", "segment", "score"),  # until WMT16
    (*_ABOUT, "reference", "system", "segment", "score"),  # WMT20 and WMT21
    (*_ABOUT, "reference", "system", "document", "segment", "score"),  # WMT20
    (*_ABOUT, "system", "segment", "score", *_EXTRA),  # WMT17 to WMT19
    (*_ABOUT, "reference", "system", "segment", "score", *_EXTRA),
    (*_ABOUT, "domain", "document", "reference", "system", "segment", "score"),  # since WMT22
)


def read_system_scores(
    paths: str | Path | Sequence[str | Path],
    *,
    human: str = "HUMAN",
    language_pair: str | None = None,
    test_set: str | None = None,
    reference: str | None = None,
    lower_is_better: Sequence[str] = (),
    only: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> xr.Dataset:
    """Read system-level human and metric scores, such as WMT12's and WMT15's tables.

    Parameters
    ----------
    paths : str, Path or sequence of them
        Tables with the header ``METRIC LP TESTSET SYSTEM SCORE`` (or DATA) and optionally
        ``HUMAN``; or tables with one row per system and one column per scorer; or files of the
        metrics task, which end in ``.sys.score``, perhaps with a table of human scores beside them.
    human : str, default "HUMAN"
        The scorer with the human scores; if there is a column ``HUMAN``, a name for it. In a table
        with one column per scorer, also the only column with a usual name of human scores.
    language_pair, test_set, reference : str, optional
        Needed if the files have several.
    lower_is_better : sequence of str
        Scorers for which higher scores mean worse translations; may include the human scores.
    only, exclude : sequence of str
        Systems to keep (all if empty), and systems to leave out.

    Returns
    -------
    xarray.Dataset
        As from `make_system_scores`, for correlations, intervals and tests. There are no hybrids,
        because there are no segments to mix. Systems without a human score, and metrics that lack
        a score of one of the remaining systems, are left out and listed (``systems_left_out``,
        ``metrics_left_out``).

    Raises
    ------
    InputError
        With file and line, if a file is malformed or a system has two scores of one scorer; or if
        the files lack what was named, or a name is needed.

    Examples
    --------
    >>> read_system_scores("nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    files = _system_files(paths, human, language_pair)
    several = [x.rows_with("reference", reference) for x in files if "reference" in x.frame]
    files = [*several, *(x for x in files if "reference" not in x.frame)]
    rows, matched = join_matched(files, language_pair, test_set)
    # human scores repeated in several files
    again = rows.frame.duplicated(["scorer", "system", "score"])
    rows = rows.rows_where(~np.asarray(again & (rows.frame["scorer"] == human)))
    cube = rows.cube(("scorer", "system"))
    check_names("scorer", [human], rows.names("scorer"), f"{rows.source}, nor a column HUMAN")
    table: Any = cube.to_pandas()
    people, scores = table.loc[human].dropna(), table.drop(human)
    of_metrics = rows.frame[rows.frame["scorer"] != human].sort_values("scorer", kind="stable")
    named = dict.fromkeys([*of_metrics["system"].unique(), *rows.names("system")])
    scored = [name for name in of_metrics["system"].unique() if name in people]
    source = f"{rows.names('test set')[0]} {rows.names('language pair')[0]}".strip()
    systems, left_out = choose_systems(scored, only, exclude, source)
    left_out += [f"{name} (no human or no metric score)" for name in named if name not in scored]
    gaps = {name: row.index[row.isna()] for name, row in scores[systems].iterrows()}
    metrics = [name for name, missing in gaps.items() if not len(missing)]
    incomplete = [f"{m} (no score for {listed(out, 3)})" for m, out in gaps.items() if len(out)]
    if len(systems) < 2 or not metrics:
        raise InputError(
            f"{source}: {len(systems)} systems have a human score, and {len(metrics)} metrics "
            "have scores of them all; at least 2 systems and 1 metric are needed"
        )
    check_names("scorer", lower_is_better, [human, *gaps])
    scores = make_dataset(
        people[systems],
        cube.sel(scorer=metrics, system=systems),
        lower_is_better,
        {
            "source": source,
            "human": human,
            "systems_left_out": ", ".join(left_out),
            "metrics_left_out": ", ".join(incomplete),
            "names_matched": matched_text(matched),
        },
        human_higher_is_better=human not in lower_is_better,
    )
    return with_teams_of(scores, rows)


def system_score_pairs(
    files: str | Path | Sequence[str | Path], test_set: str | None, human: str | None
) -> list[tuple[str, str]]:
    """Test sets and language pairs of files that have both human and metric system-level scores."""
    name = human or "HUMAN"
    rows = join_columns(_system_files(files, name))
    rows = rows.rows_with("test set", test_set) if test_set else rows
    of_people = rows.frame["scorer"] == name
    keys = [
        set(zip(part["test set"], part["language pair"], strict=True))
        for part in (rows.frame[of_people], rows.frame[~of_people])
    ]
    return sorted((str(of), str(pair)) for of, pair in keys[0] & keys[1])


def _system_files(
    files: str | Path | Sequence[str | Path], human: str, language_pair: str | None = None
) -> list[Columns]:
    """Read files; one that does not say its test set or language pair has that of the others."""
    paths = [Path(x) for x in ([files] if isinstance(files, str | Path) else files)]
    if not paths:
        raise InputError("name a file of scores")
    parts = [_read_file(path, human) for path in paths]
    for label, unknown in (("test set", paths[0].stem), ("language pair", language_pair or "")):
        known = {name for part in parts if label in part.frame for name in part.names(label)}
        name = known.pop() if len(known) == 1 else unknown
        parts = [x if label in x.frame else x.with_one(label, name) for x in parts]
    return parts


def _read_file(path: Path, human: str) -> Columns:
    """Rows of metrics, and of a column of human scores if there is one."""
    if path.name.endswith(SYSTEM_FILES):
        return read_score_file(path, SYSTEM_LAYOUTS)
    wanted: list[Wanted] = []

    def choose(header: Header) -> Wanted:
        wanted.append(systems_wanted(header))
        return wanted[0]

    columns = read_columns(path, choose, suffixes=())
    if not wanted[0].scorers:
        if "human" in columns.frame and human in columns.names("scorer"):
            name = quoted(human)
            raise InputError(f"{columns.source}: {name} is both a metric and the column HUMAN")
        of = ["language pair", "test set", "system"]
        return columns.with_people("scorer", human, of) if "human" in columns.frame else columns
    names = columns.names("scorer")  # one column per scorer; the human scores get the given name
    people = human_name(names, None if human == "HUMAN" else human, columns.source)
    return columns.renamed("scorer", {people: human})


def read_score_file(
    path: str | Path, layouts: Sequence[tuple[str, ...]], missing: tuple[str, ...] = MISSING
) -> Columns:
    """Read a file of the metrics task: codes of every label, and the number "score"."""
    text = Text.bare(*read_raw(path))
    first = text.first()
    if not any(first):
        raise InputError(f"{text.source} is empty, or begins with an empty line")
    is_score = is_number(first[-1]) or first[-1].lower() in missing
    for names in layouts:
        if len(names) == len(first) and (names[-1] == "score") == is_score:
            labels = {name: name for name in names if name not in ("score", *_EXTRA)}
            return text.columns(names, Wanted(labels, missing=missing))
    counts = ", ".join(str(n) for n in sorted({len(names) for names in layouts}))
    raise InputError(
        f"{text.source}, line 1: {len(first)} columns, the last one '{shortened(first[-1])}'; a "
        f"file of the metrics task has {counts}, and one of them is the score"
    )


def read_pairs(
    text: Text, expected: int | None = None, missing: tuple[str, ...] = MISSING
) -> SystemScores:
    """Read lines of a system and its score; see `scores_by_system`."""
    if not text.raw:
        return {}
    if len(text.first()) != 2:
        raise InputError(f"{text.where(1)}: expected a system and a score")
    wanted = Wanted({"system": "system"}, missing=missing)
    return scores_by_system(text.columns(("system", "score"), wanted), expected)


MetricKind = Literal["reference", "reference-free", "all", "primary"]
UNSCORED = ("none", "nan")
REFERENCES = "references"
LEVELS = {"segment": "seg", "system": "sys"}


def read_mtme(
    directory: str | Path,
    test_set: str,
    language_pair: str,
    *,
    human: str | None = None,
    reference: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    metrics: MetricKind | Sequence[str] = "all",
    lower_is_better: Sequence[str] = (),
    level: Literal["segment", "system"] = "segment",
) -> xr.Dataset:
    """Read the segment-level or system-level scores of one test set and language pair.

    Parameters
    ----------
    directory : str or Path
        Folder with the test sets.
    test_set, language_pair : str
        For instance "wmt23" and "en-de".
    human : str, optional
        Name of the human scores; by default the standard ones of the language pair and level (see
        `set_facts`), or "mqm" if these are unknown. "*" if the set has none: they are 0 until
        `rate_scores` replaces them, and systems are those with translations.
    reference : str, optional
        The reference of the metric scores; by default the standard one, or "refA" if it is
        unknown.
    include : sequence of str
        Systems to keep although they are left out by default: human references (translations with
        a file under ``references``, or whose name starts with "ref"), "synthetic_ref", and the
        outliers of a known set. "references" keeps all references that people rated.
    exclude : sequence of str
        More systems to leave out.
    metrics : {"reference", "reference-free", "all", "primary"} or sequence of str
        Metrics that compare with `reference`; metrics that use only the source ("-src"); both
        (default); primary submissions and baselines of a known set; or metrics by name (may be
        empty). If two metrics have one name, the reference-free one is named with "-src".
    lower_is_better : sequence of str
        Metrics for which higher scores mean worse translations.
    level : {"segment", "system"}, default "segment"
        System-level scores are the published ones, for instance corpus-level BLEU. They are not
        means of segment-level scores.

    Returns
    -------
    xarray.Dataset
        Scores, with ``domain`` and ``document`` of each segment and ``reference`` of each metric;
        or system-level scores, as from `make_system_scores`, with ``reference``, without metrics
        that lack a system. The attributes ``systems_left_out`` and ``metrics_left_out`` say what
        was left out and why; ``read_as`` lists the defaults used. Teams of systems that are known
        of the set (see `set_facts`) are declared; ``teams`` says so, and `declare_teams` with a
        team of its own for one of them takes this back.

    Warns
    -----
    DegenerateScoreWarning
        With `human` "*".

    Raises
    ------
    InputError
        If a folder, language pair, human score, reference, system or metric does not exist (the
        message lists the existing ones), or a file is malformed (with file and line).

    Examples
    --------
    >>> read_mtme("nowhere", "wmt23", "en-de")
    Traceback (most recent call last):
    supersample.errors.InputError: no test set 'wmt23': there is no folder nowhere
    """
    check_choice("level", level, ("segment", "system"))
    of_systems = level == "system"
    root = set_folder(directory, test_set)
    documents = read_documents(root, language_pair)
    if of_systems and (facts := set_facts(test_set, language_pair)):
        human = human or facts.gold.get(level)
    human, reference, read_as = chosen_or_standard(root, language_pair, human, reference)
    count = 1 if of_systems else len(documents)

    elsewhere = _translated(root, language_pair, count) if human == NOBODY else {}
    people = elsewhere or read_segment_scores(human_path(root, language_pair, human, level), count)
    if elsewhere:
        told = f"{test_set} {language_pair}: human scores are 0 until rate_scores replaces them"
        warn(told, DegenerateScoreWarning, stacklevel=2)
    systems, left_out = _choose_systems(root, language_pair, people, include, exclude)
    stems, free = _metric_files(root, language_pair, reference, metrics)
    folder = root / "metric-scores" / language_pair
    files = {name: folder / f"{stem}.{LEVELS[level]}.score" for name, stem in stems.items()}
    of_metrics = {
        name: read_segment_scores(path, count) if path.is_file() else None
        for name, path in files.items()
    }
    found, skipped = _complete(of_metrics, systems, level)
    check_names("metric", lower_is_better, found)
    names = {"metric": list(found), "system": systems, "segment": list(map(str, range(count)))}
    blank = np.full(count, np.nan)
    scorers = people, *found.values()
    values = np.array([[of.get(system, blank) for system in systems] for of in scorers])
    cube = labelled(values[1:], names)
    compared = [stems[name].rpartition("-")[2] for name in found]
    if free and not of_systems:
        skipped.append(f"{len(free)} reference-free ({', '.join(free)}), which metrics 'all' keeps")
    attrs = {
        "source": f"{test_set} {language_pair}",
        "human": human,
        "reference": reference,
        "systems_left_out": ", ".join(left_out),
        "metrics_left_out": "; ".join(skipped),
    }
    if of_systems:
        made = make_dataset(values[0][:, 0], cube[:, :, 0], lower_is_better, attrs)
        return _with_known_teams(made.assign_coords(reference=("metric", compared)))
    attrs |= {"read_as": read_as} if read_as else {}
    labels = {"domain": [x for x, _ in documents], "document": [x for _, x in documents]}
    made = make_dataset(values[0], cube, lower_is_better, attrs, reference=compared, **labels)
    return _with_known_teams(made)


def _with_known_teams(scores: xr.Dataset) -> xr.Dataset:
    """Declare the teams that are known of a public set, of systems that are there."""
    test_set, _, language_pair = str(scores.attrs["source"]).rpartition(" ")
    facts, there = set_facts(test_set, language_pair), scores["system"].to_numpy().tolist()
    known = facts.teams.items() if facts else ()
    teams = {name: [x for x in systems if x in there] for name, systems in known}
    teams = {name: systems for name, systems in teams.items() if len(systems) > 1}
    if not teams:
        return scores
    scores = declare_teams(scores, teams)
    scores["team"].attrs["declared"] = test_set
    return with_teams_named(scores)


def _complete(
    metrics: Mapping[str, SystemScores | None], systems: Sequence[str], level: str
) -> tuple[dict[str, SystemScores], list[str]]:
    """Scores of metrics that have enough of them, and the metrics left out with the reason.

    Segment-level scores may lack some systems; system-level scores may not.
    """
    found: dict[str, SystemScores] = {}
    skipped, whole, alike = list[str](), level != "segment", dict[str, list[str]]()
    for name, file in metrics.items():
        scores = file or {}
        missing = [x for x in systems if x not in scores or (whole and np.isnan(scores[x][0]))]
        if not missing or (not whole and len(missing) < len(systems)):
            found[name] = scores
        if not missing:
            continue
        if whole:
            skipped.append(f"{name} (no {level}-level score of {listed(missing, 3)})")
        elif name in found:
            skipped.append(f"{name} for {', '.join(missing)} (absent from its file)")
        else:
            why = "no segment-level scores" if file is None else "none of the systems"
            alike.setdefault(why, []).append(name)
    skipped += [f"{', '.join(names)} ({why})" for why, names in alike.items()]
    if metrics and not found and not whole:
        raise InputError(f"no metric has segment-level scores: {'; '.join(skipped)}")
    return found, skipped


def _translated(root: Path, language_pair: str, count: int) -> SystemScores:
    """Scores of 0 for each system whose translations a set has, also for references."""
    systems = sorted((root / "system-outputs" / language_pair).glob("*.*"))
    references = sorted((root / "references").glob(f"{language_pair}.*.*"))
    names = [path.stem for path in systems]
    names += [path.stem.removeprefix(f"{language_pair}.") for path in references]
    return dict.fromkeys(names, np.zeros(count))


def set_folder(directory: str | Path, test_set: str) -> Path:
    """Folder of a test set."""
    root = Path(directory) / test_set
    if not root.is_dir():
        sets = sorted(path.parent.name for path in Path(directory).glob("*/documents"))
        others = f"; there is {listed(sets)}" if sets else ""
        missing = root if root.parent.is_dir() else root.parent
        raise InputError(f"no test set {quoted(test_set)}: there is no folder {missing}{others}")
    return root


def mtme_pairs(
    directory: str | Path, test_set: str | None, human: str | None
) -> list[tuple[str, str]]:
    """Language pairs of a test set with segment-level human scores (named or standard ones).

    Each comes with the test set, which must be named.
    """
    if test_set is None:
        raise InputError("name a test set, as in FOLDER/SET")
    root = set_folder(directory, test_set)
    pairs = sorted(path.stem for path in (root / "documents").glob("*.docs"))
    wanted = {pair: human or standard_options(test_set, pair).get("human") for pair in pairs}
    return [(test_set, pair) for pair in pairs if wanted[pair] in human_paths(root, pair)]


def chosen_or_standard(
    root: Path, language_pair: str, human: str | None, reference: str | None
) -> tuple[str, str, str]:
    """Human scores and reference (standard ones unless named), and a note on defaults."""
    standard, pair = standard_options(root.name, language_pair), f"{root.name} {language_pair}"
    if human is None and "human" not in standard:
        existing = listed(human_paths(root, language_pair)) or "none"
        raise InputError(f"{pair} has no standard human scores; there are {existing}")
    named = {"reference": reference, "human": human}
    words = {"reference": "reference", "human": "human scores"}
    taken = [f"{words[name]} {standard[name]}" for name, value in named.items() if value is None]
    official = ", as WMT used them" * bool(set_facts(root.name, language_pair))
    chosen = human or standard["human"], reference or standard["reference"]
    return *chosen, f"defaults: {', '.join(taken)}{official}" if taken else ""


def read_segment_scores(path: Path, segments: int | None = None) -> SystemScores:
    """Read the scores of each system in a ``.seg.score`` file; NaN for ``None``."""
    return read_pairs(Text.bare(*read_raw(path)), segments, UNSCORED)


def read_documents(root: Path, language_pair: str) -> list[tuple[str, str]]:
    """Domain and document of each segment."""
    path = root / "documents" / f"{language_pair}.docs"
    if not path.is_file():
        pairs = sorted(other.stem for other in path.parent.glob("*.docs"))
        check_names("language pair", [language_pair], pairs, f"{root} (documents/*.docs)")
    segments = []
    for i, line in enumerate(read_lines(path), start=1):
        domain, separator, document = line.partition("\t")
        if not separator:
            raise InputError(f"{path}, line {i}: expected a domain and a document")
        segments.append((domain, document))
    return segments


def human_path(root: Path, language_pair: str, human: str, level: str = "segment") -> Path:
    """File of human scores; if there is none, InputError lists the existing ones."""
    found = human_paths(root, language_pair, level)
    if not found:
        raise InputError(f"no {language_pair} human scores in {root}; name --ratings FILE,FILE")
    check_names(f"{language_pair} human scores", [human], found, str(root))
    return found[human]


def human_paths(root: Path, language_pair: str, level: str = "segment") -> dict[str, Path]:
    """Existing files of human scores, by name."""
    prefix, suffix = f"{language_pair}.", f".{LEVELS[level]}.score"
    paths = sorted((root / "human-scores").glob(f"{prefix}*{suffix}"))
    return {path.name.removeprefix(prefix).removesuffix(suffix): path for path in paths}


def _choose_systems(
    root: Path, pair: str, people: SystemScores, include: Sequence[str], exclude: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Systems to keep, and systems left out with the reason."""
    files = (root / "references").glob(f"{pair}.*.*")
    references = {"synthetic_ref", *(path.stem.removeprefix(f"{pair}.") for path in files)}
    facts = set_facts(root.name, pair)

    def reason(system: str) -> str:
        if system in include:
            return ""
        if system in references or system.startswith("ref"):
            return "" if REFERENCES in include else "a reference"
        return f"an outlier of {root.name}" if facts and system in facts.outliers else ""

    check_names("system", [x for x in (*include, *exclude) if x != REFERENCES], people)
    reasons = {}
    for system, values in people.items():
        why = "nobody rated it" if np.isnan(values).all() else reason(system)
        reasons[system] = "excluded" if system in exclude else why
    kept = [system for system, why in reasons.items() if not why]
    left_out = [f"{system} ({why})" for system, why in reasons.items() if why]
    if not kept:
        raise InputError(f"no system of {root} is left: {listed(left_out) or 'there is none'}")
    return kept, left_out


def _metric_files(
    root: Path, language_pair: str, reference: str, metrics: MetricKind | Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """File prefix of each chosen metric, and reference-free metrics that are left out."""
    folder = root / "metric-scores" / language_pair
    if not metrics or (metrics == "all" and not folder.is_dir()):
        return {}, []
    files = {path.name for kind in ("seg", "sys") for path in folder.glob(f"*.{kind}.score")}
    # by reference and name of the metric: name of its file
    compared: dict[str, dict[str, str]] = {}
    for stem in sorted({name.rsplit(".", 2)[0] for name in files}, key=str.lower):
        name, _, what = stem.rpartition("-")
        if name:
            compared.setdefault(what, {})[name] = stem
    kinds: Sequence[str] = (reference, REFERENCE_FREE)
    if isinstance(metrics, str):
        check_choice("kind of metrics", metrics, get_args(MetricKind))
        by_kind = {"reference": (reference,), "reference-free": (REFERENCE_FREE,)}
        kinds = by_kind.get(metrics, kinds)
    chosen: dict[str, str] = {}
    for kind in kinds:  # metrics with the reference come first and get the plain names
        for name, stem in compared.get(kind, {}).items():
            chosen[stem if name in chosen else name] = stem
    without = compared.pop(REFERENCE_FREE, {})
    if reference in kinds:
        check_names("metric scores with reference", [reference], sorted(compared), str(folder))
    elif not chosen:
        raise InputError(f"no metric scores without a reference (-{REFERENCE_FREE}) in {folder}")
    if not isinstance(metrics, str):
        check_names("metric", metrics, chosen, str(folder))
        return {name: chosen[name] for name in metrics}, []
    if metrics == "primary":
        facts = set_facts(root.name, language_pair)
        if facts is None or not facts.primary:
            pair = f"{root.name} {language_pair}"
            raise InputError(
                f"the primary metrics of {pair} are not known; name metrics, or use all"
            )
        bare = {name: stem.rpartition("-")[0] for name, stem in chosen.items()}
        chosen = {name: stem for name, stem in chosen.items() if bare[name] in facts.primary}
    free = [name for name, stem in without.items() if f"{stem}.seg.score" in files]
    return chosen, sorted(free, key=str.lower) if metrics == "reference" else []
