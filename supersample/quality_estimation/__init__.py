"""Quality estimation: evaluate segment-level predictions by gold labels.

Here systems predict the quality of segments, and gold standards label it. The Predictions Dataset
(`supersample.scores.schema`) declares ``prediction`` (system, segment), ``label`` (gold,
segment), and optionally ``length`` (segment), ``trained_on`` and ``predicts`` (system).

For each gold standard, segments count that have its label and a prediction of every system. r needs
no common units, so every system is evaluated by every gold standard; MAE and RMSE are NaN if units
differ. `to_post_edit_rates` divides post-edit times by lengths, for labels and predictions.

An |r| within 64 units in the last place of 1 is set to exactly 1: floating-point numbers cannot
distinguish a system that predicts the labels plus a constant from one with errors of 1e-8 standard
deviations, and a test of two such systems would divide rounding errors by each other. Predictions
that are a linear function of each other have difference 0, interval [0, 0] and p 1.

There are two rescalings: to the mean and a share of the standard deviation of the labels, and to
those of the predictions. `rescaling_study` computes r after each.
"""

from lazy_loader import attach_stub

from supersample.errors import checked_names

__getattr__, __dir__, __all__ = checked_names(__name__, *attach_stub(__name__, __file__))
