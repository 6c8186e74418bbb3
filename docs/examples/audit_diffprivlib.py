"""Audits diffprivlib's KMeans from Python: `pip install diffprivlib 'scikit-learn<1.9'`, and run this.

The two inputs differ by one row. Without it, every row is in one corner of the box, so of two clusters one often has no rows, and
diffprivlib leaves the centre of such a cluster where it was drawn: away from the sides. What is released may be looked at in any
way, and keeps its guarantee. Here the look is at how far the more central of the two centres is from the middle.
"""

import sys
import warnings

import numpy as np
import shoal
from diffprivlib.models import KMeans

warnings.simplefilter("ignore")
RUNS, EPSILON = int(sys.argv[1]) if len(sys.argv) > 1 else 2000, 0.1
#: A number makes the audit repeatable, for tests.
state = np.random.RandomState(int(sys.argv[2])) if len(sys.argv) > 2 else None

corner, middle = np.zeros((20, 5)), np.full((1, 5), 0.5)
box = (np.zeros(5), np.ones(5))


def released(rows):
    centres = KMeans(2, epsilon=EPSILON, bounds=box, random_state=state).fit(rows).cluster_centers_
    return np.abs(centres - middle).max(axis=1).min()


print(shoal.audit(released, (corner, np.concatenate([corner, middle])), epsilon=EPSILON, runs=RUNS))
