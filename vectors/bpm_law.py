"""Golden vectors for the distribution of BPM in crates/shoal-device/src/bpm_law.rs.

Run from the top of the repository:

    python3 -m venv bpm-venv && bpm-venv/bin/pip install mpmath
    bpm-venv/bin/python vectors/bpm_law.py

It writes vectors/bpm_law.csv, the same bytes every time.

The formulas here are the paper's own (YTL22, Lemmas 4, 10 and 12): a finite sum for the incomplete gamma function, and
differences that cancel. They need thousands of digits, which are cheap here; the program computes the same numbers in
doubles by other formulas that do not cancel. Every value is a natural logarithm, because the values themselves
leave the range of doubles. "Outside" is 1 - p_L, "spread" is 1 - beta.
"""

import csv
import math
import pathlib

from mpmath import mp, mpf

DIMS = [1, 2, 3, 4, 10, 30, 100, 300, 1000]
RATES = [1e-3, 0.1, 1.0, 4.0, 20.0, 100.0]
RADII = [1e-5, 1e-3, 0.01, 0.5, 2.0, 6.0, 10.0, 100.0, 1e4, 1e7]
DIGITS = 60


def lower_gamma(shape, x):
    """(a-1)! (1 - e^-x sum_{i<a} x^i / i!), the bracket of Lemma 4."""
    total = term = mpf(1)
    for i in range(1, shape):
        term = term * x / i
        total += term
    return mp.factorial(shape - 1) * (1 - mp.exp(-x) * total)


def case(dims, rate, radius):
    # What the differences cancel: the gamma function over its lower part, and the box over the ball.
    x = rate * radius
    lost = (math.lgamma(dims + 3) + min(x, dims + 3)) / math.log(10) + (dims + 3) * max(0.0, -math.log10(x))
    lost += dims * math.log10((1 + 2 * radius) / radius) + 0.9 * dims
    mp.dps = DIGITS + 40 + int(lost)
    d, k, r = mpf(dims), mpf(rate), mpf(radius)
    sphere = 2 * mp.pi ** (d / 2) / mp.gamma(d / 2)
    ball = sphere / d
    inside = sphere * lower_gamma(dims, k * r) / k**d
    flat = mp.exp(-k * r)
    outside = flat * ((1 + 2 * r) ** d - ball * r**d)
    mu = inside + outside
    beta = (1 + 2 * r) ** d * flat / mu
    zeta = (
        sphere * lower_gamma(dims + 2, k * r) / (k ** (d + 2) * mu)
        + beta * (d * (1 + r + r * r) / 3 - d / 6)
        - sphere * r ** (d + 2) * flat / ((d + 2) * mu)
    )
    j = (zeta - beta**2 * d / 12) / (1 - beta) ** 2 / (d * (d + 1) / k**2)
    return [mp.log(v) for v in (1 / mu, inside / mu, outside / mu, beta, 1 - beta, zeta, j)]


def main():
    path = pathlib.Path(__file__).with_suffix(".csv")
    with path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["dims", "rate", "radius", "lambda", "p", "outside", "beta", "spread", "zeta", "j"])
        for dims in DIMS:
            for rate in RATES:
                for radius in RADII:
                    rows.writerow([dims, rate, radius] + [mp.nstr(v, 20) for v in case(dims, rate, radius)])


if __name__ == "__main__":
    main()
