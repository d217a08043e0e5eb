"""supersample: which automatic metric agrees best with people, and how sure can we be.

>>> import supersample as ss
>>> sample = ss.hybrid_supersample(ss.load_example(), n=1000, seed=0)
>>> ranking = ss.rank(ss.compare_correlations(sample, method="zou2007"))
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from supersample.accuracies import accuracy_components as accuracy_components
    from supersample.accuracies import components_of_groups as components_of_groups
    from supersample.accuracies import pairwise_accuracy as pairwise_accuracy
    from supersample.accuracies import soft_pairwise_accuracy as soft_pairwise_accuracy
    from supersample.accuracy_ablations import ablate_segments as ablate_segments
    from supersample.accuracy_ablations import ablate_systems as ablate_systems
    from supersample.accuracy_comparisons import compare_accuracies as compare_accuracies
    from supersample.added_metrics import add_metric as add_metric
    from supersample.assignments import add_hybrid_scores as add_hybrid_scores
    from supersample.assignments import assignment_blocks as assignment_blocks
    from supersample.assignments import hybrid_assignments as hybrid_assignments
    from supersample.averages import compare_over_groups as compare_over_groups
    from supersample.converting import write_scores as write_scores
    from supersample.corpus_metrics import add_corpus_metrics as add_corpus_metrics
    from supersample.correlations import compare_correlations as compare_correlations
    from supersample.correlations import correlate as correlate
    from supersample.coverage_studies import DependentTest as DependentTest
    from supersample.coverage_studies import Setting as Setting
    from supersample.coverage_studies import coverage as coverage
    from supersample.data.mqm import read_mqm as read_mqm
    from supersample.data.mtme import read_mtme as read_mtme
    from supersample.data.predictions import make_predictions as make_predictions
    from supersample.data.quality_estimation import read_predictions as read_predictions
    from supersample.data.rating_files import read_appraise as read_appraise
    from supersample.data.rating_files import read_ratings as read_ratings
    from supersample.data.ratings import make_ratings as make_ratings
    from supersample.data.schema import make_scores as make_scores
    from supersample.data.schema import validate_scores as validate_scores
    from supersample.data.score_columns import read_score_columns as read_score_columns
    from supersample.data.selection import keep_metrics as keep_metrics
    from supersample.data.selection import keep_systems as keep_systems
    from supersample.data.selection import select_segments as select_segments
    from supersample.data.simulation import load_example as load_example
    from supersample.data.simulation import simulate_scores as simulate_scores
    from supersample.data.tables import read_table as read_table
    from supersample.data.text_metrics import BLEU as BLEU
    from supersample.data.text_metrics import TER as TER
    from supersample.data.text_metrics import ChrF as ChrF
    from supersample.data.texts import Texts as Texts
    from supersample.data.texts import read_mtme_texts as read_mtme_texts
    from supersample.data.texts import read_texts as read_texts
    from supersample.data.wmt import read_wmt as read_wmt
    from supersample.data.xarray_files import read_dataset as read_dataset
    from supersample.declared_intervals import infer as infer
    from supersample.engine.designs import MixHybrids as MixHybrids
    from supersample.engine.designs import PairHybrids as PairHybrids
    from supersample.errors import DegenerateScoreWarning as DegenerateScoreWarning
    from supersample.errors import InputError as InputError
    from supersample.errors import OrientationWarning as OrientationWarning
    from supersample.exact import exact_hybrid_correlations as exact_hybrid_correlations
    from supersample.execution.clients import connect as connect
    from supersample.execution.workers import Workers as Workers
    from supersample.fetching import fetch as fetch
    from supersample.fetching import public_sets as public_sets
    from supersample.given import compare_independent as compare_independent
    from supersample.given import compare_non_overlapping as compare_non_overlapping
    from supersample.given import compare_overlapping as compare_overlapping
    from supersample.human_only import human_only_intervals as human_only_intervals
    from supersample.hybrid_populations import HybridPopulation as HybridPopulation
    from supersample.hybrids import hybrid_supersample as hybrid_supersample
    from supersample.hybrids import possible_hybrids as possible_hybrids
    from supersample.inference.distribution_of_r import density_of_r as density_of_r
    from supersample.inference.distribution_of_r import (
        distribution_function_of_r as distribution_function_of_r,
    )
    from supersample.inference.distribution_of_r import moments_of_r as moments_of_r
    from supersample.inference.distribution_of_r import quantile_of_r as quantile_of_r
    from supersample.influence import leave_one_out as leave_one_out
    from supersample.inspection import inspect_scores as inspect_scores
    from supersample.interval_methods import IntervalMethod as IntervalMethod
    from supersample.planning import fit_score_population as fit_score_population
    from supersample.planning import plan as plan
    from supersample.population_sources import finite_population as finite_population
    from supersample.population_sources import fit_population as fit_population
    from supersample.population_sources import hypothetical_systems as hypothetical_systems
    from supersample.populations import CopulaPopulation as CopulaPopulation
    from supersample.populations import FinitePopulation as FinitePopulation
    from supersample.populations import NormalPopulation as NormalPopulation
    from supersample.quality_estimation import evaluate_predictions as evaluate_predictions
    from supersample.quality_estimation import to_post_edit_rates as to_post_edit_rates
    from supersample.ranking import rank as rank
    from supersample.rated_scores import place_ratings as place_ratings
    from supersample.rated_scores import prepare_ratings as prepare_ratings
    from supersample.rated_scores import rate_scores as rate_scores
    from supersample.ratings import average_ratings as average_ratings
    from supersample.ratings import check_assessors as check_assessors
    from supersample.ratings import keep_reliable as keep_reliable
    from supersample.ratings import standardize_ratings as standardize_ratings
    from supersample.resampling import bootstrap_intervals as bootstrap_intervals
    from supersample.resampling import compare_by_bootstrap as compare_by_bootstrap
    from supersample.rescaling import rescaling_study as rescaling_study
    from supersample.run_columns import run_options as run_options
    from supersample.run_progress import RunStatus as RunStatus
    from supersample.run_progress import open_run as open_run
    from supersample.run_progress import run_status as run_status
    from supersample.runs import resume_run as resume_run
    from supersample.runs import run_hybrids as run_hybrids
    from supersample.sampling import sampling_distribution as sampling_distribution
    from supersample.sampling_intervals import intervals_of_r as intervals_of_r
    from supersample.score_populations import ScorePopulation as ScorePopulation
    from supersample.streaming import stream_correlations as stream_correlations
    from supersample.swapping import compare_by_swapping as compare_by_swapping
    from supersample.sweeps import SweepStatus as SweepStatus
    from supersample.sweeps import sweep as sweep
    from supersample.sweeps import sweep_status as sweep_status
    from supersample.system_files import read_system_scores as read_system_scores
    from supersample.system_level import make_system_scores as make_system_scores
    from supersample.system_level import outlier_systems as outlier_systems
    from supersample.system_level import system_level_scores as system_level_scores
    from supersample.system_p_values import PValues as PValues

# Loaded when first used, so that importing the package, and the command's help, stay quick.
_HOMES = {
    "add_hybrid_scores": "assignments",
    "assignment_blocks": "assignments",
    "hybrid_assignments": "assignments",
    "read_score_columns": "data.score_columns",
    "add_corpus_metrics": "corpus_metrics",
    "BLEU": "data.text_metrics",
    "ChrF": "data.text_metrics",
    "TER": "data.text_metrics",
    "Texts": "data.texts",
    "read_texts": "data.texts",
    "read_mtme_texts": "data.texts",
    "compare_correlations": "correlations",
    "correlate": "correlations",
    "read_mtme": "data.mtme",
    "make_scores": "data.schema",
    "validate_scores": "data.schema",
    "select_segments": "data.selection",
    "load_example": "data.simulation",
    "simulate_scores": "data.simulation",
    "read_table": "data.tables",
    "MixHybrids": "engine.designs",
    "PairHybrids": "engine.designs",
    "exact_hybrid_correlations": "exact",
    "DegenerateScoreWarning": "errors",
    "InputError": "errors",
    "hybrid_supersample": "hybrids",
    "run_hybrids": "runs",
    "resume_run": "runs",
    "open_run": "run_progress",
    "run_status": "run_progress",
    "run_options": "run_columns",
    "RunStatus": "run_progress",
    "Workers": "execution.workers",
    "connect": "execution.clients",
    "possible_hybrids": "hybrids",
    "rank": "ranking",
    "leave_one_out": "influence",
    "outlier_systems": "system_level",
    "make_system_scores": "system_level",
    "compare_overlapping": "given",
    "compare_non_overlapping": "given",
    "compare_independent": "given",
    "bootstrap_intervals": "resampling",
    "compare_by_bootstrap": "resampling",
    "pairwise_accuracy": "accuracies",
    "soft_pairwise_accuracy": "accuracies",
    "accuracy_components": "accuracies",
    "components_of_groups": "accuracies",
    "compare_accuracies": "accuracy_comparisons",
    "ablate_systems": "accuracy_ablations",
    "ablate_segments": "accuracy_ablations",
    "PValues": "system_p_values",
    "make_predictions": "data.predictions",
    "read_predictions": "data.quality_estimation",
    "evaluate_predictions": "quality_estimation",
    "to_post_edit_rates": "quality_estimation",
    "rescaling_study": "rescaling",
    "compare_by_swapping": "swapping",
    "human_only_intervals": "human_only",
    "read_wmt": "data.wmt",
    "read_system_scores": "system_files",
    "make_ratings": "data.ratings",
    "read_ratings": "data.rating_files",
    "read_appraise": "data.rating_files",
    "read_mqm": "data.mqm",
    "check_assessors": "ratings",
    "keep_reliable": "ratings",
    "standardize_ratings": "ratings",
    "average_ratings": "ratings",
    "add_metric": "added_metrics",
    "write_scores": "converting",
    "inspect_scores": "inspection",
    "read_dataset": "data.xarray_files",
    "OrientationWarning": "errors",
    "density_of_r": "inference.distribution_of_r",
    "distribution_function_of_r": "inference.distribution_of_r",
    "moments_of_r": "inference.distribution_of_r",
    "quantile_of_r": "inference.distribution_of_r",
    "finite_population": "population_sources",
    "fit_population": "population_sources",
    "hypothetical_systems": "population_sources",
    "CopulaPopulation": "populations",
    "FinitePopulation": "populations",
    "NormalPopulation": "populations",
    "sampling_distribution": "sampling",
    "place_ratings": "rated_scores",
    "prepare_ratings": "rated_scores",
    "rate_scores": "rated_scores",
    "system_level_scores": "system_level",
    "compare_over_groups": "averages",
    "keep_systems": "data.selection",
    "keep_metrics": "data.selection",
    "fetch": "fetching",
    "public_sets": "fetching",
    "intervals_of_r": "sampling_intervals",
    "stream_correlations": "streaming",
    "HybridPopulation": "hybrid_populations",
    "sweep": "sweeps",
    "sweep_status": "sweeps",
    "SweepStatus": "sweeps",
    "infer": "declared_intervals",
    "IntervalMethod": "interval_methods",
    "coverage": "coverage_studies",
    "Setting": "coverage_studies",
    "DependentTest": "coverage_studies",
    "ScorePopulation": "score_populations",
    "fit_score_population": "planning",
    "plan": "planning",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'supersample' has no attribute '{name}'")
    return getattr(importlib.import_module(f"supersample.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
