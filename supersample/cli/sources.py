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

    def refuse_but(self, taken: Sequence[str], source: str) -> None:
        """Refuse what was asked for but would have no effect."""
        for name, value in asdict(self).items():
            if value and name not in taken:
                option = name.replace("_", "-")
                raise InputError(f"--{option} does not go with {source}; leave it out")


def read_source(
    source: Source,
    *,
    table: str | None,
    mtme: Path | None,
    wmt: Sequence[Path],
    systems: Sequence[Path],
) -> "xr.Dataset":
    """Read the one source that was named; the example where none was."""
    import supersample as ss

    if table is not None:
        return _table(source, table)
    if mtme is not None:
        return _mtme(source, mtme)
    placed = {
        "test_set": source.test_set,
        "language_pair": source.language_pair,
        "reference": source.reference,
        "lower_is_better": source.lower_is_better,
        "include": source.include,
        "exclude": source.exclude,
    }
    if wmt:
        source.refuse_but([*placed, "human"], "--wmt")
        if source.human is None:
            raise InputError("--wmt also needs --human: a file of human scores, or a metric")
        return ss.read_wmt(wmt, human=source.human, **placed)  # type: ignore[arg-type]
    if systems:
        source.refuse_but([*placed, "human"], "--systems")
        human = source.human or "HUMAN"
        return ss.read_system_scores(systems, human=human, **placed)  # type: ignore[arg-type]
    source.refuse_but([], "--example")
    return ss.load_example()


def _table(source: Source, table: str) -> "xr.Dataset":
    import supersample as ss

    if Path(table).suffix.lower() in (".nc", ".zarr"):
        source.refuse_but([], f"a {Path(table).suffix.lower()} file")
        return ss.read_dataset(table)
    source.refuse_but(("human", "lower_is_better", "include", "exclude"), "a table")
    return ss.read_table(
        table,
        human=source.human or "human",
        lower_is_better=source.lower_is_better,
        include=source.include,
        exclude=source.exclude,
    )


def _mtme(source: Source, directory: Path) -> "xr.Dataset":
    import supersample as ss

    if source.test_set is None or source.language_pair is None:
        raise InputError("--mtme also needs --test-set and --language-pair")
    metrics = source.metrics or "reference"
    named = [] if metrics == "none" else [name.strip() for name in metrics.split(",")]
    return ss.read_mtme(
        directory,
        source.test_set,
        source.language_pair,
        human=source.human or "mqm",
        reference=source.reference or "refA",
        metrics=metrics if metrics in _KINDS else named,
        lower_is_better=source.lower_is_better,
        include=source.include,
        exclude=source.exclude,
    )


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
