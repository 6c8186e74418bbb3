"""Writes the value files of this folder, with mpmath at 700 bits and none of the crate's code.

    python3 generate.py

exp_neg.csv     x as a fraction, floor(exp(-x) * 2^256)
laws.csv        sampler, parameter as a fraction, argument, ln of the probability
normalisers.csv decay as a fraction, half-widths, ln of the K-norm normaliser, variance of the
                first coordinate, all by plain summation over shells
"""

from fractions import Fraction
from pathlib import Path

from mpmath import exp, floor, ldexp, log, mp, mpf, nstr

mp.prec = 700
HERE = Path(__file__).parent


def real(x):
    return mpf(x.numerator) / mpf(x.denominator)


def show(x):
    return f"{x.numerator}/{x.denominator}"


def exponentials():
    xs = [Fraction(n, 7) for n in range(1, 22)]
    xs += [Fraction(1, 2**k) for k in (1, 2, 10, 20, 52, 53, 100, 260)]
    xs += [Fraction(k) for k in (1, 2, 3, 10, 44, 45, 63, 64, 100, 127, 150, 177, 178, 200, 256)]
    xs += [Fraction(1, 10**15), Fraction(3, 10), Fraction(0.1), Fraction(10**30 + 1, 10**30)]
    with open(HERE / "exp_neg.csv", "w") as out:
        print("x,floor_of_exp_times_2_to_256", file=out)
        for x in xs:
            print(f"{show(x)},{int(floor(ldexp(exp(-real(x)), 256)))}", file=out)


def laws():
    rows = []
    for a in [Fraction(10, 3), Fraction(1), Fraction(2, 15), Fraction(1, 1000),
              Fraction(1, 2**20), Fraction(1, 10**15), Fraction(100), Fraction(1, 10)]:
        alpha = exp(-real(a))
        for z in (0, 1, 2, 5, 1000, 10**6):
            rows.append(("geometric", a, z, log(1 - alpha) - real(a) * z))
            value = log((1 - alpha) / (1 + alpha)) - real(a) * z
            rows.append(("laplace", a, z, value))
            rows.append(("laplace", a, -z, value))
    for s2 in [Fraction(1, 10), Fraction(9, 100), Fraction(1), Fraction(3, 2), Fraction(225, 4),
               Fraction(10**6), Fraction(2**40)]:
        sigma2 = real(s2)
        if s2 < 10**4:
            reach = int(60 * float(s2) ** 0.5) + 3
            total = 1 + 2 * sum(exp(-mpf(k * k) / (2 * sigma2)) for k in range(1, reach))
        else:
            # Poisson summation, where the correction is far below the printed digits.
            total = mp.sqrt(2 * mp.pi * sigma2)
        for z in (0, 1, -1, 2, 10, 1000):
            rows.append(("gaussian", s2, z, -mpf(z * z) / (2 * sigma2) - log(total)))
    with open(HERE / "laws.csv", "w") as out:
        print("sampler,parameter,z,ln_pmf", file=out)
        for name, parameter, z, value in rows:
            print(f"{name},{show(parameter)},{z},{nstr(value, 30)}", file=out)


def normalisers():
    cases = [(Fraction(1), [1]), (Fraction(1), [1, 1]), (Fraction(1, 2), [1, 1, 1]),
             (Fraction(3), [1] * 11), (Fraction(1, 4), [1] * 6), (Fraction(1), [5, 2]),
             (Fraction(2), [1000, 1, 30]), (Fraction(1, 50), [1] * 50), (Fraction(40), [3, 3]),
             (Fraction(1, 100), [7])]
    with open(HERE / "normalisers.csv", "w") as out:
        print("decay,half_widths,ln_normaliser,variance_of_first", file=out)
        for a, widths in cases:
            alpha = exp(-real(a))

            def points(m):
                product = 1
                for w in widths:
                    product *= 2 * m * w + 1
                return product

            total = second = mpf(0)
            weight = mpf(1)
            for m in range(int(600 / a) + 60 * len(widths) + 60):
                share = points(m) * weight
                n = m * widths[0]
                total += share
                second += share * n * (n + 1) / 3
                weight *= alpha
            normaliser = (1 - alpha) * total
            print(f"{show(a)},{' '.join(map(str, widths))},{nstr(log(normaliser), 30)},"
                  f"{nstr(second / total, 30)}", file=out)


exponentials()
laws()
normalisers()
