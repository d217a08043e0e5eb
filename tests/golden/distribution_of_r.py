"""Golden values of the exact distribution of r: distribution_of_r.csv and moments_of_r.csv.

    python -m venv golden && golden/bin/pip install mpmath==1.4.1
    golden/bin/python tests/golden/distribution_of_r.py

At 24 digits, by formulas that the package does not use: the density by Fisher's integral, the
distribution function by quadrature of Hotelling's density in r (piece by piece around rho), the
moments by their closed forms in 2F1 (Ghosh 1966), the third one by quadrature.
"""

import csv
from pathlib import Path

from mpmath import cosh, exp, hyp2f1, inf, log, loggamma, mp, mpf, pi, quad, sqrt

mp.dps = 24
HERE = Path(__file__).parent
SIZES = (4, 5, 12, 50, 1000, 100_000)
RHOS = ("-0.91", "0", "0.5", "0.999")


def hotelling(r, rho, n):
    logarithm = (
        log(n - 2)
        + loggamma(n - 1)
        - log(2 * pi) / 2
        - loggamma(n - mpf(1) / 2)
        + (n - 1) * log(1 - rho**2) / 2
        + (n - 4) * log(1 - r**2) / 2
        - (n - mpf(3) / 2) * log(1 - rho * r)
    )
    return exp(logarithm) * hyp2f1(0.5, 0.5, n - mpf(1) / 2, (1 + rho * r) / 2)


def fisher(r, rho, n):
    """Fisher (1915): an integral over w of 1 / (cosh w - rho r)^(n - 1)."""
    base = 1 - rho * r
    width = sqrt(base / n)
    pieces = [0, 2 * width, 8 * width, 40 * width, inf]
    tail = quad(lambda w: ((cosh(w) - rho * r) / base) ** (1 - n), pieces)
    logarithm = (
        log(n - 2)
        - log(pi)
        + (n - 1) * log(1 - rho**2) / 2
        + (n - 4) * log(1 - r**2) / 2
        - (n - 1) * log(base)
    )
    return exp(logarithm) * tail


def below(r, rho, n):
    spread = (1 - rho**2) / sqrt(n)
    cuts = [
        -1,
        *(rho - k * spread for k in (40, 16, 7, 3, 0)),
        *(rho + k * spread for k in (3, 7)),
        r,
    ]
    pieces = sorted({mpf(c) for c in cuts if -1 <= c <= r})
    return quad(lambda x: hotelling(x, rho, n), pieces)


def moments(rho, n):
    half = mpf(n) / 2
    with mp.workdps(60):  # the variance is a difference
        ratio = exp(2 * (loggamma(half) - loggamma(half - 0.5)))
        first = 2 * rho / (n - 1) * ratio * hyp2f1(0.5, 0.5, half + 0.5, rho**2)
        second = 1 - mpf(n - 2) / (n - 1) * (1 - rho**2) * hyp2f1(1, 1, half + 0.5, rho**2)
        variance = second - first**2
    spread = (1 - rho**2) / sqrt(n)
    inner = (rho + k * spread for k in (-40, -16, -7, -3, 0, 3, 7, 16))
    pieces = sorted({c for c in inner if -1 < c < 1} | {mpf(-1), mpf(1)})
    third = quad(lambda r: (r - first) ** 3 * hotelling(r, rho, n), pieces)
    return first, variance, third / variance**1.5


def write(name, header, rows):
    with (HERE / name).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for given, values in rows:
            writer.writerow([*given, *(mp.nstr(v, 17) for v in values)])


def distributions():
    for n in SIZES:
        for rho in map(mpf, RHOS):
            for z in (-4, -1, 0.5):  # standard deviations of Fisher's z
                r = float(mp.tanh(mp.atanh(rho) + z / sqrt(n - 2)))
                yield (repr(r), rho, n), (fisher(mpf(r), rho, n), below(mpf(r), rho, n))


if __name__ == "__main__":
    moments_rows = (((rho, n), moments(mpf(rho), n)) for n in SIZES for rho in RHOS)
    write("moments_of_r.csv", ["rho", "n", "mean", "variance", "skewness"], moments_rows)
    header = ["r", "rho", "n", "density", "distribution_function"]
    write("distribution_of_r.csv", header, distributions())
