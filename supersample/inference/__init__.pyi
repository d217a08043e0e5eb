from .one_correlation.intervals import (
    density_of_r as density_of_r,
    distribution_function_of_r as distribution_function_of_r,
    quantile_of_r as quantile_of_r,
    moments_of_r as moments_of_r,
)
