"""Run what `plan` fixed, and write ``results``."""

import argparse
import csv
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

import supersample as ss
from experiments.common import DATA
from experiments.systems.plan import FULL, SETS, SHARES, SMOKE, STEP, Plan

RESULTS = Path(__file__).parent / "results"
WAYS = ("documents", "documents and assessors", "segments", "rule")


def rows_of(name: str, pair: str) -> pd.DataFrame:
    """Read system, segment, document, domain, assessor and score of a set."""
    if name == "wmt23":
        scores = ss.read_mtme(DATA / "mt-metrics-eval-v2", name, pair, metrics=["BLEU"])
        human = scores["human"].to_series().dropna().rename("score").reset_index()
        of = scores[["document", "domain"]].to_dataframe()
        return human.join(of, on="segment").assign(assessor="")
    folder, rows = DATA / "wmt24-esa", []
    lines = (folder / "wmt24" / "documents" / f"{pair}.docs").read_text().splitlines()
    domains, documents = zip(*(line.split("\t") for line in lines), strict=True)
    for file in sorted(folder.glob(f"esa.{pair}.*.csv.gz")):
        with gzip.open(file, "rt") as stream:
            for row in csv.reader(stream):
                if row[3] == "TGT" and "#" not in row[7]:
                    item = int(row[2])
                    rows.append((row[1], item, documents[item], domains[item], row[0], row[6]))
    columns = ["system", "segment", "document", "domain", "assessor", "score"]
    frame = pd.DataFrame(rows, columns=columns).astype({"score": float})
    return frame.drop_duplicates(["system", "segment"], keep="last")


class Effects(NamedTuple):
    """A set taken apart; see `plan`."""

    lengths: np.ndarray
    domains: np.ndarray
    systems: int
    of_documents: np.ndarray
    of_assessors: np.ndarray
    of_cells: np.ndarray
    residuals: np.ndarray
    spread: float


def taken_apart(frame: pd.DataFrame) -> Effects:
    """Effects of a set's documents, assessors and cells, and its residuals."""
    rest, found = frame["score"] - frame.groupby("system")["score"].transform("mean"), []
    for by in (["document"], ["assessor"], ["system", "document"]):
        means = rest.groupby([frame[name] for name in by]).mean()
        rest = rest - rest.groupby([frame[name] for name in by]).transform("mean")
        found.append((means - means.mean()).to_numpy())
    documents = frame.drop_duplicates("segment").groupby("document")
    lengths, domains = documents.size().to_numpy(), documents["domain"].first().to_numpy()
    return Effects(
        lengths, domains, frame["system"].nunique(), *found, rest.to_numpy(), frame["score"].std()
    )


class Population(NamedTuple):
    """Effects, sizes, and the true means of systems."""

    effects: Effects
    documents: int
    assessors: int
    truth: np.ndarray

    def draw(self, rng: np.random.Generator) -> tuple[xr.Dataset, xr.Dataset | None]:
        """Draw Scores of people, and their ratings if assessors are known."""
        of, count = self.effects, self.effects.systems
        chosen = rng.integers(of.lengths.size, size=self.documents)
        document = np.repeat(np.arange(self.documents), of.lengths[chosen])
        habits = rng.choice(of.of_assessors, self.assessors)
        who = rng.integers(self.assessors, size=(count, self.documents))
        cells = rng.choice(of.of_cells, (count, self.documents)) + habits[who]
        values = rng.choice(of.residuals, (count, document.size)) + cells[:, document]
        values += self.truth[:, np.newaxis] + rng.choice(of.of_documents, self.documents)[document]
        names = [f"system-{k:02}" for k in range(count)]
        scores = ss.make_scores(
            values,
            np.empty((0, *values.shape)),
            systems=names,
            metrics=[],
            document=[f"d{k:04}" for k in document],
            domain=of.domains[chosen][document].tolist(),
        )
        if of.of_assessors.size < 2:
            return scores, None
        ratings = ss.make_ratings(
            values.ravel(),
            assessor=[f"a{k}" for k in who[:, document].ravel()],
            system=np.repeat(names, document.size).tolist(),
            segment=np.tile(scores["segment"].to_numpy(), count).tolist(),
        )
        return scores, ratings


def populations(plan: Plan) -> list[tuple[str, Population]]:
    """All populations, by name."""
    found: list[tuple[str, Population]] = []
    for number, (name, pair) in enumerate(SETS):
        effects = taken_apart(rows_of(name, pair))
        rng = np.random.default_rng((plan.seed, number))
        for k in range(plan.populations):
            documents, assessors = (
                max(least, int(rng.uniform(*SHARES) * of.size))
                for least, of in ((12, effects.of_documents), (1, effects.of_assessors))
            )
            half, truth = effects.systems // 2, np.zeros(effects.systems)
            if (number + k) % 2:
                truth[half:] = -STEP * effects.spread * np.arange(1, effects.systems - half + 1)
            found.append((f"{name} {pair} {k}", Population(effects, documents, assessors, truth)))
    return found


def claims(
    scores: xr.Dataset, ratings: xr.Dataset | None, way: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Which system is called better than which, and the first and last rank of each."""
    options: dict[str, object] = {"segments": {"random": "segments"}}.get(way, {})
    if way == "documents and assessors":
        if ratings is None:
            return None
        options = {"ratings": ratings}
    if way == "rule":
        several = len(np.unique(scores["domain"])) > 1
        if not several:
            return None
        options = {"by": "domain", "rule": "wmt24", "random": "segments"}
    found = ss.rank_systems(scores, **options).isel(group=0)
    found = found.sortby("system").sortby("other_system")
    ahead = found["difference"].to_numpy() > 0
    if way != "rule":
        differ = found["differs_adjusted"].to_numpy()
        return differ & ahead, found["rank_first"].to_numpy(), found["rank_last"].to_numpy()
    better = (found["published_p"].to_numpy() < 0.05) & ahead
    return better, found["published_first"].to_numpy(), found["published_last"].to_numpy()


def measure(population: Population, seed: tuple[int, ...], plan: Plan) -> list[dict[str, object]]:
    """Errors, coverage of ranks and power of every way in one population."""
    truth = population.truth
    worse = truth[:, np.newaxis] <= truth
    first = 1 + (truth[:, np.newaxis] > truth).sum(axis=0)
    last = truth.size - (truth[:, np.newaxis] < truth).sum(axis=0)
    unequal = (truth[:, np.newaxis] > truth).sum()
    sums = {way: np.zeros(4) for way in WAYS}
    for sample in range(plan.samples):
        scores, ratings = population.draw(np.random.default_rng((*seed, sample)))
        for way in WAYS if sample < plan.of_the_rule else WAYS[:-1]:
            claimed = claims(scores, ratings, way)
            if claimed is not None:
                better, low, high = claimed
                covered = ((low <= first) & (high >= last)).all()
                power = (better & ~worse).sum() / max(unequal, 1)
                sums[way] += [1, (better & worse).any(), covered, power]
    return [
        {
            "way": way,
            "wrong": wrong / n,
            "ranks": ranks / n,
            "power": power / n,
            "equal": not unequal,
        }
        for way, (n, wrong, ranks, power) in sums.items()
        if n
    ]


def copies(plan: Plan) -> list[dict[str, object]]:
    """How often each way calls two copies different: real systems with swapped documents."""
    rows = []
    for number, (name, pair) in enumerate(SETS):
        frame = rows_of(name, pair)
        table = frame.pivot(index="system", columns="segment", values="score").dropna(
            axis="columns"
        )
        of = frame.drop_duplicates("segment").set_index("segment").loc[table.columns]
        codes = np.unique(of["document"], return_inverse=True)[1]
        counts = dict.fromkeys(("documents", "segments", "rule"), 0)
        for sample in range(plan.copies):
            rng = np.random.default_rng((plan.seed, 7, number, sample))
            pick = table.to_numpy()[rng.choice(len(table), 2, replace=False)]
            swapped = rng.integers(2, size=codes.max() + 1)[codes] == 1
            values = np.where(swapped, pick[::-1], pick)
            labels = {"document": of["document"].tolist(), "domain": of["domain"].tolist()}
            empty = np.empty((0, *values.shape))
            scores = ss.make_scores(values, empty, systems=["a", "b"], metrics=[], **labels)
            for way in counts:
                claimed = claims(scores, None, way)
                counts[way] += claimed is not None and bool(claimed[0].any())
        rates = {way: count / plan.copies for way, count in counts.items()}
        rows.append({"set": f"{name} {pair}", **rates})
    return rows


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    """Write rows as CSV."""
    pd.DataFrame(rows).to_csv(folder / f"{name}.csv", index=False, float_format="%.5g")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    plan = SMOKE if chosen.smoke else FULL
    chosen.out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    for k, (name, population) in enumerate(populations(plan)):
        measured = measure(population, (plan.seed, k), plan)
        rows += [{"population": name, **row} for row in measured]
        print(pd.DataFrame(measured).to_string(index=False), flush=True)
    write(chosen.out, "populations", rows)
    write(chosen.out, "copies", copies(plan))
    return 0
