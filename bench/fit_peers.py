"""End to end: `shoal fit --method dplloyd` on a Parquet file against diffprivlib's KMeans on the same array in memory.

Run through bench/run.sh, or by hand: python bench/fit_peers.py SHOAL_PROGRAM
This process imports nothing large: a child's peak memory as the kernel reports it is at least its parent's.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

ROWS, DIMS, K = 1_000_000, 10, 10
LATTICE_BYTES = ROWS * DIMS * 2
# The table that is too large for its memory: this many times the rows.
TIMES, BUDGET = 8, "48M"

MAKE = f"""
import numpy, pyarrow, pyarrow.parquet, sys
random = numpy.random.default_rng(1)
centres = random.uniform(-0.7, 0.7, ({K}, {DIMS}))
x = numpy.clip(centres[random.integers({K}, size={ROWS})] + random.normal(0, 0.15, ({ROWS}, {DIMS})), -1, 1)
numpy.save(sys.argv[1] + "/x.npy", x)
table = pyarrow.table({{f"x{{i}}": x[:, i] for i in range({DIMS})}})
pyarrow.parquet.write_table(table, sys.argv[1] + "/x.parquet")
with pyarrow.parquet.ParquetWriter(sys.argv[1] + "/large.parquet", table.schema) as large:
    for _ in range({TIMES}):
        large.write_table(table)
"""

PEER = f"""
import sys, time, warnings
import numpy
warnings.filterwarnings("ignore")
from diffprivlib.models import KMeans
x = numpy.load(sys.argv[1] + "/x.npy")
best = float("inf")
for _ in range(3):
    start = time.perf_counter()
    KMeans({K}, epsilon=1.0, bounds=(-1, 1)).fit(x)
    best = min(best, time.perf_counter() - start)
print(best)
"""


def measure(command):
    """Wall time and peak memory of one run."""
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def main(shoal):
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-c", MAKE, folder], check=True)
        fit = [shoal, "fit", f"{folder}/x.parquet", "-k", str(K), "-e", "1", "--bounds=-1,1", "--method", "dplloyd", "-q"]
        results = {}
        for threads in (1, 2):
            runs = [measure(fit + ["--threads", str(threads)]) for _ in range(5)]
            results[threads] = (min(t for t, _ in runs), max(m for _, m in runs))
        streamed = measure([fit[0], "fit", f"{folder}/large.parquet"] + fit[3:] + ["--memory", BUDGET])
        peer = float(subprocess.run([python, "-c", PEER, folder], check=True, capture_output=True, text=True).stdout)

    print(f"\nprivate k-means, {ROWS:,} x {DIMS}, k = {K}, epsilon 1, 5 iterations (diffprivlib chooses its own number)")
    print(f"diffprivlib KMeans, array in memory, best of 3:            {peer:8.3f} s")
    for threads, (seconds, memory) in results.items():
        print(f"shoal fit from Parquet, {threads} thread(s), best of 5:            {seconds:8.3f} s   {peer / seconds:6.1f} times faster"
              f"   peak memory {memory / 1e6:6.1f} MB = {memory / LATTICE_BYTES:.2f} x lattice points")
    print(f"{TIMES} times the rows ({TIMES * LATTICE_BYTES / 1e6:.0f} MB of points), --memory {BUDGET}, once:   {streamed[0]:8.3f} s"
          f"   peak memory {streamed[1] / 1e6:6.1f} MB, program included")
    print(json.dumps({"diffprivlib_s": peer, "shoal": {t: {"s": s, "bytes": m} for t, (s, m) in results.items()}}))


if __name__ == "__main__":
    main(sys.argv[1])
