"""supersample: which automatic metric agrees best with people, and how sure can we be.

>>> import supersample as ss
>>> sample = ss.hybrid_supersample(ss.load_example(), n=1000, seed=0)
>>> ranking = ss.rank(ss.compare_correlations(sample, method="zou2007"))
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from supersample.correlations import compare_correlations as compare_correlations
    from supersample.correlations import correlate as correlate
    from supersample.data.mtme import read_mtme as read_mtme
    from supersample.data.schema import make_scores as make_scores
    from supersample.data.schema import validate_scores as validate_scores
    from supersample.data.selection import select_segments as select_segments
    from supersample.data.simulation import load_example as load_example
    from supersample.data.simulation import simulate_scores as simulate_scores
    from supersample.data.tables import read_table as read_table
    from supersample.engine.designs import PairHybrids as PairHybrids
    from supersample.errors import DegenerateScoreWarning as DegenerateScoreWarning
    from supersample.errors import InputError as InputError
    from supersample.given import compare_independent as compare_independent
    from supersample.given import compare_non_overlapping as compare_non_overlapping
    from supersample.given import compare_overlapping as compare_overlapping
    from supersample.human_only import human_only_intervals as human_only_intervals
    from supersample.hybrids import hybrid_supersample as hybrid_supersample
    from supersample.hybrids import possible_hybrids as possible_hybrids
    from supersample.inference.distribution_of_r import density_of_r as density_of_r
    from supersample.inference.distribution_of_r import (
        distribution_function_of_r as distribution_function_of_r,
    )
    from supersample.inference.distribution_of_r import moments_of_r as moments_of_r
    from supersample.inference.distribution_of_r import quantile_of_r as quantile_of_r
    from supersample.influence import leave_one_out as leave_one_out
    from supersample.population_sources import finite_population as finite_population
    from supersample.population_sources import fit_population as fit_population
    from supersample.population_sources import hypothetical_systems as hypothetical_systems
    from supersample.populations import CopulaPopulation as CopulaPopulation
    from supersample.populations import FinitePopulation as FinitePopulation
    from supersample.populations import NormalPopulation as NormalPopulation
    from supersample.ranking import rank as rank
    from supersample.resampling import bootstrap_intervals as bootstrap_intervals
    from supersample.resampling import compare_by_bootstrap as compare_by_bootstrap
    from supersample.sampling import sampling_distribution as sampling_distribution
    from supersample.sampling_intervals import intervals_of_r as intervals_of_r
    from supersample.swapping import compare_by_swapping as compare_by_swapping
    from supersample.system_level import make_system_scores as make_system_scores
    from supersample.system_level import outlier_systems as outlier_systems

# Loaded when first used, so that importing the package, and the command's help, stay quick.
_HOMES = {
    "compare_correlations": "correlations",
    "correlate": "correlations",
    "read_mtme": "data.mtme",
    "make_scores": "data.schema",
    "validate_scores": "data.schema",
    "select_segments": "data.selection",
    "load_example": "data.simulation",
    "simulate_scores": "data.simulation",
    "read_table": "data.tables",
    "PairHybrids": "engine.designs",
    "DegenerateScoreWarning": "errors",
    "InputError": "errors",
    "hybrid_supersample": "hybrids",
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
    "compare_by_swapping": "swapping",
    "human_only_intervals": "human_only",
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
    "intervals_of_r": "sampling_intervals",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'supersample' has no attribute '{name}'")
    return getattr(importlib.import_module(f"supersample.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
