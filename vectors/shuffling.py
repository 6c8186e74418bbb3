"""δ of the clones of Feldman, McMillan and Talwar (2023), summed term by term with 60 digits: vectors/shuffling.csv.

Two distributions of (a, b): C ~ Bin(n - 1, 2/(f + 1)) others are divided by fair coins, and one person adds one to a with
probability f/(f + 1), or 1/(f + 1), otherwise to b. δ is the sum of the positive parts of P - e^ε·Q over all (a, b):
no threshold, no closed form, no special function.
"""

import csv
from decimal import Decimal, getcontext
from math import comb
from pathlib import Path

getcontext().prec = 60
NEVER = Decimal("1e-60")


def delta(local, n, epsilon):
    f, e = Decimal(local).exp(), Decimal(epsilon).exp()
    q, share = f / (f + 1), 2 / (f + 1)
    first, second = q - e * (1 - q), (1 - q) - e * q
    total, probability = Decimal(0), (1 - share) ** (n - 1)
    for c in range(n):
        if probability > NEVER:
            positive, here = Decimal(0), Decimal(1) / 2**c
            before = Decimal(0)
            for a in range(c + 2):
                difference = first * before + second * here
                if difference > 0:
                    positive += difference
                before, here = here, here * (c - a) / (a + 1)
            total += probability * positive
        probability *= share / (1 - share) * (n - 1 - c) / (c + 1)
    return total


def main():
    cases = [
        (local, n, str(Decimal(local) * Decimal(part)))
        for local in ["0.1", "0.5", "1", "2", "4", "6"]
        for n in [1, 2, 3, 10, 100, 300]
        for part in ["0", "0.05", "0.3", "0.9"]
    ]
    cases += [("4", 5000, "1"), ("4", 5000, "0.5"), ("5", 20_000, "0.7")]
    with Path(__file__).with_name("shuffling.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["local", "reports", "epsilon", "delta"])
        for local, n, epsilon in cases:
            out.writerow([local, n, epsilon, f"{delta(local, n, epsilon):.20e}"])


main()
