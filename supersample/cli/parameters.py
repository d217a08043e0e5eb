"""Groups of options, each declared once as a dataclass, and the decorator that spreads them."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import say
from supersample.cli.effects import Effect, beside
from supersample.cli.options import (
    ConfidenceLevel,
    HumanMeanOption,
    Hybrids,
    MaskOption,
    Out,
    Overwrite,
    Pairs,
    Quiet,
    Seed,
    Share,
    Unit,
    checked_folder,
    parsed_share,
)
from supersample.errors import InputError

if TYPE_CHECKING:
    from supersample.execution.workers.workers import Workers
    from supersample.results.figures import Figures

RandomOption = Annotated[
    Literal["systems", "segments", "documents", "systems+segments", "systems+documents"] | None,
    typer.Option(help="What the bootstrap draws with replacement, the same for all scorers."),
]
Distribution = Literal["normal", "skewed", "heavy-tailed", "log-normal", "uneven"]
Replicates = Annotated[int, typer.Option(help="Samples of each size.")]
METRIC_R = "Correlation of the first metric's true scores with people's."
OTHER_R = "Correlation of the second metric with people."
BOTH_R = "Correlation of both metrics with each other."


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter of a command whose type is a dataclass by the options of its fields.

    The command gets the dataclass; below `with_source`, where a command has both decorators. The
    attribute ``EFFECTS`` of the class says when its options have an effect.
    """
    parameters = inspect.signature(command).parameters
    groups: dict[str, Any] = {
        name: parameter.annotation
        for name, parameter in parameters.items()
        if is_dataclass(parameter.annotation)
    }

    def run(*arguments: Any, **options: Any) -> None:
        for name, group in groups.items():
            options[name] = group(**{each.name: options.pop(each.name) for each in fields(group)})
        command(*arguments, **options)

    spread: list[inspect.Parameter] = []
    for name, parameter in parameters.items():
        spread += map(_parameter, fields(groups[name])) if name in groups else [parameter]
    run.__signature__ = inspect.Signature(spread)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in spread}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    effects = (getattr(group, "EFFECTS", {}) for group in groups.values())
    run.effects = {name: each for one in effects for name, each in one.items()}  # type: ignore[attr-defined]
    return run


def _parameter(field: "Field[Any]") -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, kind, default=default, annotation=field.type)


@dataclass(frozen=True)
class Output:
    """Where results go: to a folder, refused if it cannot be used, and to the terminal."""

    out: Out = None
    overwrite: Overwrite = False
    quiet: Quiet = False
    EFFECTS: ClassVar[Mapping[str, Effect]] = {"overwrite": beside("out")}

    def __post_init__(self) -> None:
        checked_folder(self.out, self.overwrite)  # before any work is spent

    def say(self, *lines: str) -> None:
        """Tell the person at the terminal, unless they want quiet."""
        say(*lines, quiet=self.quiet)

    def write(self, writer: Callable[..., list[str]], *results: Any, **options: Any) -> list[str]:
        """Write results to the folder, if there is one, and list the files."""
        if self.out is None:
            return []
        written = writer(self.out, *results, **options)
        self.say(f"written to {self.out}: {', '.join(written)}")
        return written


@dataclass(frozen=True)
class FigureOutput(Output):
    """Where results go, and which figures are among them."""

    figures: Annotated[
        str,
        typer.Option(
            metavar="[main|all|none|NAMES]",
            help="With --out, figures to draw: those that matter most, all, none, or names with "
            "commas between, such as forest,scatter.",
        ),
    ] = "main"
    figure_width: Annotated[
        str,
        typer.Option(
            metavar="[acl1|acl2|INCHES]",
            help="Width of figures: a column (3.03 inches) or a page (6.3) of ACL's style, or "
            "inches.",
        ),
    ] = "acl2"
    EFFECTS: ClassVar = {**Output.EFFECTS, "figures": beside("out"), "figure_width": beside("out")}

    def __post_init__(self) -> None:
        """Check the folder, the names and the width."""
        super().__post_init__()
        if self.out is not None:
            self._figures().check_kinds()

    def write(self, writer: Callable[..., list[str]], *results: Any, **options: Any) -> list[str]:
        """Write results and figures to the folder, if there is one, and list the files."""
        if self.out is None:
            return []
        written = super().write(writer, *results, figures=self._figures(), **options)
        left_out = getattr(written, "left_out", ())
        if left_out and self.figures == "main":
            self.say(f"figures that --figures all adds: {', '.join(left_out)}")
        return written

    def _figures(self) -> "Figures":
        from supersample.results.figures import Figures

        return Figures(self.figures, self.figure_width)


@dataclass(frozen=True)
class SystemOptions:
    """How original systems are scored, and the level of intervals and tests over them."""

    mask: MaskOption = "common"
    human_mean: HumanMeanOption = "ratings"
    confidence_level: ConfidenceLevel = 0.95


@dataclass(frozen=True)
class HybridOptions:
    """How hybrids are built."""

    hybrids: Hybrids = 10_000
    seed: Seed = 0
    pairs: Pairs = "balanced"
    share: Share = "0.5"
    unit: Unit = "segment"
    mask: MaskOption = "common"

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of verbs that build hybrids of two systems."""
        from supersample.engine.designs.pairs import PairHybrids

        design = PairHybrids(self.pairs, parsed_share(self.share), self.unit)
        return {"n": self.hybrids, "seed": self.seed, "design": design, "mask": self.mask}


@dataclass(frozen=True)
class WorkerOptions:
    """Who computes."""

    scheduler: Annotated[
        str,
        typer.Option(
            metavar="[threads|processes|synchronous|slurm|tcp://HOST:PORT]",
            help="Who computes; the results are the same bits.",
        ),
    ] = "threads"
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Threads, processes, or jobs of SLURM.  [default: processors; one job]"
        ),
    ] = None
    memory: Annotated[str | None, typer.Option(help="Of a job of SLURM: 4GB.")] = None
    walltime: Annotated[str | None, typer.Option(help="Of a job of SLURM: 01:00:00.")] = None
    queue: Annotated[str | None, typer.Option(help="SLURM's partition.")] = None

    def parsed(self) -> "Workers":
        """Make the workers."""
        from supersample.execution.workers.workers import Workers

        return Workers(self.scheduler, self.workers, self.memory, self.walltime, self.queue)


@dataclass(frozen=True)
class PartOptions:
    """Which part of a run this process computes."""

    part: Annotated[int | None, typer.Option(help="Compute part K of --parts alone, from 1.")] = (
        None
    )
    parts: Annotated[
        int | None, typer.Option(help="Number of processes that compute a part each.")
    ] = None

    def parsed(self) -> tuple[int, int] | None:
        """Part and number of parts, None for the whole run."""
        if self.part is None and self.parts is None:
            return None
        if self.part is None or self.parts is None:
            raise InputError("--part and --parts go together")
        return self.part, self.parts


@dataclass(frozen=True)
class NoiseOptions:
    """Scores of segments about those of their system, in a simulated population."""

    segment_deviation: Annotated[
        float,
        typer.Option(help="Standard deviation of segments' scores within a system, in systems'."),
    ] = 6.0
    shared_noise: Annotated[
        float, typer.Option(help="Correlation of segments' noise between any two scorers.")
    ] = 0.3


def correlation_matrix(r: float, other_r: float, metric_r: float) -> list[list[float]]:
    """All scorers' correlations: people, first metric, second metric."""
    return [[1.0, r, other_r], [r, 1.0, metric_r], [other_r, metric_r, 1.0]]
