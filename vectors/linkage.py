"""Golden vectors for hierarchical clustering in crates/shoal-kernel/src/by_distance/hierarchical.rs.

Run from the top of the repository:

    python3 -m venv linkage-venv && linkage-venv/bin/pip install numpy scipy
    linkage-venv/bin/python vectors/linkage.py

It writes vectors/linkage.json, the same bytes every time with the same versions of numpy and scipy. Distances are between
random points in the plane, in the order of scipy's condensed form, so that no two are equal; merges are as scipy has
them: two clusters, height, size. Cuts are labels in the order of first records, for several numbers of clusters.
"""

import json
import pathlib

import numpy
import scipy
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist


def in_order(labels):
    numbers = {}
    return [numbers.setdefault(int(label), len(numbers)) for label in labels]


def main():
    random = numpy.random.default_rng(20)
    cases = []
    for n in [2, 3, 10, 30]:
        distances = pdist(random.normal(size=(n, 2)) + 3 * random.integers(0, 2, size=(n, 1)))
        for method in ["single", "complete", "average"]:
            merges = linkage(distances, method)
            cuts = [[k, in_order(fcluster(merges, k, "maxclust"))] for k in sorted({1, 2, n // 3 + 1, n})]
            cases.append({
                "method": method,
                "records": n,
                "distances": distances.tolist(),
                "merges": [[int(a), int(b), h, int(size)] for a, b, h, size in merges.tolist()],
                "cuts": cuts,
            })
    vectors = {"numpy": numpy.__version__, "scipy": scipy.__version__, "cases": cases}
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(vectors, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
