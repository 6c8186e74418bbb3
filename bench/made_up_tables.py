"""Writes the made-up tables on which the constants of crates/shoal-curator/src/plan.rs were set: mixtures of Gaussians, some well apart, some not.

Usage: made_up_tables.py FOLDER. Writes a CSV per table, and prints its name and k. Measure them with
`utility TABLE K METHOD,… EPSILON,… RUNS`. Needs nothing but Python.
"""

import pathlib
import random
import sys

# Rows, attributes, clusters, standard deviation within a cluster; centres lie anywhere in [-0.8, 0.8]^d.
TABLES = [
    (300, 2, 2, 0.1),
    (300, 4, 3, 0.2),
    (600, 30, 2, 0.3),
    (1000, 10, 4, 0.25),
    (2000, 15, 10, 0.2),
    (3000, 2, 5, 0.05),
    (3000, 6, 5, 0.3),
    (5000, 20, 4, 0.1),
    (10000, 2, 15, 0.06),
    (10000, 5, 8, 0.1),
    (10000, 10, 5, 0.15),
    (20000, 10, 3, 0.5),
    (30000, 4, 4, 0.2),
    (100000, 3, 10, 0.1),
]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for rows, dims, k, spread in TABLES:
        draw = random.Random(rows * 1000 + dims * 10 + k)
        centres = [[draw.uniform(-0.8, 0.8) for _ in range(dims)] for _ in range(k)]
        # Clusters differ in size by up to three times.
        weights = [draw.uniform(1.0, 3.0) for _ in range(k)]
        name = f"made_{rows}_{dims}_{k}"
        with open(folder / f"{name}.csv", "w", encoding="utf-8") as out:
            out.write(",".join(f"x{i}" for i in range(dims)) + "\n")
            for centre in draw.choices(centres, weights, k=rows):
                out.write(",".join(f"{draw.gauss(x, spread):.5f}" for x in centre) + "\n")
        print(name, k)


main()
