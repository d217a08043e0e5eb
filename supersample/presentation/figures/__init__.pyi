from .accuracies import (
    plot_systems_ablation as plot_systems_ablation,
    plot_segments_ablation as plot_segments_ablation,
)
from .forests import (
    plot_differences as plot_differences,
    plot_forest as plot_forest,
    plot_sets as plot_sets,
)
from .matrices import (
    plot_correlations as plot_correlations,
    plot_influence as plot_influence,
    plot_significance as plot_significance,
    plot_ties as plot_ties,
    plot_values as plot_values,
    plot_wins as plot_wins,
)
from .quality_estimation import plot_predictions as plot_predictions, plot_shades as plot_shades
from .sampling import (
    plot_power as plot_power,
    plot_sampling_distribution as plot_sampling_distribution,
)
from .raters import plot_raters as plot_raters
from .scatters import plot_scatter as plot_scatter
