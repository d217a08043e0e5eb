"""``supersample rank``: metrics by their agreement with people, and presets of it.

``spa``, ``segments`` and ``compare`` are ``rank`` with other defaults.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import COMPUTATION, OPTIONS, SCORES, TESTS, Values, app
from supersample.cli.options import (
    Alternative,
    ConfidenceLevel,
    HybridOptions,
    Means,
    ReportOutput,
    Shown,
    Texts,
    Units,
    WorkerOptions,
    named_options,
    pairs_of,
)
from supersample.cli.sources import CorpusMetrics, Reader, is_grouped, run_of, warn_of_copies
from supersample.errors import InputError, check_choice, options_of

if TYPE_CHECKING:
    from supersample.measures.base import Measure

app.presets |= {
    "spa": ("rank", {"measure": ["SPA,PA"]}),
    "segments": ("rank", {"measure": ["acc_eq/item,pdp/item,pearson/none"]}),
    "compare": ("rank", {"hybrids": 0}),
}
METHODS = ("student", "percentile", "bca", "inputs", "systems", "both")
"""With --measure or --random, how metrics are compared: by a bootstrap, or by swaps."""


def _kind(values: Values) -> str:
    """Kind of ranking: it decides which options have an effect."""
    grouped = is_grouped(values) or bool(values["by"]) or len(values["human"] or []) > 1
    if run_of(values) and not values["random"]:
        return "run"
    if values["measure"] or values["random"]:
        return "measures over sets" if grouped else "measures"
    if grouped:
        return "sets"
    return "systems" if values["hybrids"] == 0 else "hybrids"


_SAID = {
    "run": "does not go with a run, whose hybrids are built already",
    "measures over sets": "does not go with --measure or --random",
    "measures": "does not go with --measure or --random of one set",
    "sets": "does not go with r over several sets",
    "hybrids": "does not go with r over hybrids of one set",
    "systems": "does not go with r over systems alone (compare, --hybrids 0)",
}
_MEASURES, _SETS = ("measures", "measures over sets"), ("sets", "measures over sets")
_UNBUILT = tuple(kind for kind in _SAID if kind != "run")
_TAKEN = {
    "hybrids": ("sets", "hybrids", "systems"),
    "design": ("sets", "hybrids"),
    **dict.fromkeys(
        ("seed", "mask", "exclude", "only", "ratings", "human_mean", "corpus_metric"), _UNBUILT
    ),
    **dict.fromkeys(("by", "weight"), _SETS),
    "in_at_least": ("sets",),
    "stream": ("hybrids",),
    **dict.fromkeys(("measure", "resamples"), _MEASURES),
    "method": tuple(kind for kind in _SAID if kind != "sets"),
    "alternative": (*_MEASURES, "systems"),
    **dict.fromkeys(("scheduler", "workers"), (*_MEASURES, "sets", "hybrids", "run")),
}
"""Kinds of ranking in which an option has an effect; options that are not named have one in all."""


def _idle(values: Values) -> Mapping[str, str]:
    """Find options without effect on this kind of ranking."""
    kind = _kind(values)
    idle = {name: _SAID[kind] for name, kinds in _TAKEN.items() if kind not in kinds}
    if values["hybrids"] == 0:
        idle.pop("hybrids", None)  # no hybrids are built anyway
    if values["measure"]:
        idle["human_mean"] = "is an option of a measure, as in pearson:human_mean=segments"
    if values["random"]:
        idle["alternative"] = "is for tests, and --random gives intervals"
    return idle


def _formula(name: str | None) -> dict[str, Any]:
    """Keyword argument of a test or interval by formula."""
    if name is None:
        return {}
    from supersample.inference.two_correlations import OVERLAPPING

    if name in METHODS:
        text = f"--method {name} goes with --measure or --random; without them there are "
        raise InputError(text + ", ".join(OVERLAPPING))
    check_choice("--method", name, OVERLAPPING)
    return {"method": name}


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Groups that metrics are ranked in, and how they are averaged.

    Parameters
    ----------
    by
        Rank in each domain or document, and on average.
    weight : GROUP=NUMBER
        Weight of a group in the average, 1 by default; A,B.
    in_at_least : N
        Rank metrics that at least N groups have; two metrics are compared over the groups that have
        both.  [default: metrics that all groups have]
    """

    PANEL: ClassVar = SCORES
    by: Literal["domain", "document"] | None = None
    weight: Texts = None
    in_at_least: int | None = None

    @property
    def weights(self) -> dict[str, float]:
        """Weight of each group."""
        found: dict[str, float] = pairs_of(self.weight, "weight", float)
        return found

    def chosen(self) -> dict[str, Any]:
        """Keyword arguments of `compare_groups`."""
        return {"by": self.by, "in_at_least": self.in_at_least, "weights": self.weights}


@dataclass(frozen=True, kw_only=True)
class Question:
    """The measure that ranks metrics, and the intervals or tests that compare them.

    Parameters
    ----------
    measure : NAME[:OPTION=VALUE,...]
        Rank by this measure instead of r: spearman, kendall, PA, SPA; or of translations
        STATISTIC/GROUPING, such as acc_eq/item, pdp/item, pearson/none. With options, as in
        SPA:p_values=monte_carlo,permutations=999;
        A,B, the first one orders metrics.
    random : UNITS
        Print intervals that treat these as a random sample: systems, segments, documents,
        systems+segments or systems+documents. No hybrids are drawn.
    method : NAME[:OPTION=VALUE,...]
        With --random a bootstrap: student, percentile or bca. With --measure alone what two
        metrics swap: inputs (the default), systems or both, as in
        inputs:estimator=k/B,ties=floating_point. r over systems has formulas: fisher-jackknife
        (the default), williams1959 and others. Without both options, the test or interval over
        hybrids, by default zou2007.
    resamples
        Number of replicates of a bootstrap [default: 999], or of swaps of every two metrics
        [default: 1,000].
    """

    PANEL: ClassVar = TESTS
    measure: Annotated[Texts, typer.Option("--measure", "-m", rich_help_panel=OPTIONS)] = None
    random: Annotated[Units | None, typer.Option(rich_help_panel=OPTIONS)] = None
    method: Annotated[str | None, typer.Option(rich_help_panel=OPTIONS)] = None
    alternative: Alternative = "two-sided"
    resamples: int | None = None

    def measures(self, human_mean: Any) -> "list[Measure]":
        """Make the measures, r if none is named."""
        from supersample.measures.registry import as_measure

        if not self.measure:
            return [as_measure("pearson", human_mean=human_mean)]
        named = [options_of(text, "--measure") for text in self.measure]
        return [as_measure(name, **options) for name, options in named]

    def of_measures(self) -> dict[str, Any]:
        """Keyword arguments of `rank_by_measures`."""
        taken = () if self.random else ("estimator", "ties")
        method, options = named_options(self.method or "", "method", taken)
        options |= {"random": self.random, "method": method or None, "resamples": self.resamples}
        return options if self.random else options | {"alternative": self.alternative}


@app.command(idle=_idle)
def rank(
    read: Reader,
    groups: Groups,
    *,
    corpus: CorpusMetrics,
    build: HybridOptions,
    means: Means,
    asked: Question,
    confidence_level: ConfidenceLevel = 0.95,
    workers: WorkerOptions,
    stream: Annotated[bool, typer.Option("--stream", rich_help_panel=COMPUTATION)] = False,
    shown: Shown,
    output: ReportOutput,
) -> None:
    """Rank metrics by their correlation with people.

    Correlates every metric with the human scores over the systems (--measure takes another measure
    of agreement). Says how far each metric is behind the best one and which metrics could be the
    best, corrected for comparing all metrics. --hybrids N also prints r over N hybrid systems. If
    DATA is a run, its stored hybrids are used. Of several DATA, of several language pairs, or with
    --by, ranks metrics in each and on average.

    spa is rank --measure SPA,PA (soft pairwise accuracy); segments is rank --measure
    acc_eq/item,pdp/item,pearson/none (translations of one segment); compare is rank --hybrids 0
    (r over the systems alone).

    Parameters
    ----------
    stream
        Discard hybrids as soon as they are counted: memory stays the same for any number of them,
        but there is no scatter figure.
    """
    from supersample.comparisons import rankings as pipelines
    from supersample.comparisons.question import Question as Asked
    from supersample.comparisons.rank_systems import pairs_told_apart
    from supersample.measures.systems import Correlation

    groups_of = (read, groups, asked, build)
    kind = _kind({name: value for group in groups_of for name, value in vars(group).items()})
    of_systems = kind in ("hybrids", "systems", "sets") or asked.random == "systems"
    scores = read.groups(corpus, means if of_systems and not groups.by else None)
    warn_of_copies(scores)
    if kind == "hybrids" and "segment" not in scores.dims:
        if build.hybrids or build.design != "pairs" or stream:
            raise InputError("these scores are of whole systems, which make no hybrids")
        kind = "systems"
    measures = asked.measures(means.human_mean) if kind in _MEASURES else None
    options = {"confidence_level": confidence_level, **_options(kind, groups, build, means, asked)}
    if kind != "systems":
        options |= {"progress": not output.quiet, "workers": workers.parsed()}
    of_hybrids: dict[str, Any] = {"run": read.run} if kind == "run" else {}
    of_hybrids |= {"keep": "correlations"} if stream else {}
    ranked = pipelines.ranked(scores, measures, **options, **of_hybrids)
    if kind == "sets" and build.hybrids != 0 and "hybrids" not in ranked.ranking["basis"]:
        output.say("no hybrids: system-level scores have no segments to mix")
    how: dict[str, Any] = {"by": groups.by, "seed": build.seed, "random": asked.random}
    question = Asked(
        measures or Correlation(means.human_mean), mask=options.get("mask") or means.mask, **how
    )
    told: Any = {"confidence_level": confidence_level, "seed": build.seed}
    told |= {"human_mean": means.human_mean}
    apart = pairs_told_apart(scores, question.mask or "common", **told)
    ranked.ranking.attrs |= {"told_apart": apart} if apart else {}
    output.show_ranking(
        ranked,
        scores,
        question,
        shown,
        of_hybrids=kind == "run" or bool(stream or build.hybrids),
        workers=workers.parsed(),
    )


def _options(
    kind: str, groups: Groups, build: HybridOptions, means: Means, asked: Question
) -> dict[str, Any]:
    """Keyword arguments of `ranked` for a kind of ranking."""
    if kind in _MEASURES:
        mask = means.mask if asked.measure else means.mask or "common"
        own = {"by": groups.by, "mask": mask, "seed": build.seed, "weights": groups.weights}
        return asked.of_measures() | own
    options = _formula(asked.method)
    if kind == "run":
        return options
    options |= means.chosen() | build.chosen()
    if kind == "systems":
        del options["design"]
        return options | {"alternative": asked.alternative, "n": 0}
    return options | (groups.chosen() if kind == "sets" else {})
