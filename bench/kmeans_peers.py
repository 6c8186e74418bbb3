"""k-means of Shoal beside scikit-learn and faiss: same data, same start, same number of iterations.

    bench/setup_venv.sh && bench/.venv/bin/python bench/kmeans_peers.py [--quick] [--json FILE]

Every program starts from 32-bit floats in memory and ends with centres; for Shoal that includes its conversion to the
lattice. scikit-learn also gets the data as 64-bit floats, converted beforehand, if that is what it likes better. Each
timing is the best of three after a warm-up run.

The centres after one iteration and after all must agree to 1e-4 of the box. Iterations from a random start amplify
small differences where clusters are small or not clear; so scikit-learn also runs on rows and start centres that are
moved at random by up to half a step of our search, which is what its rounding does, and where that alone changes its
centres by more than 1e-4, twice that change is allowed instead. The check after one iteration, before anything is
amplified, is the strict one.

On a busy machine --cpu compares processor time at one thread in place of wall-clock time.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import faiss
import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

ITERATIONS = 10
AGREEMENT = 1e-4
ROOT = pathlib.Path(__file__).resolve().parent.parent


def make(kind, rows, dims, clusters, seed):
    """Overlapping Gaussian blobs, or uniform points without any clusters; start centres are distinct rows."""
    rng = np.random.default_rng(seed)
    if kind == "blobs":
        means = rng.uniform(-0.7, 0.7, (clusters, dims))
        # Wide enough for clusters to touch: about every tenth row is nearer to a foreign mean.
        spread = 0.25 if dims <= 16 else 0.45
        data = means[rng.integers(0, clusters, rows)] + rng.normal(0, spread, (rows, dims))
    else:
        data = rng.uniform(-1, 1, (rows, dims))
    data = data.astype(np.float32)
    start = data[rng.choice(rows, clusters, replace=False)].astype(np.float64)
    return data, start


def best_of(runs, work, clock):
    work()
    times = []
    for _ in range(runs):
        begin = clock()
        result = work()
        times.append(clock() - begin)
    return min(times), result


def agreement(data, start, ours, box, iterations):
    """Our distance from scikit-learn's centres, and the distance allowed."""
    theirs = scikit(data.astype(np.float64), start, "lloyd", iterations)
    bits = max(b for b in range(16) if 1.5 * data.shape[1] * 4**b < 2**31)
    rounding = lambda shape: np.random.default_rng(1).uniform(-0.5, 0.5, shape) * box / 2 / 2**bits
    moved = scikit(data + rounding(data.shape), start + rounding(start.shape), "lloyd", iterations)
    far = lambda a: float(np.max(np.abs(a - theirs) / box))
    return far(ours), max(AGREEMENT, 2 * far(moved))


def scikit(data, start, algorithm, iterations=ITERATIONS):
    model = KMeans(len(start), init=start.astype(data.dtype), n_init=1, max_iter=iterations, tol=0, algorithm=algorithm)
    return model.fit(data).cluster_centers_


def faiss_kmeans(data, start):
    rows, dims = data.shape
    model = faiss.Kmeans(dims, len(start), niter=ITERATIONS, nredo=1, max_points_per_centroid=rows,
                         min_points_per_centroid=1, verbose=False)
    model.train(data, init_centroids=start.astype(np.float32))
    return model.centroids


def peers(data, start, threads, runs, clock):
    """Seconds and centres of every peer at a number of threads."""
    wide = data.astype(np.float64)
    found = {}
    with threadpool_limits(threads):
        faiss.omp_set_num_threads(threads)
        for algorithm in ("lloyd", "elkan"):
            for name, array in (("f32", data), ("f64", wide)):
                label = f"scikit-learn {algorithm} {name}"
                found[label] = best_of(runs, lambda: scikit(array, start, algorithm), clock)
        found["faiss f32"] = best_of(runs, lambda: faiss_kmeans(data, start), clock)
    return found


def shoal(binary, data, start, lo, hi, runs, iterations=ITERATIONS):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data.tofile(folder / "data.f32")
        start.astype(np.float64).tofile(folder / "start.f64")
        np.concatenate([lo, hi]).astype(np.float64).tofile(folder / "bounds.f64")
        out = subprocess.run([binary, folder, str(data.shape[1]), str(iterations), str(runs)],
                             check=True, capture_output=True, text=True).stdout
    result = json.loads(out)
    result["centres"] = np.array(result["centres"]).reshape(start.shape)
    return result


def compare(binary, kind, rows, dims, clusters, goal, runs, cpu):
    data, start = make(kind, rows, dims, clusters, seed=20_240_117)
    # One interval for all attributes, because Shoal measures distances in boxes and the peers in the data's units.
    lo, hi = np.full(dims, data.min(), np.float64), np.full(dims, data.max(), np.float64)
    threads = (1,) if cpu else (1, 2)
    clock = time.process_time if cpu else time.perf_counter
    ours = shoal(binary, data, start, lo, hi, runs)
    per_thread = {t: peers(data, start, t, runs, clock) for t in threads}
    once = shoal(binary, data, start, lo, hi, 0, iterations=1)
    first, first_allowed = agreement(data, start, once["centres"], hi - lo, 1)
    _, allowed = agreement(data, start, ours["centres"], hi - lo, ITERATIONS)

    print(f"\n{kind} {rows:,} x {dims}, k = {clusters}, {ITERATIONS} iterations,"
          f" {'processor' if cpu else 'wall-clock'} time (load {os.getloadavg()[0]:.1f})")
    print(f"  {'':24}" + "".join(f"{f'{t} threads':>11}" for t in threads)
          + f"   largest difference of centres, in boxes (allowed: {allowed:.1e})")
    print(f"  {'after one iteration':24}" + " " * 11 * len(threads) + f"   {first:.1e} (allowed: {first_allowed:.1e})"
          + ("" if first <= first_allowed else "  DIFFERS"))
    table, fine = {}, first <= first_allowed
    for name in per_thread[1]:
        times = [per_thread[t][name][0] for t in threads]
        gap = float(np.max(np.abs(per_thread[1][name][1] - ours["centres"]) / (hi - lo)))
        # faiss splits clusters on its own account, so only scikit-learn is held to agreement.
        agrees = gap <= allowed
        fine &= agrees or name.startswith("faiss")
        table[name] = {"seconds": times, "difference": gap}
        print(f"  {name:24}" + "".join(f"{x:10.3f}s" for x in times) + f"   {gap:.1e}{'' if agrees else '  DIFFERS'}")
    times = [ours["threads"][str(t)]["cpu" if cpu else "total"] for t in threads]
    print(f"  {'shoal':24}" + "".join(f"{x:10.3f}s" for x in times))
    ratios = []
    for i, t in enumerate(threads):
        fastest = min(table, key=lambda name: table[name]["seconds"][i])
        ratios.append(table[fastest]["seconds"][i] / times[i])
        parts = ours["threads"][str(t)]
        step = parts["iterate"] / ITERATIONS
        print(f"  {t} threads: {ratios[-1]:.1f} times faster than {fastest}"
              f"{'' if ratios[-1] >= goal else f'  BELOW THE GOAL OF {goal}'}")
        print(f"     memory limit: one read of the floats {parts['read_f32'] * 1e3:.2f} ms, of the lattice"
              f" {parts['read_i16'] * 1e3:.2f} ms; conversion {parts['convert'] * 1e3:.1f} ms, an iteration"
              f" {step * 1e3:.2f} ms = {step / parts['read_i16']:.1f} reads of the lattice")
    return fine, {"case": [kind, rows, dims, clusters], "peers": table, "shoal": ours["threads"], "ratios": ratios}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, one run per timing")
    parser.add_argument("--cpu", action="store_true", help="processor time at one thread, for a busy machine")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    parser.add_argument("--binary", type=pathlib.Path, help="a built kmeans program; default: build it with cargo")
    args = parser.parse_args()
    binary = args.binary
    if binary is None:
        subprocess.run(["cargo", "build", "--release", "-p", "shoal-bench", "--bin", "kmeans"], cwd=ROOT, check=True)
        binary = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "kmeans"
    rows, runs = (100_000, 1) if args.quick else (1_000_000, 3)
    results, fine = [], True
    for dims, clusters, goal in ((10, 10, 3.0), (64, 100, 2.0)):
        for kind in ("blobs", "uniform"):
            agreed, result = compare(binary, kind, rows, dims, clusters, goal, runs, args.cpu)
            fine &= agreed
            results.append(result)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    sys.exit(0 if fine else "centres differ from scikit-learn's")


if __name__ == "__main__":
    main()
