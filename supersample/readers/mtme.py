"""Read the mt-metrics-eval v2 layout of WMT metrics-task data.

A test set is a folder with these files. ``documents/LP.docs``: domain and document of each segment.
``human-scores/LP.NAME.seg.score`` and ``metric-scores/LP/METRIC-REF.seg.score``: a system and its
score (or ``None``) on each line; a system's lines are in the order of the segments. System-level
scores end in ``.sys.score``; ``.domain.score`` has a domain before each system. In this layout, all
metrics are published so that higher is better, and are read so unless declared otherwise.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import InputError, check_choice, check_names, listed, quoted
from supersample.readers.columns import (
    SystemScores,
    keep_rated,
    labelled,
    make_dataset,
    scores_by_system,
)
from supersample.readers.public_sets import set_facts, standard_options
from supersample.readers.text import read_lines, read_raw
from supersample.readers.wmt import read_pairs, read_score_file
from supersample.scores.schema import REFERENCE_FREE

MetricKind = Literal["reference", "reference-free", "all", "primary"]
MISSING = ("none", "nan")
LEVELS = {"segment": "seg", "system": "sys", "domain": "domain"}


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
    domain: str | None = None,
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
        `set_facts`), or "mqm" if these are unknown.
    reference : str, optional
        The reference of the metric scores; by default the standard one, or "refA" if it is
        unknown.
    include : sequence of str
        Systems to keep although they are left out by default: human references (translations with
        a file under ``references``, or whose name starts with "ref"), "synthetic_ref", and the
        outliers of a known set.
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
    domain : str, optional
        Read the system-level scores of this domain.

    Returns
    -------
    xarray.Dataset
        Scores, with ``domain`` and ``document`` of each segment and ``reference`` of each metric;
        or system-level scores, as from `make_system_scores`, with ``reference``, without metrics
        that lack a system. The attributes ``systems_left_out`` and ``metrics_left_out`` say what
        was left out and why; ``read_as`` lists the defaults used.

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
    of_systems = level == "system" or domain is not None
    at = "domain" if domain is not None else level
    root = set_folder(directory, test_set)
    documents = read_documents(root, language_pair)
    if of_systems and (facts := set_facts(test_set, language_pair)):
        human = human or facts.gold.get(at)
    human, reference, read_as = chosen_or_standard(root, language_pair, human, reference)
    count = 1 if of_systems else len(documents)

    def read(path: Path) -> SystemScores:
        return read_segment_scores(path, count) if domain is None else _of_domain(path, domain)

    people = read(human_path(root, language_pair, human, at))
    systems, left_out = _choose_systems(root, language_pair, people, include, exclude)
    stems, free = _metric_files(root, language_pair, reference, metrics)
    folder = root / "metric-scores" / language_pair
    files = {name: folder / f"{stem}.{LEVELS[at]}.score" for name, stem in stems.items()}
    of_metrics = {name: read(path) if path.is_file() else None for name, path in files.items()}
    found, skipped = _complete(of_metrics, systems, at)
    check_names("metric", lower_is_better, found)
    names = {"metric": list(found), "system": systems, "segment": list(map(str, range(count)))}
    values = [_stack(scores, systems, count) for scores in (people, *found.values())]
    cube = labelled(np.stack(values)[1:], names)
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
        return made.assign_coords(reference=("metric", compared))
    return make_dataset(
        values[0],
        cube,
        lower_is_better,
        {**attrs, "read_as": read_as or None},
        domain=[name for name, _ in documents],
        document=[document for _, document in documents],
        reference=compared,
    )


def _complete(
    metrics: Mapping[str, SystemScores | None], systems: Sequence[str], level: str
) -> tuple[dict[str, SystemScores], list[str]]:
    """Scores of metrics that have enough of them, and the metrics left out with the reason.

    Segment-level scores may lack some systems; system-level scores may not.
    """
    found: dict[str, SystemScores] = {}
    skipped, whole = [], level != "segment"
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
            skipped.append(f"{name} ({why})")
    if metrics and not found and not whole:
        raise InputError(f"no metric has segment-level scores: {'; '.join(skipped)}")
    return found, skipped


def _stack(scores: SystemScores, systems: Sequence[str], count: int) -> Floats:
    return np.stack([scores.get(system, np.full(count, np.nan)) for system in systems])


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
    official = ", as in WMT's official results" * bool(set_facts(root.name, language_pair))
    chosen = human or standard["human"], reference or standard["reference"]
    return *chosen, f"defaults{official}: {', '.join(taken)}" if taken else ""


def read_segment_scores(path: Path, segments: int) -> SystemScores:
    """Read the scores of each system in a ``.seg.score`` file; NaN for ``None``."""
    return read_pairs(*read_raw(path), segments, MISSING)


def _of_domain(path: Path, domain: str) -> SystemScores:
    """Score of each system in a ``.domain.score`` file."""
    columns = read_score_file(path, [("domain", "system", "score")])
    return scores_by_system(columns.rows_with("domain", domain), 1)


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
            return "a reference"
        return f"an outlier of {root.name}" if facts and system in facts.outliers else ""

    return keep_rated(people, include, exclude, reason, f" of {root}")


def _metric_files(
    root: Path, language_pair: str, reference: str, metrics: MetricKind | Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """File prefix of each chosen metric, and reference-free metrics that are left out."""
    if not metrics:
        return {}, []
    folder = root / "metric-scores" / language_pair
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
