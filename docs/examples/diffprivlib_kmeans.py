"""diffprivlib's KMeans as a program that `shoal audit --command` can audit.

Reads a data set on standard input (a row a line, numbers separated by commas) and prints the centres of each fit on a line.
Use: diffprivlib_kmeans.py EPSILON CLUSTERS [as-is | never-skip]

never-skip is the same but for one thing: a cluster without rows gets noise on a sum and a count of zero, as the others do,
where diffprivlib leaves its centre where it was.
"""

import os
import sys
import warnings

import numpy as np
from diffprivlib.mechanisms import GeometricFolded, LaplaceBoundedDomain
from diffprivlib.models import KMeans


class NeverSkip(KMeans):
    """diffprivlib's update, in which a cluster without rows is treated as the others are."""

    def _update_centers(self, X, centers, labels, dims, total_iters, random_state):
        epsilon_count, epsilon_sum = self._split_epsilon(dims, total_iters)
        low, high = self.bounds
        count_noise = GeometricFolded(
            epsilon=epsilon_count, sensitivity=1, lower=0.5, upper=float("inf"), random_state=random_state
        )
        for cluster in range(self.n_clusters):
            members = X[labels == cluster]
            count = count_noise.randomise(len(members))
            for i in range(dims):
                sum_noise = LaplaceBoundedDomain(
                    epsilon=epsilon_sum,
                    sensitivity=high[i] - low[i],
                    lower=count * low[i],
                    upper=count * high[i],
                    random_state=random_state,
                )
                centers[cluster, i] = sum_noise.randomise(float(members[:, i].sum())) / count
        return centers


warnings.simplefilter("ignore")
epsilon, clusters = float(sys.argv[1]), int(sys.argv[2])
model = NeverSkip if sys.argv[3:] == ["never-skip"] else KMeans
rows = np.array([[float(x) for x in line.split(",")] for line in sys.stdin if line.strip()])
columns = rows.shape[1]
for _ in range(int(os.environ.get("SHOAL_AUDIT_RUNS", "1"))):
    # The bounds are given, as its documentation asks for; its own generator of the operating system draws the noise.
    fit = model(n_clusters=clusters, epsilon=epsilon, bounds=(np.zeros(columns), np.ones(columns))).fit(rows)
    print(*fit.cluster_centers_.ravel())
