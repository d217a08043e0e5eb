"""How often an equal judge is called better, or worse, than people with each other.

python -m experiments.judges.verdicts            # fifteen minutes
python -m experiments.judges.verdicts --smoke    # seconds, for the tests

The interval of the difference says it: better if it is above 0, worse if below. Each side is to
miss the truth in 2.5 % of samples. Where failures are rare, a few items seldom hold one of the
judge's, but often one of several people's, and their differences then show too small an error.

Rule, fixed before the results. 60 settings are drawn by `random_setting`: 2 to 8 people, 10 to 60
items, numbers, five levels or two words of which one has 5 to 50 %. In a third of them all raters
are alike, in a third people differ and the judge is as good as they are on average (its noise is
sought so that the difference of the main statistic is 0), and in a third the judge's noise is drawn
as a person's. A way is admissible if both sides miss in at most 2.5 % of samples on average over
settings, and each in at most 4 % in 95 % of settings and statistics. Of admissible ways the one
that shows most differences in the last third is chosen; if none is admissible, the one with the
lowest 95 % quantile of misses by one side. Other settings (`JUDGED`) then judge the chosen way.

Ways: ``t``, Student's t with the jackknife's error; ``hall``, the same with Hall's (1992)
correction for skewness; ``bootstrap``, the bootstrap-t of the jackknife's pseudo-values; ``swaps``,
``t``, with 0 kept inside unless a test of the judge's place within items rejects it (each item's
judge is drawn among all raters); ``places``, ``t`` with the larger one of the jackknife's variance
and of that averaged over all raters, each of them in the judge's place; ``skewed places``, that
with the skewness of all raters' pseudo-values. Leaving verdicts open below 30 items changed the
mean rates of each way by less than a point.

Second round, written after the first one chose ``skewed places``, before the other settings were
seen. Hall's correction is for an error that a sample shows itself, as ``t`` has; with the error of
``places`` it took the differences of better judges away (1.6 % shown, 11.5 % of worse ones). So it
is left out, a better judge and a worse one count alike (the mean of both shares is maximised), and
the same rule chooses among ``t``, ``places`` and three others, in the same settings and in 30 more
with 100 to 400 items, where both groups of settings are to keep the rule's levels. ``expanded
places`` has the Cornish-Fisher quantiles of the raters' skewness, for a known error; ``fading
places`` and ``fast fading places`` raise the jackknife's variance by a power of their ratio, which
is 100 / (n + 100), or 30 / (n + 30), of n items.
"""

import argparse
import warnings
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

CHOSEN, JUDGED = 20_261_128, 777
SETTINGS, LARGER, SAMPLES, MANY, DRAWS = 60, 30, 300, 100_000, 399
LEVELS = np.array([-1.5, -0.5, 0.5, 1.5])
SHOWN = {"nominal": (2, 1), "ordinal": (2, 0, 1), "interval": (0, 2)}
KEPT = ("t", "places")
"""Ways whose settings are written one by one."""
NAMES = ("r", "exact agreement", "kappa")
Floats = np.ndarray


class Setting(NamedTuple):
    """A population; noise and bias have the judge's first."""

    kind: str
    scale: str
    items: int
    noise: Floats
    bias: Floats
    cuts: Floats


def answers(of: Setting, quality: Floats, errors: Floats) -> Floats:
    """Answers (..., raters, items) from quality (..., items) and standard normal errors."""
    values = quality[..., np.newaxis, :] + of.bias[:, np.newaxis] + of.noise[:, np.newaxis] * errors
    return np.digitize(values, of.cuts).astype(float) if of.cuts.size else values


def draw(of: Setting, samples: int, items: int, rng: np.random.Generator) -> Floats:
    """Draw samples of answers."""
    size = (samples, len(of.noise), items)
    return answers(of, rng.standard_normal((samples, items)), rng.standard_normal(size))


def ahead(values: Floats) -> Floats:
    """Difference of each rater in the judge's place, (samples, raters, 1 + items, statistics).

    Of all items, then without each: the mean agreement with another, minus that of two others.
    """
    samples, raters, n = values.shape
    agreed = np.zeros((raters, raters, samples, 1 + n, 3))

    def means(x: Floats) -> Floats:
        whole = x.sum(axis=-1, keepdims=True)
        return np.concatenate([whole / n, (whole - x) / (n - 1)], axis=-1)

    centred = values - values.mean(axis=(-2, -1), keepdims=True)
    mean = [means(centred[:, k]) for k in range(raters)]
    spread = [means(centred[:, k] ** 2) - mean[k] ** 2 for k in range(raters)]
    spread = [np.where(x > 1e-12, x, np.nan) for x in spread]
    for j, k in combinations(range(raters), 2):
        together = means(centred[:, j] * centred[:, k]) - mean[j] * mean[k]
        r = together / np.sqrt(spread[j] * spread[k])
        kappa = 2 * together / (spread[j] + spread[k] + (mean[j] - mean[k]) ** 2)
        share = means(1.0 * (values[:, j] == values[:, k]))
        agreed[j, k] = agreed[k, j] = np.stack([r, share, kappa], axis=-1)
    total = agreed.sum(axis=(0, 1)) / 2
    own = agreed.sum(axis=1)
    people = raters - 1
    others = (total - own) / (people * (people - 1) / 2)
    return np.moveaxis(own / people - others, 0, 1)


def random_setting(rng: np.random.Generator, number: int) -> Setting:
    """Draw a setting; scales and kinds take turns."""
    scale = ("interval", "ordinal", "nominal")[number % 3]
    kind = ("alike", "equal", "other")[number // 3 % 3]
    few, many = (10, 61) if number < SETTINGS else (100, 401)
    people, items = int(rng.integers(2, 9)), int(np.exp(rng.uniform(np.log(few), np.log(many))))
    noise, bias = rng.uniform(0.3, 1.5, people + 1), rng.uniform(-0.3, 0.3, people + 1)
    rare = ndtri(rng.uniform(0.5, 0.95))
    cuts = {"interval": np.empty(0), "ordinal": LEVELS + rare / 2, "nominal": np.array([rare])}
    setting = Setting(kind, scale, items, noise, bias, cuts[scale])
    if kind == "alike":
        return setting._replace(noise=np.full(people + 1, noise[0]), bias=0 * bias)
    if kind == "equal":
        shape, low, high = (1, people + 1, MANY), -4.0, 3.0
        quality, errors = rng.standard_normal((1, MANY)), rng.standard_normal(shape)
        for _ in range(14):
            noise[0] = np.exp((low + high) / 2)
            found = value_of(answers(setting, quality, errors))[SHOWN[scale][0]]
            low, high = (np.log(noise[0]), high) if found > 0 else (low, np.log(noise[0]))
    return setting


def value_of(values: Floats) -> Floats:
    """Difference of the judge in one large sample, by each statistic."""
    raters = values.shape[1]
    agreed = np.zeros((raters, raters, 3))
    for j, k in combinations(range(raters), 2):
        x, y = values[0, j], values[0, k]
        both = np.cov(x, y, bias=True)
        kappa = 2 * both[0, 1] / (both[0, 0] + both[1, 1] + (x.mean() - y.mean()) ** 2)
        r = both[0, 1] / np.sqrt(both[0, 0] * both[1, 1])
        agreed[j, k] = agreed[k, j] = r, np.mean(x == y), kappa
    people = raters - 1
    among = agreed[1:, 1:].sum(axis=(0, 1)) / (people * (people - 1))
    return agreed[0].sum(axis=0) / people - among


def hall(value: Floats, error: Floats, skew: Floats, t: float, n: int) -> tuple[Floats, Floats]:
    """Limits by Hall's monotone transformation; `skew` is of one item's pseudo-value."""
    g = np.where(np.abs(skew) < 1e-6, 1e-6, skew) / np.sqrt(n)
    return tuple(value - error * 3 / g * (np.cbrt(1 + g * (x - g / 6)) - 1) for x in (t, -t))


def limits(found: Floats, rng: np.random.Generator) -> dict[str, tuple[Floats, Floats]]:
    """Limits (samples, statistics) of the judge's difference, by way."""
    n = found.shape[2] - 1
    value, left = found[:, 0, 0], found[:, :, 1:]
    moved = left.mean(axis=2, keepdims=True) - left  # influences, (samples, raters, items, 3)
    variances = (n - 1) / n * (moved**2).sum(axis=2)
    error = np.sqrt(variances[:, 0])
    error = np.where(error > 1e-9, error, np.nan)
    t = float(stdtrit(n - 1, 0.975))
    ways = {"t": (value - t * error, value + t * error)}
    own = (moved[:, 0] ** 3).mean(axis=1) / (moved[:, 0] ** 2).mean(axis=1) ** 1.5
    ways["hall"] = hall(value, error, own, t, n)
    pseudo = (n - 1) * moved[:, 0]
    drawn = rng.integers(n, size=(DRAWS, n))
    ratios = np.stack([studentised(pseudo[:, at]) for at in drawn])
    high, low = np.nanquantile(ratios, [0.975, 0.025], axis=0)
    ways["bootstrap"] = value - high * error, value - low * error
    raters = found.shape[1]
    whole = moved * (n - 1) / n + found[:, :, :1] / n
    who = rng.integers(raters, size=(DRAWS, n))
    sums = np.stack([whole[:, each, np.arange(n)].sum(axis=1) for each in who])
    above, below = ((1 + (f(sums, value)).sum(axis=0)) / (DRAWS + 1) for f in (at_least, at_most))
    lower, upper = ways["t"]
    ways["swaps"] = (
        np.where((lower > 0) & (above > 0.025), 0.0, lower),
        np.where((upper < 0) & (below > 0.025), 0.0, upper),
    )
    placed = np.sqrt(np.fmax(variances[:, 0], variances.mean(axis=1))) + 0 * error
    ways["places"] = value - t * placed, value + t * placed
    second = (moved**2).mean(axis=(1, 2))
    skew = (moved**3).mean(axis=(1, 2)) / second**1.5
    shift = skew / np.sqrt(n) / 6 * (t * t - 1) * placed
    ways["expanded places"] = value - t * placed - shift, value + t * placed - shift
    for name, half in (("fading places", 100), ("fast fading places", 30)):
        part = error * (placed / error) ** (half / (n + half))
        ways[name] = value - t * part, value + t * part
    ways["skewed places"] = hall(value, placed, skew, t, n)
    return ways


def studentised(x: Floats) -> Floats:
    """Mean of axis 1 over its error; NaN if nothing varies."""
    spread = x.std(axis=1, ddof=1)
    return x.mean(axis=1) / np.where(spread > 1e-9, spread / np.sqrt(x.shape[1]), np.nan)


def at_least(x: Floats, y: Floats) -> Floats:
    """Whether x is at least y, but for rounding."""
    return x >= y - 1e-12


def at_most(x: Floats, y: Floats) -> Floats:
    """Whether x is at most y, but for rounding."""
    return x <= y + 1e-12


def measured(seed: int, number: int, samples: int) -> list[dict[str, object]]:
    """Misses of each side, and differences shown, in one setting by statistic and way."""
    rng = np.random.default_rng([seed, number])
    of = random_setting(rng, number)
    truth = np.mean([value_of(draw(of, 1, MANY, rng)) for _ in range(2)], axis=0)
    if of.kind == "alike":
        truth = 0 * truth
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a rater who gave one answer to all items
        ways = limits(ahead(draw(of, samples, of.items, rng)), rng)
    rows = []
    for way, (lower, upper) in ways.items():
        for k in SHOWN[of.scale]:
            true, low, high = truth[k], lower[:, k], upper[:, k]
            known = np.isfinite(low)
            if known.mean() < 0.2:
                continue
            sure = low if true > 0 else -high
            rows.append(
                {
                    "setting": number,
                    "kind": of.kind,
                    "scale": of.scale,
                    "people": len(of.noise) - 1,
                    "items": of.items,
                    "statistic": NAMES[k],
                    "way": way,
                    "truth": true,
                    "known": known.mean(),
                    "too_high": (low[known] > true).mean(),
                    "too_low": (high[known] < true).mean(),
                    "shown": (sure[known] > 0).mean(),
                }
            )
    return rows


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Compute what the rule asks of each way, in settings with few items and with many."""
    found = []
    for size, part in (("few", rows["items"] <= 60), ("many", rows["items"] > 60)):
        for way, of in rows[part].groupby("way", sort=False):
            sides, other = of[["too_high", "too_low"]].to_numpy(), of[of["kind"] == "other"]
            better = other["truth"] > 0
            found.append(
                {
                    "items": size,
                    "way": way,
                    "too high": sides[:, 0].mean(),
                    "too low": sides[:, 1].mean(),
                    "worst high": sides[:, 0].max(),
                    "worst low": sides[:, 1].max(),
                    "at most 4 %": (sides <= 0.04).mean(),
                    "better shown": other["shown"][better].mean(),
                    "worse shown": other["shown"][~better].mean(),
                }
            )
    return pd.DataFrame(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write what it found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.judges.verdicts")
    parser.add_argument("--smoke", action="store_true", help="a few small samples")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    settings = [*range(SETTINGS + LARGER)]
    if options.smoke:
        settings = [0, 4, 8, settings[-1]]
    for name, seed in (("judged", JUDGED), ("chosen", CHOSEN)):
        rows = list[dict[str, object]]()
        for k in settings:
            samples = 10 if options.smoke else SAMPLES if k < SETTINGS else SAMPLES // 2
            rows += measured(seed, k, samples)
        each, told = pd.DataFrame(rows), summary(pd.DataFrame(rows))
        kept = each[each["way"].isin(KEPT)]
        how = {"index": False, "float_format": "%.4g"}
        kept.to_csv(options.out / f"verdicts-{name}.csv", **how)
        told.to_csv(options.out / f"verdicts-{name}-summary.csv", **how)
        print(name, told.to_string(index=False, float_format="%.3f"), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
