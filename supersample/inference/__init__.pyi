from .one_correlation import (
    distribution_function_of_r as distribution_function_of_r,
    quantile_of_r as quantile_of_r,
)
