# The public names by subject, as on the pages of docs/api; each is loaded when it is first used.

# Read scores
from .readers.mtme import read_mtme as read_mtme
from .readers.public_sets.fetching import fetch as fetch, public_sets as public_sets
from .readers.registry import (
    ScoreReader as ScoreReader,
    read_scores as read_scores,
    register_reader as register_reader,
)
from .readers.tables import read_score_columns as read_score_columns
from .readers.tables import read_table as read_table
from .readers.wmt import read_system_scores as read_system_scores, read_wmt as read_wmt
from .readers.xarray_files import read_dataset as read_dataset

# Make, inspect and select scores
from .readers.added_metrics import add_metric as add_metric
from .scores.inspection import inspect_scores as inspect_scores
from .scores.schema import make_scores as make_scores, validate_scores as validate_scores
from .scores.selection import (
    keep_metrics as keep_metrics,
    keep_systems as keep_systems,
    select_segments as select_segments,
)
from .scores.simulation import load_example as load_example, simulate_scores as simulate_scores
from .scores.system_level import (
    make_system_scores as make_system_scores,
    outlier_systems as outlier_systems,
    system_level_scores as system_level_scores,
)
from .scores.writing import write_scores as write_scores

# Raw human ratings
from .readers.ratings import (
    read_appraise as read_appraise,
    read_mqm as read_mqm,
    read_ratings as read_ratings,
)
from .scores.ratings import (
    average_ratings as average_ratings,
    check_assessors as check_assessors,
    keep_reliable as keep_reliable,
    make_ratings as make_ratings,
    place_ratings as place_ratings,
    prepare_ratings as prepare_ratings,
    rate_scores as rate_scores,
    standardize_ratings as standardize_ratings,
)

# Corpus metrics
from .readers.texts import read_mtme_texts as read_mtme_texts, read_texts as read_texts
from .scores.corpus.adding import add_corpus_metrics as add_corpus_metrics
from .scores.corpus.metrics import BLEU as BLEU, ChrF as ChrF, TER as TER, Texts as Texts

# Hybrid systems
from .engine.designs.mix import MixHybrids as MixHybrids
from .engine.designs.pairs import PairHybrids as PairHybrids
from .hybrids.assignments import (
    add_hybrid_scores as add_hybrid_scores,
    assignment_blocks as assignment_blocks,
    hybrid_assignments as hybrid_assignments,
)
from .hybrids.exact import exact_hybrid_correlations as exact_hybrid_correlations
from .hybrids.population import HybridPopulation as HybridPopulation
from .hybrids.samples import (
    hybrid_supersample as hybrid_supersample,
    possible_hybrids as possible_hybrids,
)

# Large runs and workers
from .comparisons.correlations.streaming import stream_correlations as stream_correlations
from .execution.workers.workers import Workers as Workers, connect as connect
from .hybrids.run_progress import (
    RunStatus as RunStatus,
    open_run as open_run,
    run_status as run_status,
)
from .hybrids.runs import (
    resume_run as resume_run,
    run_hybrids as run_hybrids,
    run_options as run_options,
)
from .sampling.sweeps import (
    SweepStatus as SweepStatus,
    sweep as sweep,
    sweep_status as sweep_status,
)

# Compare and rank metrics
from .comparisons.compare import agreement as agreement, compare as compare
from .comparisons.rankings import rank as rank
from .comparisons.correlations.averages import compare_over_groups as compare_over_groups
from .comparisons.correlations.correlate import correlate as correlate
from .comparisons.correlations.differences import compare_correlations as compare_correlations
from .comparisons.correlations.human_only import human_only_intervals as human_only_intervals
from .comparisons.correlations.infer import infer as infer
from .comparisons.correlations.influence import leave_one_out as leave_one_out
from .comparisons.correlations.interval_methods import IntervalMethod as IntervalMethod
from .comparisons.correlations.simultaneous import compare_over_systems as compare_over_systems
from .results.baseline import compare_to_baseline as compare_to_baseline
from .results.frames import show as show, to_frame as to_frame, to_latex as to_latex

# Correlations entered as numbers
from .comparisons.correlations.from_numbers import (
    compare_independent as compare_independent,
    compare_non_overlapping as compare_non_overlapping,
    compare_overlapping as compare_overlapping,
)
from .inference.one_correlation.intervals import (
    density_of_r as density_of_r,
    distribution_function_of_r as distribution_function_of_r,
    moments_of_r as moments_of_r,
    quantile_of_r as quantile_of_r,
)

# Measures of agreement
from .measures.base import Measure as Measure
from .measures.p_values import PValues as PValues
from .measures.pairs import (
    PairwiseAccuracy as PairwiseAccuracy,
    SoftPairwiseAccuracy as SoftPairwiseAccuracy,
)
from .measures.registry import (
    as_measure as as_measure,
    measure_names as measure_names,
    register_measure as register_measure,
)
from .measures.systems import (
    Correlation as Correlation,
    MeanError as MeanError,
    SystemMeasure as SystemMeasure,
)
from .measures.translations import TranslationMeasure as TranslationMeasure

# What measures rest on
from .comparisons.ablations import (
    ablate_segments as ablate_segments,
    ablate_systems as ablate_systems,
)
from .comparisons.components import (
    accuracy_components as accuracy_components,
    components_of_groups as components_of_groups,
    leave_one_out_accuracies as leave_one_out_accuracies,
)
from .comparisons.scatters import translation_scores as translation_scores

# Shared tasks
from .tasks.definitions import read_tasks as read_tasks, task_names as task_names
from .tasks.running import run_tasks as run_tasks

# Sampling distributions, coverage, planning
from .sampling.coverage import (
    DependentTest as DependentTest,
    Setting as Setting,
    coverage as coverage,
    plan as plan,
)
from .sampling.distributions import (
    intervals_of_r as intervals_of_r,
    sampling_distribution as sampling_distribution,
)
from .sampling.fitting import (
    fit_population as fit_population,
    hypothetical_systems as hypothetical_systems,
)
from .sampling.populations import FinitePopulation as FinitePopulation, Population as Population

# Quality estimation
from .quality_estimation.evaluation import (
    evaluate_predictions as evaluate_predictions,
    to_post_edit_rates as to_post_edit_rates,
)
from .quality_estimation.rescaling import rescaling_study as rescaling_study
from .readers.predictions import read_predictions as read_predictions
from .scores.predictions import make_predictions as make_predictions

# Figures and the report
from .presentation.figures.accuracies import (
    plot_segments_ablation as plot_segments_ablation,
    plot_systems_ablation as plot_systems_ablation,
)
from .presentation.figures.forests import (
    plot_differences as plot_differences,
    plot_forest as plot_forest,
)
from .presentation.figures.matrices import (
    plot_correlations as plot_correlations,
    plot_influence as plot_influence,
    plot_significance as plot_significance,
    plot_ties as plot_ties,
    plot_wins as plot_wins,
)
from .presentation.figures.quality_estimation import (
    plot_predictions as plot_predictions,
    plot_shades as plot_shades,
)
from .presentation.figures.sampling import (
    plot_coverage as plot_coverage,
    plot_power as plot_power,
    plot_rejections as plot_rejections,
    plot_sampling_distribution as plot_sampling_distribution,
)
from .presentation.figures.scatters import plot_scatter as plot_scatter
from .results.report import write_report as write_report

# Errors and warnings
from .errors import (
    ApproximationWarning as ApproximationWarning,
    DegenerateScoreWarning as DegenerateScoreWarning,
    InputError as InputError,
    OrientationWarning as OrientationWarning,
    UncheckedWarning as UncheckedWarning,
)

__version__: str
