"""Audits diffprivlib's KMeans from Python: `pip install diffprivlib 'scikit-learn<1.9'`, and run this.

The two inputs differ by one row. Without it, every row is in one corner, and of two clusters one has no rows.
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
centres = lambda rows: KMeans(2, epsilon=EPSILON, bounds=box, random_state=state).fit(rows).cluster_centers_
print(shoal.audit(centres, (corner, np.concatenate([corner, middle])), epsilon=EPSILON, runs=RUNS))
