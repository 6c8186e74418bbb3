"""Golden vectors for the (epsilon', delta') curve in crates/shoal-consortium/src/promise/curve.rs.

Run from the top of the repository:

    python3 -m venv curve-venv && curve-venv/bin/pip install mpmath
    curve-venv/bin/python vectors/dpbv_curve.py

It writes vectors/dpbv_curve.csv, the same bytes every time.

The numbers of bits that differ are summed over binomial laws, and for each number of them the outcomes of randomised
response, straight from the definition delta = sum_y [P(y) - e^eps' Q(y)]_+. The program works with a recurrence for the
law of the loss instead. `draws` is bits:telling/positions, several joined by `+`.
"""

import csv
import pathlib

from mpmath import binomial, exp, mp, mpf, nstr

mp.dps = 50

SHOWN = 20


def count_law(bits, telling, positions):
    """P(h) for h = 0..bits, by its recurrence in exact-enough arithmetic."""
    q = mpf(telling) / positions
    if telling == positions:
        return {bits: mpf(1)}
    return {h: binomial(bits, h) * q**h * (1 - q) ** (bits - h) for h in range(bits + 1)}


def joined(laws):
    total = {0: mpf(1)}
    for law in laws:
        summed = {}
        for h, p in total.items():
            for g, r in law.items():
                summed[h + g] = summed.get(h + g, mpf(0)) + p * r
        total = summed
    return total


def delta_of_bits(h, epsilon, at):
    """Sum over the number j of bits that speak for the true value."""
    keep = 1 / (1 + exp(-epsilon))
    flip = 1 / (1 + exp(epsilon))
    total = mpf(0)
    term = keep**h  # P(j) for j = h, then downward
    for j in range(h, -1, -1):
        excess = 1 - exp(at - epsilon * (2 * j - h))
        if excess <= 0:
            break
        total += term * excess
        if j > 0:
            term = term * j / (h - j + 1) * flip / keep
    return total


CASES = [
    # epsilon per bit, draws, epsilon' to look at
    ("1", [(1, 1, 1)], ["0", "0.5", "0.99"]),
    ("1", [(5, 1, 1)], ["0", "1", "2.5", "3", "4.9"]),
    ("0.001", [(100, 1, 1)], ["0", "0.01", "0.05", "0.09"]),
    ("0.1", [(640, 1, 1)], ["0", "3", "10", "20", "40"]),
    ("1", [(1000, 1, 1)], ["1", "400", "462.5", "591", "600", "800"]),
    ("2", [(1000, 1, 1)], ["2", "1500", "1600.3", "1800"]),
    ("10", [(50, 1, 1)], ["10", "470", "485", "499"]),
    ("1", [(64000, 1, 1)], ["1", "29000", "30000", "30600.25"]),
    # So many that a logarithm of the smallest share has few digits left behind the point.
    ("0.5", [(300000, 1, 1)], ["37534.25", "38118.5"]),
    ("2", [(1000000, 1, 1)], ["1527076.5", "1529928"]),
    ("5", [(16777216, 1, 1)], ["82773225", "82780572"]),
    ("1", [(1000, 1, 1000)], ["1", "3", "6.9", "10"]),
    ("1", [(1000, 1, 100)], ["1", "5", "21", "30"]),
    ("1", [(1000, 1, 10)], ["1", "46", "80", "94", "110"]),
    ("0.5", [(300, 131068, 131069)], ["1", "36", "60.5", "90"]),
    ("1", [(30, 1, 10), (30, 1, 3)], ["0", "1", "10.5", "20"]),
    ("0.7", [(20, 1, 100), (20, 1, 2), (20, 1, 1)], ["0", "8", "14", "20"]),
    ("3", [(40, 3, 7), (40, 1, 50)], ["3", "50", "70", "90"]),
]


def main():
    rows = []
    for epsilon, draws, places in CASES:
        law = joined([count_law(*draw) for draw in draws])
        text = "+".join(f"{bits}:{telling}/{positions}" for bits, telling, positions in draws)
        for at in places:
            delta = mpf(0)
            for h, p in law.items():
                if p > mpf(10) ** -60:
                    delta += p * delta_of_bits(h, mpf(epsilon), mpf(at))
            rows.append([epsilon, text, at, nstr(delta, SHOWN, min_fixed=1, max_fixed=0)])
    with (pathlib.Path(__file__).parent / "dpbv_curve.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["epsilon", "draws", "epsilon_prime", "delta"])
        writer.writerows(rows)


main()
