# The public names by subject, as on the pages of docs/api; each is loaded when it is first used.

# Read scores
from .readers.registry import read_scores as read_scores
from .readers.tables import read_table as read_table
from .readers.wmt import read_mtme as read_mtme
from .readers.wmt import read_system_scores as read_system_scores
from .scores.files import read_dataset as read_dataset
from .readers.tables import read_ratings as read_ratings
from .readers.ratings import read_appraise as read_appraise
from .readers.added_metrics import read_texts as read_texts, read_mtme_texts as read_mtme_texts
from .readers.tables import read_predictions as read_predictions
from .readers.public_sets import public_sets as public_sets
from .readers.public_sets import fetch as fetch

# Make, inspect and select scores
from .scores.schema import make_scores as make_scores, validate_scores as validate_scores
from .scores.system_level import (
    make_system_scores as make_system_scores,
    system_level_scores as system_level_scores,
)
from .scores.outliers import outlier_systems as outlier_systems
from .scores.schema import make_predictions as make_predictions
from .scores.schema import load_example as load_example, simulate_scores as simulate_scores
from .scores.inspection import inspect_scores as inspect_scores
from .scores.selection import (
    select_segments as select_segments,
    keep_systems as keep_systems,
    keep_metrics as keep_metrics,
    declare_teams as declare_teams,
)
from .readers.added_metrics import add_metric as add_metric
from .scores.files import write_scores as write_scores

# Raw human ratings
from .scores.ratings import (
    make_ratings as make_ratings,
    average_ratings as average_ratings,
    check_assessors as check_assessors,
    prepare_ratings as prepare_ratings,
    rate_scores as rate_scores,
    place_ratings as place_ratings,
)

# Compare and rank metrics
from .comparisons.compare import agreement as agreement, compare as compare
from .comparisons.rankings import rank as rank
from .comparisons.rank_systems import rank_systems as rank_systems
from .results.ranks_and_clusters import compare_to_baseline as compare_to_baseline

# Show and write results
from .results.outputs import (
    show as show,
    to_frame as to_frame,
    to_latex as to_latex,
    write_report as write_report,
)

# Hybrid systems
from .hybrids.samples import hybrid_supersample as hybrid_supersample
from .hybrids.exact import exact_hybrid_correlations as exact_hybrid_correlations
from .engine.hybrid_designs import PairHybrids as PairHybrids, MixHybrids as MixHybrids

# Who computes
from .execution.workers import Workers as Workers, connect as connect

# Errors and warnings
from .errors import (
    InputError as InputError,
    ApproximationWarning as ApproximationWarning,
    DegenerateScoreWarning as DegenerateScoreWarning,
    LeftOutWarning as LeftOutWarning,
    OrientationWarning as OrientationWarning,
    UncheckedWarning as UncheckedWarning,
)

# Rooms: further names by subject
from . import hybrids as hybrids
from . import inference as inference
from . import measures as measures
from . import quality_estimation as quality_estimation
from . import raters as raters
from . import readers as readers
from . import simulation as simulation
from . import tasks as tasks
from . import testing as testing
from .comparisons import correlations as correlations
from .presentation import figures as figures
from .scores import corpus as corpus

__version__: str
