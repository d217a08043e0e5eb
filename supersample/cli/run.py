"""``supersample run``: hybrids of any number, into a store, and how far they are."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from supersample.cli.app import COMPUTATION, OUTPUT, Values, app, echo, say, stoppable
from supersample.cli.options import HybridOptions, Means, Quiet, WorkerOptions
from supersample.cli.sources import SOURCE_OPTIONS, Reader
from supersample.errors import InputError, check_count, quoted

if TYPE_CHECKING:
    from supersample.hybrids.resuming import RunStatus

HYBRIDS_OF_A_RUN = 1_000_000
_TARGETS = ("out", "resume", "status")


@dataclass(frozen=True, kw_only=True)
class Target:
    """The task: exactly one of the options --out, --resume and --status.

    Parameters
    ----------
    out
        Zarr store for the hybrids, or its URL s3://...; an existing run is continued.
    resume : RUN
        Continue this run, with the scores that it holds: compute the chunks that are missing or
        damaged. --hybrids makes it longer.
    status : RUN
        Print how much of this run is done.
    """

    PANEL: ClassVar = OUTPUT
    out: Annotated[str | None, typer.Option(metavar="PATH")] = None
    resume: str | None = None
    status: str | None = None
    quiet: Quiet = False

    def check(self, read: Reader) -> None:
        """Refuse none or several of them, and a source of scores for a run that has begun."""
        given = [name for name in _TARGETS if getattr(self, name) is not None]
        if len(given) != 1:
            raise InputError("name one: --out PATH, --resume RUN, --status RUN")
        if given[0] in ("resume", "status") and read.data:
            raise InputError(f"--{given[0]} RUN has its scores; leave the source of scores out")


def _idle(values: Values) -> Mapping[str, str]:
    """Find options without effect on this task."""
    idle: dict[str, str] = {}
    if values["resume"] or values["status"]:
        why = "does not go with --resume or --status: the run has it"
        idle |= dict.fromkeys((*SOURCE_OPTIONS, "seed", "design", "mask"), why)
    if not (values["out"] or values["resume"]):
        names = ("scheduler", "workers", "part")
        idle |= dict.fromkeys(names, "goes with --out or --resume")
    if not values["out"]:
        idle |= dict.fromkeys(("chunk", "human_mean"), "goes with --out")
    return idle | ({"hybrids": "does not go with --status"} if values["status"] else {})


@app.command(idle=_idle)
def run(
    read: Reader,
    *,
    target: Target,
    build: HybridOptions,
    means: Means,
    chunk: Annotated[int | None, typer.Option(min=1, rich_help_panel=COMPUTATION)] = None,
    workers: WorkerOptions,
    part: Annotated[str | None, typer.Option(rich_help_panel=COMPUTATION)] = None,
) -> None:
    """Compute any number of hybrids and store them, chunk by chunk.

    A run can be stopped at any time; the same command or --resume continues it, and keeps the
    finished chunks. A larger --hybrids makes the run longer. Several processes can share a run by
    --part. Pass the finished store to rank.

    Parameters
    ----------
    chunk
        Number of hybrids in each chunk.  [default: as many as fill 96 MiB]
    part : N/M
        Compute only the part N of M, as in 1/4; other processes compute the others.
    """
    target.check(read)
    who: dict[str, Any] = {
        "part": _part(part),
        "workers": workers.parsed(),
        "progress": not target.quiet,
    }
    if target.status is not None:
        from supersample.hybrids.resuming import run_status

        echo(run_status(target.status))
    elif target.resume is not None:
        from supersample.hybrids.resuming import resume_run

        with stoppable(f"supersample run --resume {target.resume}", Path(target.resume)):
            _say_became(resume_run(target.resume, n=build.hybrids, **who), target)
    elif target.out is not None:
        from supersample.comparisons.rankings import run_warned

        options = {**build.chosen(HYBRIDS_OF_A_RUN), **means.chosen(), "chunk": chunk, **who}
        with stoppable(f"supersample run --resume {target.out}", Path(target.out)):
            _say_became(run_warned(read(), target.out, **options), target)


def _say_became(status: "RunStatus", target: Target) -> None:
    counts = ", ".join(f"{count} {what}" for what, count in sorted(status.became.items()))
    say(f"chunks: {counts or 'none of this part'}", str(status), quiet=target.quiet)


def _part(text: str | None) -> tuple[int, int] | None:
    """Part and number of parts, None for the whole run."""
    if text is None:
        return None
    if not re.fullmatch(r"\d+/\d+", text):
        raise InputError(f"--part takes N/M, as in 1/4, not {quoted(text)}")
    number, parts = map(int, text.split("/"))
    check_count("--part", parts)
    return number, parts
