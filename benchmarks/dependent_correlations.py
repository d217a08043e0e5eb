"""Every overlapping test and Zou's interval for all pairs of 200 metrics: arrays against a loop.

    python -m benchmarks.dependent_correlations [--smoke]

The reference is a plain Python loop over the same formulas, one pair at a time with the math
module, timed in the same run on a share of the pairs. Exits with status 1 if the limit is missed;
with --smoke it takes 20 metrics and has no limit.
"""

import math
import time
from statistics import NormalDist

import numpy as np
from scipy.special import stdtr

from benchmarks._report import Report, parser
from supersample.inference.coefficients import pearson
from supersample.inference.two_correlations import OVERLAPPING
from supersample.inference.two_correlations.overlapping import zou2007

METRICS, SMOKE_METRICS, SYSTEMS = 200, 20, 12
LIMIT_SECONDS = 0.5
LOOP_SHARE = 10  # the loop does one pair in so many
NORMAL = NormalDist()


def pairs(metrics):
    generator = np.random.default_rng(1)
    quality = generator.normal(size=(SYSTEMS, 1))
    r = pearson(quality + generator.normal(size=(SYSTEMS, metrics + 1)))
    a, b = np.triu_indices(metrics, 1)
    return r[0, 1 + a], r[0, 1 + b], r[1 + a, 1 + b]


def vectorised(r12, r13, r23):
    results = [method.test(r12, r13, r23, SYSTEMS) for method in OVERLAPPING.values()]
    return [*results, zou2007(r12, r13, r23, SYSTEMS)]


def student(t, n):
    return t, 2 * float(stdtr(n - 3, -abs(t)))


def normal(z):
    return z, 2 * NORMAL.cdf(-abs(z))


def one_pair(a, b, c, n):
    det = 1 - a * a - b * b - c * c + 2 * a * b * c
    over = (n - 3) * (1 + c)
    z = math.atanh(a) - math.atanh(b)
    k = c * (1 - a * a - b * b) - a * b / 2 * (1 - a * a - b * b - c * c)
    correlation = k / ((1 - a * a) * (1 - b * b))

    def pooled(m):
        return (c * (1 - 2 * m * m) - m * m / 2 * (1 - 2 * m * m - c * c)) / (1 - m * m) ** 2

    def on_z(rho):
        return normal(z * math.sqrt((n - 3) / (2 - 2 * rho)) if rho < 1 else math.nan)

    s = (a * a + b * b) / 2
    h = (1 - min(1, (1 - c) / (2 * (1 - s))) * s) / (1 - s)
    plain = (a - b) * math.sqrt(n / ((1 - a * a) ** 2 + (1 - b * b) ** 2 - 2 * k))
    mean = ((a + b) / 2) ** 2
    williams = 2 * det * (n - 1) / (n - 3) + mean * (1 - c) ** 3
    hendrickson = 2 * det + (a - b) ** 2 * (1 - c) ** 3 / (4 * (n - 1))
    return [
        normal(plain),
        student((a - b) * math.sqrt(over / (2 * det)), n),
        student((a - b) * math.sqrt((n - 1) * (1 + c) / williams), n),
        normal(plain),
        on_z(correlation),
        student((a - b) * math.sqrt(over / hendrickson), n),
        on_z(pooled((a + b) / 2)),
        normal(z * math.sqrt((n - 3) / (2 * (1 - c) * h))),
        on_z(pooled(math.tanh((math.atanh(a) + math.atanh(b)) / 2))),
        zou_inverted(a, b, correlation, n),
        zou_limits(a, b, correlation, n, NORMAL.inv_cdf(0.975)),
    ]


def zou_limits(a, b, correlation, n, q):
    margin = q / math.sqrt(n - 3)
    la, ua = a - math.tanh(math.atanh(a) - margin), math.tanh(math.atanh(a) + margin) - a
    lb, ub = b - math.tanh(math.atanh(b) - margin), math.tanh(math.atanh(b) + margin) - b
    lower = math.sqrt(max(0.0, la * la + ub * ub - 2 * correlation * la * ub))
    upper = math.sqrt(max(0.0, ua * ua + lb * lb - 2 * correlation * ua * lb))
    return a - b - lower, a - b + upper


def zou_inverted(a, b, correlation, n):
    left, right = 0.0, 20 * math.sqrt(n - 3)
    for _ in range(64):
        q = (left + right) / 2
        lower, upper = zou_limits(a, b, correlation, n, q)
        left, right = (q, right) if lower > 0 or upper < 0 else (left, q)
    return normal(math.copysign(right, a - b))


def main():
    options = parser(__doc__).parse_args()
    report = Report("dependent_correlations", options)
    smoke = options.smoke
    r12, r13, r23 = pairs(SMOKE_METRICS if smoke else METRICS)
    vectorised(r12[:10], r13[:10], r23[:10])
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        ours = vectorised(r12, r13, r23)
        seconds.append(time.perf_counter() - start)
    some = slice(None, None, LOOP_SHARE)
    triples = list(zip(r12[some].tolist(), r13[some].tolist(), r23[some].tolist(), strict=True))
    start = time.perf_counter()
    theirs = [one_pair(*triple, SYSTEMS) for triple in triples]
    loop = (time.perf_counter() - start) * len(r12) / len(triples)
    expected = np.moveaxis(np.array(theirs), 0, -1)
    np.testing.assert_allclose(np.array(ours)[..., some], expected, rtol=1e-8, atol=1e-9)
    best = min(seconds)
    what = f"{len(r12)} pairs, {len(ours)} tests and intervals"
    report.add(what, best, "s", at_most=LIMIT_SECONDS)
    report.add(f"{what}, times faster than a Python loop", loop / best, "x")
    report.end()


if __name__ == "__main__":
    main()
