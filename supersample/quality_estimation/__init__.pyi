from .evaluation import (
    evaluate_predictions as evaluate_predictions,
    rescaling_study as rescaling_study,
    to_post_edit_rates as to_post_edit_rates,
)
