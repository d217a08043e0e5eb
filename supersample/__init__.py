"""supersample: which automatic metric agrees best with people, and how sure can we be.

>>> import supersample as ss
>>> sample = ss.hybrid_supersample(ss.load_example(), n=1000, seed=0)
>>> ranking = ss.rank(ss.compare_correlations(sample, method="zou2007"))
"""

import ast
import importlib
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from supersample.comparisons.ablations import ablate_segments as ablate_segments
    from supersample.comparisons.ablations import ablate_systems as ablate_systems
    from supersample.comparisons.compare import agreement as agreement
    from supersample.comparisons.compare import compare as compare
    from supersample.comparisons.components import accuracy_components as accuracy_components
    from supersample.comparisons.components import components_of_groups as components_of_groups
    from supersample.comparisons.components import (
        leave_one_out_accuracies as leave_one_out_accuracies,
    )
    from supersample.comparisons.correlations.averages import (
        compare_over_groups as compare_over_groups,
    )
    from supersample.comparisons.correlations.correlate import correlate as correlate
    from supersample.comparisons.correlations.differences import (
        compare_correlations as compare_correlations,
    )
    from supersample.comparisons.correlations.from_numbers import (
        compare_independent as compare_independent,
    )
    from supersample.comparisons.correlations.from_numbers import (
        compare_non_overlapping as compare_non_overlapping,
    )
    from supersample.comparisons.correlations.from_numbers import (
        compare_overlapping as compare_overlapping,
    )
    from supersample.comparisons.correlations.human_only import (
        human_only_intervals as human_only_intervals,
    )
    from supersample.comparisons.correlations.infer import infer as infer
    from supersample.comparisons.correlations.influence import leave_one_out as leave_one_out
    from supersample.comparisons.correlations.interval_methods import (
        IntervalMethod as IntervalMethod,
    )
    from supersample.comparisons.correlations.simultaneous import (
        compare_over_systems as compare_over_systems,
    )
    from supersample.comparisons.correlations.streaming import (
        stream_correlations as stream_correlations,
    )
    from supersample.comparisons.rankings import rank as rank
    from supersample.comparisons.scatters import translation_scores as translation_scores
    from supersample.engine.designs.mix import MixHybrids as MixHybrids
    from supersample.engine.designs.pairs import PairHybrids as PairHybrids
    from supersample.errors import ApproximationWarning as ApproximationWarning
    from supersample.errors import DegenerateScoreWarning as DegenerateScoreWarning
    from supersample.errors import InputError as InputError
    from supersample.errors import OrientationWarning as OrientationWarning
    from supersample.errors import UncheckedWarning as UncheckedWarning
    from supersample.execution.workers.workers import Workers as Workers
    from supersample.execution.workers.workers import connect as connect
    from supersample.hybrids.assignments import add_hybrid_scores as add_hybrid_scores
    from supersample.hybrids.assignments import assignment_blocks as assignment_blocks
    from supersample.hybrids.assignments import hybrid_assignments as hybrid_assignments
    from supersample.hybrids.exact import exact_hybrid_correlations as exact_hybrid_correlations
    from supersample.hybrids.population import HybridPopulation as HybridPopulation
    from supersample.hybrids.run_progress import RunStatus as RunStatus
    from supersample.hybrids.run_progress import open_run as open_run
    from supersample.hybrids.run_progress import run_status as run_status
    from supersample.hybrids.runs import resume_run as resume_run
    from supersample.hybrids.runs import run_hybrids as run_hybrids
    from supersample.hybrids.runs import run_options as run_options
    from supersample.hybrids.samples import hybrid_supersample as hybrid_supersample
    from supersample.hybrids.samples import possible_hybrids as possible_hybrids
    from supersample.inference.one_correlation.distribution_of_r import density_of_r as density_of_r
    from supersample.inference.one_correlation.distribution_of_r import (
        distribution_function_of_r as distribution_function_of_r,
    )
    from supersample.inference.one_correlation.distribution_of_r import moments_of_r as moments_of_r
    from supersample.inference.one_correlation.distribution_of_r import (
        quantile_of_r as quantile_of_r,
    )
    from supersample.measures.base import Measure as Measure
    from supersample.measures.p_values import PValues as PValues
    from supersample.measures.pairs import PairwiseAccuracy as PairwiseAccuracy
    from supersample.measures.pairs import SoftPairwiseAccuracy as SoftPairwiseAccuracy
    from supersample.measures.registry import as_measure as as_measure
    from supersample.measures.registry import measure_names as measure_names
    from supersample.measures.registry import register_measure as register_measure
    from supersample.measures.systems import Correlation as Correlation
    from supersample.measures.systems import MeanError as MeanError
    from supersample.measures.systems import SystemMeasure as SystemMeasure
    from supersample.measures.translations import TranslationMeasure as TranslationMeasure
    from supersample.presentation.figures.accuracies import (
        plot_segments_ablation as plot_segments_ablation,
    )
    from supersample.presentation.figures.accuracies import (
        plot_systems_ablation as plot_systems_ablation,
    )
    from supersample.presentation.figures.accuracies import plot_ties as plot_ties
    from supersample.presentation.figures.forests import plot_differences as plot_differences
    from supersample.presentation.figures.forests import plot_forest as plot_forest
    from supersample.presentation.figures.influence import plot_influence as plot_influence
    from supersample.presentation.figures.matrices import plot_correlations as plot_correlations
    from supersample.presentation.figures.matrices import plot_significance as plot_significance
    from supersample.presentation.figures.matrices import plot_wins as plot_wins
    from supersample.presentation.figures.quality_estimation import (
        plot_predictions as plot_predictions,
    )
    from supersample.presentation.figures.quality_estimation import plot_shades as plot_shades
    from supersample.presentation.figures.sampling import plot_coverage as plot_coverage
    from supersample.presentation.figures.sampling import plot_power as plot_power
    from supersample.presentation.figures.sampling import plot_rejections as plot_rejections
    from supersample.presentation.figures.sampling import (
        plot_sampling_distribution as plot_sampling_distribution,
    )
    from supersample.presentation.figures.scatters import plot_scatter as plot_scatter
    from supersample.quality_estimation.evaluation import (
        evaluate_predictions as evaluate_predictions,
    )
    from supersample.quality_estimation.evaluation import to_post_edit_rates as to_post_edit_rates
    from supersample.quality_estimation.rescaling import rescaling_study as rescaling_study
    from supersample.readers.added_metrics import add_metric as add_metric
    from supersample.readers.mqm import read_mqm as read_mqm
    from supersample.readers.mtme import read_mtme as read_mtme
    from supersample.readers.predictions import read_predictions as read_predictions
    from supersample.readers.public_sets.fetching import fetch as fetch
    from supersample.readers.public_sets.fetching import public_sets as public_sets
    from supersample.readers.ratings import read_appraise as read_appraise
    from supersample.readers.ratings import read_ratings as read_ratings
    from supersample.readers.registry import ScoreReader as ScoreReader
    from supersample.readers.registry import read_scores as read_scores
    from supersample.readers.registry import register_reader as register_reader
    from supersample.readers.score_columns import read_score_columns as read_score_columns
    from supersample.readers.systems import read_system_scores as read_system_scores
    from supersample.readers.tables import read_table as read_table
    from supersample.readers.texts import read_mtme_texts as read_mtme_texts
    from supersample.readers.texts import read_texts as read_texts
    from supersample.readers.wmt import read_wmt as read_wmt
    from supersample.readers.xarray_files import read_dataset as read_dataset
    from supersample.results.baseline import compare_to_baseline as compare_to_baseline
    from supersample.results.frames import to_frame as to_frame
    from supersample.results.frames import to_latex as to_latex
    from supersample.results.report import write_report as write_report
    from supersample.sampling.coverage import Setting as Setting
    from supersample.sampling.coverage import coverage as coverage
    from supersample.sampling.distributions import sampling_distribution as sampling_distribution
    from supersample.sampling.intervals import intervals_of_r as intervals_of_r
    from supersample.sampling.planning import fit_score_population as fit_score_population
    from supersample.sampling.planning import plan as plan
    from supersample.sampling.population_sources import finite_population as finite_population
    from supersample.sampling.population_sources import fit_population as fit_population
    from supersample.sampling.population_sources import hypothetical_systems as hypothetical_systems
    from supersample.sampling.populations import CopulaPopulation as CopulaPopulation
    from supersample.sampling.populations import FinitePopulation as FinitePopulation
    from supersample.sampling.populations import NormalPopulation as NormalPopulation
    from supersample.sampling.procedures import DependentTest as DependentTest
    from supersample.sampling.score_populations import ScorePopulation as ScorePopulation
    from supersample.sampling.sweeps import SweepStatus as SweepStatus
    from supersample.sampling.sweeps import sweep as sweep
    from supersample.sampling.sweeps import sweep_status as sweep_status
    from supersample.scores.corpus.adding import add_corpus_metrics as add_corpus_metrics
    from supersample.scores.corpus.metrics import Texts as Texts
    from supersample.scores.corpus.sacrebleu_metrics import BLEU as BLEU
    from supersample.scores.corpus.sacrebleu_metrics import TER as TER
    from supersample.scores.corpus.sacrebleu_metrics import ChrF as ChrF
    from supersample.scores.inspection import inspect_scores as inspect_scores
    from supersample.scores.predictions import make_predictions as make_predictions
    from supersample.scores.quality_control import check_assessors as check_assessors
    from supersample.scores.quality_control import keep_reliable as keep_reliable
    from supersample.scores.quality_control import prepare_ratings as prepare_ratings
    from supersample.scores.quality_control import standardize_ratings as standardize_ratings
    from supersample.scores.rated_scores import place_ratings as place_ratings
    from supersample.scores.rated_scores import rate_scores as rate_scores
    from supersample.scores.ratings import average_ratings as average_ratings
    from supersample.scores.ratings import make_ratings as make_ratings
    from supersample.scores.schema import make_scores as make_scores
    from supersample.scores.schema import validate_scores as validate_scores
    from supersample.scores.selection import keep_metrics as keep_metrics
    from supersample.scores.selection import keep_systems as keep_systems
    from supersample.scores.selection import select_segments as select_segments
    from supersample.scores.simulation import load_example as load_example
    from supersample.scores.simulation import simulate_scores as simulate_scores
    from supersample.scores.system_level import make_system_scores as make_system_scores
    from supersample.scores.system_level import outlier_systems as outlier_systems
    from supersample.scores.system_level import system_level_scores as system_level_scores
    from supersample.scores.writing import write_scores as write_scores
    from supersample.tasks.definitions import read_tasks as read_tasks
    from supersample.tasks.definitions import task_names as task_names
    from supersample.tasks.running import run_tasks as run_tasks


def _keep_compiled_code() -> None:
    """Let numba cache in a folder of this process where it may write to none of its usual ones.

    These are the package's and the user's; without one numba refuses to compile. NUMBA_CACHE_DIR
    names one that stays. Worker processes share what this process has.
    """
    if os.environ.get("NUMBA_CACHE_DIR") or os.access(Path(__file__).parent, os.W_OK):
        return
    import atexit
    import shutil
    import tempfile

    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache):
            return
    except (OSError, RuntimeError):  # a user that the system does not know has no home
        folder = tempfile.mkdtemp(prefix="supersample-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = folder


_keep_compiled_code()


@cache
def _homes() -> dict[str, str]:
    """Read the module of each public name from the imports above, so that names stand once."""
    block = next(
        node
        for node in ast.parse(Path(__file__).read_text("utf-8")).body
        if isinstance(node, ast.If)
    )
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def __getattr__(name: str) -> object:
    # loaded when first used, so that importing the package, and the command's help, stay quick
    if name == "__all__":
        return sorted(_homes())
    if name == "__version__":
        from importlib.metadata import version

        return version("supersample")
    if name not in _homes():
        raise AttributeError(f"module 'supersample' has no attribute '{name}'")
    return getattr(importlib.import_module(_homes()[name]), name)


def __dir__() -> list[str]:
    return sorted(["__version__", *_homes()])
