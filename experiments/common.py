"""What the experiments share: the data root, published figures beside ours, and the way to run."""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import xarray as xr

from experiments.data import data_folder, missing, require
from supersample.errors import InputError
from supersample.presentation.table import Column, Table, Value, to_csv, to_markdown
from supersample.results.outputs import Figures, Results, write_results

ROOT = Path(__file__).parents[1]
DATA = data_folder(ROOT / ".." / "shared" / "data")
OUT = ROOT / "experiments" / "out"


@dataclass(frozen=True)
class Check:
    """A published figure beside ours.

    Numbers agree when they differ by no more than half a unit of the last of `digits` decimals;
    counts and text when they are equal.
    """

    where: str
    what: str
    published: Value
    ours: Value
    digits: int = 0
    must_agree: bool = True

    @property
    def difference(self) -> float | None:
        """Ours less the published number; None where one of them is no number."""
        if isinstance(self.published, float | int) and isinstance(self.ours, float | int):
            return self.ours - self.published
        return None

    @property
    def agrees(self) -> bool:
        """Whether the two are the same to the digits that were printed."""
        if self.difference is None:
            return self.published == self.ours
        return abs(self.difference) <= 0.5 * 10.0**-self.digits

    @property
    def verdict(self) -> str:
        """What the last column of the table says."""
        if not self.must_agree:
            return "reported"
        return "agrees" if self.agrees else "DIFFERS"

    def row(self) -> tuple[Value, ...]:
        """Cells for the table of checks."""
        shown = [_rounded(x, self.digits) for x in (self.published, self.ours, self.difference)]
        return (self.where, self.what, *shown, self.verdict)


def reported(where: str, what: str, published: Value, ours: Value, digits: int = 0) -> Check:
    """Make a check that is shown, and need not agree."""
    return Check(where, what, published, ours, digits, must_agree=False)


@dataclass
class Part:
    """What one table or figure of a paper comes to."""

    checks: list[Check]
    results: Results = field(default_factory=Results)


def run(paper: ModuleType, arguments: Sequence[str] | None = None, kept: Path | None = None) -> int:
    """Reproduce a paper, write what it makes, print the checks; 1 if one that must agree does not.

    The module has a docstring, ``NEEDS``, the sets of `experiments/data.toml` that it reads, and
    ``reproduce(data, smoke=...)``, which gives the parts. Numbers go to `kept` too, a folder of
    committed results, in full size and without ``--out``.
    """
    parser = argparse.ArgumentParser(description=(paper.__doc__ or "").splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    parser.add_argument("--out", type=Path, help="folder for tables and figures")
    options = parser.parse_args(arguments)
    require(DATA, *getattr(paper, "NEEDS", ()))
    name = paper.__name__.split(".")[-2]
    out = options.out or OUT / name
    start = time.perf_counter()
    try:
        parts = paper.reproduce(DATA, smoke=options.smoke)
    except FileNotFoundError as error:
        missing(DATA, Path(error.filename))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    drawn = [name for part in parts for name in part.results.figures]
    if options.smoke:
        drawn = drawn[:1]
    written = [
        file
        for part in parts
        for file in write_results(out, part.results, figures=_of(part, drawn))
    ]
    checks = [check for part in parts for check in part.checks]
    table = checks_table(name, checks)
    write_results(out, Results(numbers={"checks": table}, pages={"checks": table}))
    if kept is not None and not options.smoke and options.out is None:
        kept.mkdir(parents=True, exist_ok=True)
        for part in parts:
            for name, table in part.results.numbers.items():
                (kept / f"{name}.csv").write_text(to_csv(table), encoding="utf-8")
    seconds = time.perf_counter() - start
    print(to_markdown(table))
    print(f"{len(written)} files in {out}, {seconds:.0f} s\n")
    return int(any(check.verdict == "DIFFERS" for check in checks))


def _of(part: Part, drawn: Sequence[str]) -> Figures:
    """Choose a part's figures among those that are drawn."""
    return Figures(",".join(name for name in part.results.figures if name in drawn) or "none")


def checks_table(name: str, checks: Sequence[Check]) -> Table:
    """Lay published beside ours, one row a check."""
    headings = ("where", "what", "published", "ours", "difference", "verdict")
    return Table(
        tuple(Column(heading, heading) for heading in headings),
        tuple(check.row() for check in checks),
        caption=f"{name}: published beside ours",
    )


def out_of_order(correlations: xr.Dataset, published: Sequence[str]) -> int:
    """How many metrics have a higher r than the one published before them."""
    r = (
        correlations["value"]
        .isel(measure=0, basis=0, group=0)
        .sel(metric=list(published))
        .to_numpy()
    )
    return int((r[1:] > r[:-1]).sum())


def pairs(metrics: int) -> int:
    """How many pairs some metrics form."""
    return metrics * (metrics - 1) // 2


def _rounded(value: Value, digits: int) -> Value:
    """Two digits more than print has, so that a difference can be seen."""
    return f"{value:.{digits + 2}f}" if isinstance(value, float) else value
