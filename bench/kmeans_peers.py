"""k-means of Shoal beside scikit-learn and faiss: same data, same start, same number of iterations.

    bench/setup_venv.sh && bench/.venv/bin/python bench/kmeans_peers.py [--quick] [--json FILE] [BINARY]

Every program starts from 32-bit floats in memory and ends with centres; for Shoal that includes its conversion to the
lattice. scikit-learn also gets the data as 64-bit floats, converted beforehand, if that is what it likes better. Each
timing is the best of three after a warm-up run. Of the larger tables only the peers that are fast on a tenth of the
rows are timed.

Centres are compared with those of scikit-learn in 64-bit floats, after one iteration and after ten. They must agree to
1e-4 of the box, with one exception: where there are no clusters, iterations amplify the smallest difference. There the
yardstick is what happens to scikit-learn's own centres when rows and start are rounded to our 16 bits beforehand; ours may
differ by twice as much where that is more. How far its 32-bit run is from its 64-bit run is printed next to it. Shoal must also be faster than the fastest peer by the factor given as the goal.

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


# Rows, attributes, clusters, goal.
CASES = ((1_000_000, 10, 10, 3.0), (1_000_000, 64, 100, 2.0))
# Above this many numbers a table is large: peers are chosen on a tenth of it.
LARGE = 20_000_000


def make(kind, rows, dims, clusters, seed):
    """Rows and start centres: overlapping Gaussian blobs, or uniform points without any clusters."""
    rng = np.random.default_rng(seed)
    if kind == "blobs":
        means = rng.uniform(-0.7, 0.7, (clusters, dims))
        # Wide enough for clusters to touch: about every tenth row is nearer to a foreign mean.
        spread = 0.25 if dims <= 16 else 0.45
        blob = rng.integers(0, clusters, rows)
        data = means[blob] + rng.normal(0, spread, (rows, dims))
    else:
        data = rng.uniform(-1, 1, (rows, dims))
    data = data.astype(np.float32)
    if kind == "blobs" and dims > 16:
        # With many clusters a random start leaves several of them to one centre, and what follows is chaotic.
        chosen = np.unique(blob, return_index=True)[1]
    else:
        chosen = rng.choice(rows, clusters, replace=False)
    return data, data[chosen].astype(np.float64)


def best_of(runs, work, clock):
    work()
    times = []
    for _ in range(runs):
        begin = clock()
        result = work()
        times.append(clock() - begin)
    return min(times), result


def lattice(values, lo, hi):
    """Values after the rounding to 16 bits that Shoal starts with."""
    return lo + np.rint((values - lo) * (65_534 / (hi - lo))) * ((hi - lo) / 65_534)


def agreement(data, start, ours, lo, hi, iterations, tolerance, strict, compare_rounding):
    """Whether our centres are close enough to scikit-learn's; prints how close."""
    wide = data.astype(np.float64)
    theirs = scikit(wide, start, "lloyd", iterations)
    far = lambda a: float(np.max(np.abs(a - theirs) / (hi - lo)))
    gap, allowed, yardstick = far(ours), tolerance, ""
    if compare_rounding:
        moved = far(scikit(lattice(wide, lo, hi), lattice(start, lo, hi), "lloyd", iterations))
        allowed = allowed if strict else max(tolerance, 2 * moved)
        yardstick = (f"; scikit-learn's own: {moved:.1e} when rows are rounded to 16 bits,"
                     f" {far(scikit(data, start, 'lloyd', iterations)):.1e} in 32-bit floats")
    print(f"  after {iterations} iteration{'s' if iterations > 1 else ''} centres differ by {gap:.1e} of the box from"
          f" scikit-learn lloyd f64 (allowed {allowed:.1e}){'' if gap <= allowed else '  DIFFERS'}{yardstick}")
    return gap <= allowed


def scikit(data, start, algorithm, iterations=ITERATIONS):
    model = KMeans(len(start), init=start.astype(data.dtype), n_init=1, max_iter=iterations, tol=0, algorithm=algorithm)
    return model.fit(data).cluster_centers_


def faiss_kmeans(data, start):
    rows, dims = data.shape
    model = faiss.Kmeans(dims, len(start), niter=ITERATIONS, nredo=1, max_points_per_centroid=rows,
                         min_points_per_centroid=1, verbose=False)
    model.train(data, init_centroids=start.astype(np.float32))
    return model.centroids


PEERS = tuple(f"scikit-learn {algorithm} {name}" for algorithm in ("lloyd", "elkan") for name in ("f32", "f64")) + ("faiss f32",)


def peers(data, start, names, threads, runs, clock):
    """Seconds and centres of the named peers at a number of threads."""
    wide = data.astype(np.float64) if any(name.endswith("f64") for name in names) else None
    found = {}
    with threadpool_limits(threads):
        faiss.omp_set_num_threads(threads)
        for name in names:
            program, *algorithm, width = name.split()
            if program == "faiss":
                work = lambda: faiss_kmeans(data, start)
            else:
                work = lambda: scikit(data if width == "f32" else wide, start, algorithm[0])
            found[name] = best_of(runs, work, clock)
    return found


def fast_peers(data, start, threads, clock):
    """The peers within half as much again of the fastest on a tenth of the rows, at any number of threads."""
    part = data[:len(data) // 10]
    kept, notes = set(), {}
    for t in threads:
        times = {name: found[0] for name, found in peers(part, start, PEERS, t, 1, clock).items()}
        kept |= {name for name in PEERS if times[name] <= 1.5 * min(times.values())}
        for name in PEERS:
            notes.setdefault(name, []).append(f"{times[name]:.2f}s")
    left_out = [f"{name} {'/'.join(notes[name])}" for name in PEERS if name not in kept]
    kept = [name for name in PEERS if name in kept]
    print(f"  on {len(part):,} rows: " + ", ".join(f"{name} {'/'.join(notes[name])}" for name in kept)
          + (f"; left out as slower: {', '.join(left_out)}" if left_out else ""), flush=True)
    return kept


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


def compare(binary, kind, rows, dims, clusters, goal, runs, cpu, tolerance):
    data, start = make(kind, rows, dims, clusters, seed=20_240_117)
    # One interval for all attributes, because Shoal measures distances in boxes and the peers in the data's units.
    lo, hi = np.full(dims, data.min(), np.float64), np.full(dims, data.max(), np.float64)
    threads = (1,) if cpu else (1, 2)
    clock = time.process_time if cpu else time.perf_counter
    print(f"\n{kind} {rows:,} x {dims}, k = {clusters}, {ITERATIONS} iterations,"
          f" {'processor' if cpu else 'wall-clock'} time (load {os.getloadavg()[0]:.1f})", flush=True)
    names = fast_peers(data, start, threads, clock) if data.size > LARGE else PEERS
    per_thread = {t: peers(data, start, names, t, runs, clock) for t in threads}
    ours = shoal(binary, data, start, lo, hi, runs)
    once = shoal(binary, data, start, lo, hi, 0, iterations=1)

    plural = lambda t: f"{t} thread{'s' if t > 1 else ''}"
    print(f"  {'':24}" + "".join(f"{plural(t):>11}" for t in threads) + "   largest difference from our centres, in boxes")
    table = {}
    for name in names:
        times = [per_thread[t][name][0] for t in threads]
        gap = float(np.max(np.abs(per_thread[1][name][1] - ours["centres"]) / (hi - lo)))
        table[name] = {"seconds": times, "difference": gap}
        print(f"  {name:24}" + "".join(f"{x:10.3f}s" for x in times) + f"   {gap:.1e}")
    times = [ours["threads"][str(t)]["cpu" if cpu else "total"] for t in threads]
    print(f"  {'shoal':24}" + "".join(f"{x:10.3f}s" for x in times))
    for t in threads:
        parts = ours["threads"][str(t)]
        step = parts["iterate"] / ITERATIONS
        print(f"  memory limit, {plural(t)}: one read of the floats {parts['read_f32'] * 1e3:.2f} ms, of the lattice"
              f" {parts['read_i16'] * 1e3:.2f} ms; conversion {parts['convert'] * 1e3:.1f} ms, an iteration"
              f" {step * 1e3:.2f} ms = {step / parts['read_i16']:.1f} reads of the lattice")
    ratios = [min(peer["seconds"][i] for peer in table.values()) / time for i, time in enumerate(times)]
    fast = min(ratios) >= goal
    print("  ratio to the fastest peer: " + ", ".join(f"{plural(t)} {r:.1f}" for t, r in zip(threads, ratios))
          + f" (goal {goal:.0f}){'' if fast else '  BELOW THE GOAL'}", flush=True)
    strict = kind == "blobs"
    close = [agreement(data, start, found["centres"], lo, hi, iterations, tolerance, strict, kind == "uniform")
             for found, iterations in ((once, 1), (ours, ITERATIONS))]
    return fast, all(close), {"case": [kind, rows, dims, clusters], "peers": table, "shoal": ours["threads"], "ratios": ratios}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", type=pathlib.Path, help="a built kmeans program; default: build it with cargo")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, one run per timing; no goals for speed")
    parser.add_argument("--cpu", action="store_true", help="processor time at one thread, for a busy machine")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    args = parser.parse_args()
    binary = args.binary
    if binary is None:
        subprocess.run(["cargo", "build", "--release", "-p", "shoal-bench", "--bin", "kmeans"], cwd=ROOT, check=True)
        binary = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "kmeans"
    results, slow, far = [], False, False
    for rows, dims, clusters, goal in CASES:
        for kind in ("blobs", "uniform"):
            # With a tenth of the rows, a single one on the border moves a centre ten times as far.
            rows_now, runs, tolerance = (rows // 10, 1, 10 * AGREEMENT) if args.quick else (rows, 3, AGREEMENT)
            fast, close, result = compare(binary, kind, rows_now, dims, clusters, goal, runs, args.cpu, tolerance)
            slow |= not fast and not args.quick
            far |= not close
            results.append(result)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    failures = ["centres differ from scikit-learn's"] * far + ["a goal for speed is missed"] * slow
    sys.exit("; ".join(failures) or 0)


if __name__ == "__main__":
    main()
