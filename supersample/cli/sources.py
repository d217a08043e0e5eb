"""The source of Scores that options name, and the metrics that are added to it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

Orientation = Literal["infer", "higher-is-better", "lower-is-better"]
_KINDS = ("reference", "reference-free", "all")


@dataclass(frozen=True)
class Source:
    """What options say of a source, whichever it is."""

    test_set: str | None
    language_pair: str | None
    human: str | None
    reference: str | None
    metrics: str | None
    lower_is_better: list[str]
    include: list[str]
    exclude: list[str]
    only: list[str]

    def named_metrics(self) -> list[str]:
        """Metrics by name; none where all, or a kind of them, was asked for."""
        if self.metrics is None or self.metrics in (*_KINDS, "none"):
            return []
        return [name.strip() for name in self.metrics.split(",")]

    def asked_for(self) -> list[str]:
        """Systems that are kept although their source leaves them out by default."""
        return [*self.include, *(name for name in self.only if name not in self.include)]

    def refuse_but(self, taken: Sequence[str], source: str) -> None:
        """Refuse what was asked for but would have no effect."""
        for name, value in asdict(self).items():
            if value and name not in taken:
                option = name.replace("_", "-")
                if name == "include":
                    raise InputError(
                        f"--include does not go with {source}, which leaves no system out by "
                        "itself; --only names those to keep"
                    )
                raise InputError(f"--{option} does not go with {source}; leave it out")


def read_source(
    source: Source,
    *,
    table: str | None,
    mtme: Path | None,
    wmt: Sequence[Path],
    systems: Sequence[Path],
) -> "xr.Dataset":
    """Read the one source that was named, the example where none was; keep what was asked for."""
    import supersample as ss

    if mtme is not None:
        scores = _mtme(source, mtme)
    else:
        if source.metrics in (*_KINDS, "none") and source.metrics != "all":
            raise InputError(f"--metrics {source.metrics} needs --mtme; name metrics, or say all")
        scores = _read(source, table=table, wmt=wmt, systems=systems)
        if source.named_metrics():
            scores = ss.keep_metrics(scores, source.named_metrics())
    # system-level tables settle this themselves: what is missing depends on it
    return ss.keep_systems(scores, only=source.only) if source.only and not systems else scores


def _read(
    source: Source, *, table: str | None, wmt: Sequence[Path], systems: Sequence[Path]
) -> "xr.Dataset":
    import supersample as ss

    if table is not None:
        return _table(source, table)
    placed = {
        "test_set": source.test_set,
        "language_pair": source.language_pair,
        "reference": source.reference,
        "lower_is_better": source.lower_is_better,
        "exclude": source.exclude,
    }
    taken = [*placed, "human", "metrics", "only"]
    if wmt:
        source.refuse_but([*taken, "include"], "--wmt")
        if source.human is None:
            raise InputError("--wmt also needs --human: a file of human scores, or a metric")
        return ss.read_wmt(wmt, human=source.human, include=source.asked_for(), **placed)  # type: ignore[arg-type]
    if systems:
        source.refuse_but(taken, "--systems")
        human = source.human or "HUMAN"
        return ss.read_system_scores(systems, human=human, only=source.only, **placed)  # type: ignore[arg-type]
    source.refuse_but(("metrics", "only", "exclude"), "--example")
    return ss.keep_systems(ss.load_example(), exclude=source.exclude)


def _table(source: Source, table: str) -> "xr.Dataset":
    import supersample as ss

    if Path(table).suffix.lower() in (".nc", ".zarr"):
        source.refuse_but(("metrics", "only", "exclude"), f"a {Path(table).suffix.lower()} file")
        return ss.keep_systems(ss.read_dataset(table), exclude=source.exclude)
    source.refuse_but(("human", "lower_is_better", "metrics", "only", "exclude"), "a table")
    return ss.read_table(
        table,
        human=source.human or "human",
        lower_is_better=source.lower_is_better,
        exclude=source.exclude,
    )


def _mtme(source: Source, directory: Path) -> "xr.Dataset":
    import supersample as ss

    if source.test_set is None or source.language_pair is None:
        raise InputError("--mtme also needs --test-set and --language-pair")
    return ss.read_mtme(
        directory,
        source.test_set,
        source.language_pair,
        human=source.human or "mqm",
        reference=source.reference or "refA",
        metrics=[]
        if source.metrics == "none"
        else source.named_metrics() or source.metrics or "reference",
        lower_is_better=source.lower_is_better,
        include=source.asked_for(),
        exclude=source.exclude,
    )


@dataclass(frozen=True)
class RawRatings:
    """What options say of raw ratings that take the place of human scores."""

    file: str | None
    scale: Literal["z", "raw"]
    quality_control: Literal["wilcoxon", "t-test", "none"]

    def prepared(self, pair: str) -> "xr.Dataset | None":
        """Ratings as they are to be averaged, None where there are none."""
        if self.file is None:
            for option, value, default in (
                ("--rating-scale", self.scale, "z"),
                ("--quality-control", self.quality_control, "wilcoxon"),
            ):
                if value != default:
                    raise InputError(f"{option} goes with --ratings FILE; there are no raw ratings")
            return None
        import supersample as ss

        path = self.file.replace("{pair}", pair)
        appraise = path.lower().endswith(".csv") and not _has_header(path)
        ratings = ss.read_appraise(path) if appraise else ss.read_ratings(path)
        return ss.prepare_ratings(ratings, quality_control=self.quality_control, scale=self.scale)


def _has_header(path: str) -> bool:
    """Whether the first line of a table names the columns of ratings; Appraise writes none."""
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace") as stream:
            names = [name.strip().strip('"').casefold() for name in stream.readline().split(",")]
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}") from error
    return len(names) < 11 or {"assessor", "system", "segment", "score"} <= set(names)


def added_metrics(
    named: Sequence[str], lower: Sequence[str], higher: Sequence[str]
) -> dict[str, tuple[str, Orientation]]:
    """File and orientation of each metric to add, by name."""
    added: dict[str, tuple[str, Orientation]] = {}
    for text in named:
        name, equals, file = text.partition("=")
        name = name.strip()
        if not equals or not name or not file:
            raise InputError(f"--add-metric takes NAME=FILE, not '{text}'")
        if name in added:
            raise InputError(f"--add-metric names '{name}' twice")
        if name in lower and name in higher:
            raise InputError(f"'{name}' cannot be lower-is-better and higher-is-better")
        orientation: Orientation = "infer"
        if name in lower:
            orientation = "lower-is-better"
        elif name in higher:
            orientation = "higher-is-better"
        added[name] = (file, orientation)
    for name in higher:
        if name not in added:
            raise InputError(
                f"--higher-is-better is of added metrics; '{name}' is none, and all others are so "
                "unless --lower-is-better says otherwise"
            )
    return added
