from .distributions import (
    sampling_distribution as sampling_distribution,
    intervals_of_r as intervals_of_r,
)
from .populations import Population as Population, fit_population as fit_population
from .planning import plan as plan, plan_width as plan_width
from .sweeps import sweep as sweep
