"""diffprivlib's KMeans as a program that `shoal audit --command` can audit.

Reads a data set on standard input (a row a line, numbers parted by commas) and prints the centres of each fit on a line.
Use: diffprivlib_kmeans.py EPSILON CLUSTERS
"""

import os
import sys
import warnings

import numpy as np
from diffprivlib.models import KMeans

warnings.simplefilter("ignore")
epsilon, clusters = float(sys.argv[1]), int(sys.argv[2])
rows = np.array([[float(x) for x in line.split(",")] for line in sys.stdin if line.strip()])
columns = rows.shape[1]
for _ in range(int(os.environ.get("SHOAL_AUDIT_RUNS", "1"))):
    # The bounds are given, as its documentation asks for; its own generator of the operating system draws the noise.
    fit = KMeans(n_clusters=clusters, epsilon=epsilon, bounds=(np.zeros(columns), np.ones(columns))).fit(rows)
    print(*fit.cluster_centers_.ravel())
