from . import correlations as correlations
