from .evaluation import (
    evaluate_predictions as evaluate_predictions,
    to_post_edit_rates as to_post_edit_rates,
)
from .evaluation import compare_errors as compare_errors
from .evaluation import rescaling_study as rescaling_study
