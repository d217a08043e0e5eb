from .rankings import (
    plot_correlations as plot_correlations,
    plot_differences as plot_differences,
    plot_forest as plot_forest,
    plot_sets as plot_sets,
    plot_significance as plot_significance,
    plot_task as plot_task,
    plot_values as plot_values,
)
from .studies import (
    plot_power as plot_power,
    plot_predictions as plot_predictions,
    plot_raters as plot_raters,
    plot_sampling_distribution as plot_sampling_distribution,
)
from .systems import plot_systems as plot_systems
