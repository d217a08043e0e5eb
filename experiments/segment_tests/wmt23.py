"""Type I error of swapped pairs and segments for acc_eq, of metrics of WMT23 that are made equal.

python -m experiments.segment_tests.wmt23      # 200 samples of five populations; two minutes

The populations are those of `experiments.best.documents`: the documents of a language pair, drawn
with replacement, and six of its metrics, mixed until all have the same expected acc_eq. The other
study of this folder has errors that are independent of each other; these metrics share errors on
systems and documents.
"""

import csv
import warnings
from pathlib import Path

import numpy as np

from experiments.best.documents import OfDocuments, Population, _population, document_settings
from experiments.common import DATA
from experiments.data import require
from experiments.segment_tests.study import swapped
from supersample.measures.segments import TranslationMeasure
from supersample.results.pairs import swap_p_values
from supersample.tolerances import VALUE_TIE

RESULTS = Path(__file__).parent / "results" / "type-one-errors-wmt23.csv"
SEED, FITTED = 310, 200
SCHEMES = ("pairs", "inputs")


def rejected(setting: OfDocuments, samples: int, resamples: int = 199) -> dict[str, object]:
    """Share of samples and pairs, and of samples of the worst pair, that differ at 5 %."""
    population = _population(setting, FITTED)
    rng = np.random.default_rng((setting.seed, 9))
    found: dict[str, list[np.ndarray]] = {scheme: [] for scheme in SCHEMES}
    for number in range(samples):
        measured = _drawn(population, rng, number)
        for scheme in SCHEMES:
            null = swapped(measured, scheme, resamples)
            p = swap_p_values(measured.values, null, alternative="two-sided", tie=VALUE_TIE)
            found[scheme].append(p[np.triu_indices(len(p), 1)] <= 0.05)
    row: dict[str, object] = {"setting": setting.name, "samples": samples}
    for scheme, each in found.items():
        shares = np.mean(each, axis=0)
        row |= {f"perm-{scheme}": shares.mean(), f"perm-{scheme}, worst pair": shares.max()}
    return row


def _drawn(population: Population, rng: np.random.Generator, number: int):  # type: ignore[no-untyped-def]
    part, of = population.measured._part, np.asarray(population.unit_of)  # type: ignore[attr-defined]
    drawn = rng.integers(0, population.total, population.sample)
    at = np.concatenate([np.flatnonzero(of == document) for document in drawn])
    return TranslationMeasure("acc_eq").on(
        part._replace(
            scores=part.scores.isel(segment=at),
            human=part.human[:, at],
            metrics=part.metrics[:, :, at],
            keep=part.keep[:, at],
            seed=number,
        )
    )


def main(samples: int = 200) -> None:
    """Measure every population, print the shares and write them."""
    require(DATA, "mt-metrics-eval-v2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        equal = (each for each in document_settings(SEED) if each.equal)
        chosen = (each for each in equal if each.measure == "acc_eq/item")
        rows = [rejected(each, samples) for each in chosen]
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print(", ".join(f"{x:.3f}" if isinstance(x, float) else str(x) for x in row.values()))


if __name__ == "__main__":
    main()
