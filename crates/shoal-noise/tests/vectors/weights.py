"""Writes weights.csv into this folder, with mpmath at 700 bits and none of the crate's code.

    python3 weights.py

Every row is a band of the bounded Euclidean Laplace noise: dimension, decay as a fraction, inner and outer distance,
whether the rate is the chord's (0), the outer end's d / 2S^2 (1) or the inner end's d / 2R^2 (2), and the weight
w = exp(tA^2 - aA - d/2) theta(t)^d as an exponent e and floor(w / 2^e), of 200 bits. Theta is summed directly for
t > 1/50 and by its Poisson series below.
"""

from fractions import Fraction
from pathlib import Path

from mpmath import exp, floor, frexp, ldexp, mp, mpf, pi, sqrt

mp.prec = 700
HERE = Path(__file__).parent
SIDE = 65534


def real(x):
    return mpf(x.numerator) / mpf(x.denominator)


def theta(t):
    if t > mpf(1) / 50:
        return 1 + 2 * sum(exp(-t * k * k) for k in range(1, 400))
    return sqrt(pi / t) * (1 + 2 * sum(exp(-pi**2 * k * k / t) for k in range(1, 5)))


with open(HERE / "weights.csv", "w") as out:
    print("dims,decay,inner,outer,kind,exponent,floor", file=out)
    for d in (1, 2, 10, 100, 1000):
        for epsilon in (Fraction(1, 1000), Fraction(1), Fraction(4), Fraction(100), Fraction(SIDE), Fraction(3 * SIDE)):
            a = epsilon / SIDE
            far = int(d / a)
            edges = [(0, 1), (0, far + 1), (far // 2, far + 1), (far, far + far // 9 + 1), (2 * far, 3 * far + 1),
                     (3 * far, 10**9 * far + 5)]
            for inner, outer in edges:
                if outer > 2**52:
                    continue
                chord = a / (inner + outer)
                rate = max(chord, Fraction(d, 2 * outer * outer))
                if inner > 0:
                    rate = min(rate, Fraction(d, 2 * inner * inner))
                kind = 0 if rate == chord else 1 if rate > chord else 2
                anchor = outer if rate >= chord else inner
                value = exp(real(rate * anchor * anchor - a * anchor - Fraction(d, 2))) * theta(real(rate)) ** d
                exponent = int(frexp(value)[1]) - 200
                print(f"{d},{a.numerator}/{a.denominator},{inner},{outer},{kind},{exponent},"
                      f"{int(floor(ldexp(value, -exponent)))}", file=out)
