"""Predictions for the tests of what is made of them."""

import numpy as np

import supersample as ss

RNG = np.random.default_rng(8)
GOLD = np.stack([RNG.random(60), RNG.gamma(2, 20, 60)])


def predictions_of(systems=5, flat=False, trained=True, gold=("HTER", "PET")):
    noise = np.linspace(0.9, 0.1, systems)[:, np.newaxis]
    prediction = GOLD[0] + noise * RNG.normal(size=(systems, 60))
    prediction[0] = GOLD[0] + 1.0
    if flat:
        prediction[1] = 0.25
    return ss.make_predictions(
        prediction,
        GOLD[: len(gold)],
        systems=[f"a-long-name-of-a-system-{i}" for i in range(systems)],
        gold=gold,
        trained_on=["HTER"] * systems if trained else None,
    )


DATA = predictions_of()
EVALUATION = ss.quality_estimation.evaluate_predictions(DATA)
STUDY = ss.quality_estimation.rescaling_study(DATA)


def best_first(gold):
    """Systems by their r with a gold standard, highest first."""
    chosen = EVALUATION.sel(gold=gold)
    return list(chosen["system"].values[np.argsort(-chosen["value"].values)])
