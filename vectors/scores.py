"""Golden and negative vectors for the scores in crates/shoal-kernel/src/score.

Run from the top of the repository:

    python3 -m venv scores-venv && scores-venv/bin/pip install numpy scikit-learn
    scores-venv/bin/python vectors/scores.py

It writes vectors/scores.json, the same bytes every time with the same versions of numpy and scikit-learn.

ARI and NMI come from scikit-learn; ARI is checked here against exact fractions. NICV, SSE and RE have no counterpart
there: they are computed from their formulas in exact fractions, with one rounding per root and one at the end. Numbers
that JSON lacks are the strings "nan" and "inf".
"""

import json
import math
import pathlib
from collections import Counter
from fractions import Fraction

import numpy
import sklearn
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

NORMALIZERS = ["arithmetic", "geometric", "min", "max"]


def squared(a, b):
    return sum((Fraction(x) - Fraction(y)) ** 2 for x, y in zip(a, b, strict=True))


def root(value):
    """The square root of a fraction, good to more than a double."""
    scale = 1 << 200
    return Fraction(math.isqrt(math.floor(value * scale * scale)), scale)


def rows(values, dims):
    return [values[i : i + dims] for i in range(0, len(values), dims)]


def point_case(name, dims, points, centres, labels):
    records, means = rows(points, dims), rows(centres, dims)
    nearest = [min(squared(record, centre) for centre in means) for record in records]
    own = [squared(record, means[label]) for record, label in zip(records, labels, strict=True)]
    return {
        "name": name,
        "dims": dims,
        "points": points,
        "centres": centres,
        "labels": labels,
        "nicv": float(sum(nearest) / len(records)),
        "nicv_unsquared": float(sum(map(root, nearest)) / len(records)),
        "sse_nearest": float(sum(nearest)),
        "sse": float(sum(own)),
    }


def exact_ari(left, right):
    pairs = lambda counts: sum(n * (n - 1) // 2 for n in counts)
    both = pairs(Counter(zip(left, right)).values())
    a, b, total = pairs(Counter(left).values()), pairs(Counter(right).values()), pairs([len(left)])
    expected = Fraction(a * b, total) if total else Fraction(0)
    below = Fraction(a + b, 2) - expected
    return float((both - expected) / below) if below else 1.0


def label_case(name, left, right):
    ari = float(adjusted_rand_score(left, right))
    assert math.isclose(ari, exact_ari(left, right), rel_tol=1e-13, abs_tol=1e-15), name
    nmi = {n: float(normalized_mutual_info_score(left, right, average_method=n)) for n in NORMALIZERS}
    return {"name": name, "left": left, "right": right, "ari": ari, "nmi": nmi}


def relative_error_case(name, dims, records, reports, true_labels, report_labels, matching):
    def sums(points, labels, cluster):
        members = [row for row, label in zip(rows(points, dims), labels, strict=True) if label == cluster]
        return [sum(Fraction(row[i]) for row in members) for i in range(dims)], len(members)

    same = letter = centres = Fraction(0)
    for cluster, partner in enumerate(matching):
        true_sum, size = sums(records, true_labels, cluster)
        own_sum, _ = sums(reports, true_labels, cluster)
        found_sum, found_size = sums(reports, report_labels, partner)
        same += root(squared(true_sum, own_sum)) / size
        letter += root(squared(true_sum, found_sum)) / size
        centres += root(squared([x / size for x in true_sum], [x / found_size for x in found_sum]))
    return {
        "name": name,
        "dims": dims,
        "records": records,
        "reports": reports,
        "true_labels": true_labels,
        "report_labels": report_labels,
        "matching": matching,
        "same_members": float(same),
        "matched": float(letter),
        "centre_distance": float(centres),
    }


def flat(array, decimals=6):
    return [round(float(x), decimals) for x in numpy.asarray(array).ravel()]


def main():
    random = numpy.random.default_rng(20160309)
    means = numpy.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
    truth = [i % 3 for i in range(60)]
    flowers = means[truth] + random.normal(0, 0.35, (60, 4))
    noisy_labels = [label if random.random() < 0.8 else int(random.integers(3)) for label in truth]
    by_chance = [int(label) for label in random.integers(0, 4, 60)]
    line = [round(0.1 * i, 1) for i in range(12)]

    points = [
        point_case("three flowers", 4, flat(flowers), flat(means), truth),
        point_case("three flowers, some labels wrong", 4, flat(flowers), flat(means + 0.3), noisy_labels),
        point_case("one centre", 4, flat(flowers), flat(means[:1]), [0] * 60),
        point_case("centres on the points", 1, line, line, list(range(12))),
        point_case("one point", 2, [0.25, -0.5], [1.0, 1.0], [0]),
        point_case("the same point often", 2, [0.1, 0.7] * 50, [0.3, 0.1, 0.3, 0.1], [i % 2 for i in range(50)]),
        point_case("far from the origin", 2, flat(1e6 + random.random((20, 2))), [1e6, 1e6, 1e6 + 1, 1e6], [0] * 20),
        point_case("tiny values", 2, flat(random.random((10, 2)) * 1e-9, 18), [0.0, 0.0], [0] * 10),
        point_case("a tie", 1, [0.0, 0.0, 3.0], [-1.0, 1.0], [1, 0, 1]),
    ]
    labels = [
        label_case("the same", truth, truth),
        label_case("the same under other names", truth, [10 - 3 * label for label in truth]),
        label_case("some wrong", truth, noisy_labels),
        label_case("by chance", truth, by_chance),
        label_case("one cluster against three", truth, [0] * 60),
        label_case("three clusters against one", [4] * 60, truth),
        label_case("one cluster on both sides", [1] * 60, [2] * 60),
        label_case("singletons on both sides", list(range(20)), list(range(20, 40))),
        label_case("singletons against one cluster", list(range(20)), [0] * 20),
        label_case("singletons against three", list(range(60)), truth),
        label_case("one row", [3], [5]),
        label_case("two rows, together and apart", [0, 0], [0, 1]),
        label_case("independent", [0, 0, 1, 1], [0, 1, 0, 1]),
        label_case("independent, uneven", [0] * 12 + [1] * 6, ([0] * 4 + [1] * 8) + ([0] * 2 + [1] * 4)),
        label_case("finer on one side", truth, [2 * label + i % 2 for i, label in enumerate(truth)]),
        label_case("very uneven", [0] * 500 + [1], [0] * 499 + [1, 1]),
    ]
    reports = flowers + random.laplace(0, 0.8, flowers.shape)
    found = [int(numpy.argmin(((row - means[[2, 0, 1]]) ** 2).sum(axis=1))) for row in reports]
    relative = [
        relative_error_case("nothing perturbed", 4, flat(flowers), flat(flowers), truth, truth, [0, 1, 2]),
        relative_error_case("noise", 4, flat(flowers), flat(reports), truth, found, [1, 2, 0]),
        relative_error_case("one cluster", 4, flat(flowers), flat(reports), [0] * 60, [0] * 60, [0]),
        relative_error_case("by hand", 1, [0.0, 2.0, 10.0], [3.0, 3.0, 10.0], [0, 0, 1], [1, 1, 0], [1, 0]),
    ]
    malformed = [
        {"measure": "nicv", "dims": 2, "points": [1, 2, 3], "centres": [0, 0], "error": "columns"},
        {"measure": "nicv", "dims": 2, "points": [1, 2], "centres": [0, 0, 0], "error": "columns"},
        {"measure": "nicv", "dims": 2, "points": [1, 2], "centres": [], "error": "centres"},
        {"measure": "nicv", "dims": 0, "points": [], "centres": [], "error": "columns"},
        {"measure": "nicv", "dims": 2, "points": [], "centres": [0, 0], "error": "no rows"},
        {"measure": "nicv", "dims": 2, "points": [1, "nan"], "centres": [0, 0], "error": "finite"},
        {"measure": "nicv", "dims": 2, "points": [1, 2], "centres": [0, "inf"], "error": "finite"},
        {"measure": "sse", "dims": 1, "points": [1], "centres": [0], "labels": [1], "error": "label 1"},
        {"measure": "sse", "dims": 1, "points": [], "centres": [0], "labels": [], "error": "no rows"},
        {"measure": "labels", "left": [0, 1], "right": [0], "error": "compared"},
        {"measure": "labels", "left": [], "right": [], "error": "no rows"},
        {"measure": "matched", "matching": [0, 0], "error": "one to one"},
        {"measure": "matched", "matching": [0, 2], "error": "one to one"},
        {"measure": "matched", "matching": [0], "error": "one to one"},
    ]
    vectors = {
        "format": 1,
        "from": f"vectors/scores.py, numpy {numpy.__version__}, scikit-learn {sklearn.__version__}",
        "points": points,
        "labels": labels,
        "relative_error": relative,
        "malformed": malformed,
    }
    # One case per line, so that a change shows where it is.
    parts = []
    for key, value in vectors.items():
        if isinstance(value, list):
            cases = ",\n".join("  " + json.dumps(case, allow_nan=False) for case in value)
            parts.append(f'"{key}": [\n{cases}\n]')
        else:
            parts.append(f'"{key}": {json.dumps(value)}')
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


main()
