from .base import Measure as Measure
from .systems import SystemMeasure as SystemMeasure
from .soft_pairwise_accuracy import (
    PairwiseAccuracy as PairwiseAccuracy,
    SoftPairwiseAccuracy as SoftPairwiseAccuracy,
)
from .soft_pairwise_accuracy import PValues as PValues
from .registry import (
    as_measure as as_measure,
    measure_names as measure_names,
    register_measure as register_measure,
)
from .segments import translation_scores as translation_scores
