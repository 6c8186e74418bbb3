"""Reading CSV: `shoal fit` of one cluster, start to end, against polars alone reading the same file, both on two threads.

By hand: python bench/read_peers.py SHOAL_PROGRAM [ROWS]
Two tables: ten columns of plain numbers; and ten of money, percentages, dates, booleans and decimal commas, which polars
reads as text. Times are those of the best of five runs: seconds on the clock, and seconds of processor time, which a busy
machine changes less. Needs polars (pip install polars).
"""

import os
import random
import subprocess
import sys
import tempfile
import time

DIMS = 10
PEER = "import polars, sys; polars.read_csv(sys.argv[1], separator=sys.argv[2])"


def plain(path, rows):
    chance = random.Random(1)
    lines = ["".join([",".join(f"{chance.uniform(-1, 1):.6f}" for _ in range(DIMS)), "\n"]) for _ in range(5000)]
    with open(path, "w") as file:
        file.write(",".join(f"x{i}" for i in range(DIMS)) + "\n")
        for _ in range(rows // len(lines)):
            file.writelines(lines)


def rich(path, rows):
    chance = random.Random(2)

    def cells():
        money = f"{chance.randrange(1, 999)}.{chance.randrange(1000):03},{chance.randrange(100):02} €"
        date = f"{chance.randrange(1930, 2010)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
        comma = f"{chance.randrange(100)},{chance.randrange(1, 9)}"
        return [money, date, chance.choice(["true", "false"]), f"{chance.randrange(100)} %", comma] * 2

    lines = [";".join(cells()) + "\n" for _ in range(5000)]
    with open(path, "w") as file:
        file.write(";".join(f"x{i}" for i in range(DIMS)) + "\n")
        for _ in range(rows // len(lines)):
            file.writelines(lines)


def best(command):
    """The least wall time and the least processor time of five runs."""
    environment = dict(os.environ, POLARS_MAX_THREADS="2")
    runs = []
    for _ in range(5):
        start = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
        runs.append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
    return min(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def main(shoal, rows):
    print(f"{rows} rows, {DIMS} columns | file | shoal fit: clock, processor | polars reads: clock, processor | ratio of clocks")
    with tempfile.TemporaryDirectory() as folder:
        for name, make, separator, bounds in [("plain", plain, ",", "-1,1"), ("rich", rich, ";", "0,100000")]:
            path = os.path.join(folder, f"{name}.csv")
            make(path, rows)
            size = os.path.getsize(path)
            fit = [shoal, "fit", path, "-k", "1", "--method", "mean", "-e", "1", "--rows", str(rows), "--bounds", bounds,
                   "--threads", "2", "--quiet"]
            ours, peer = best(fit), best([sys.executable, "-c", PEER, path, separator])
            print(f"{name} | {size / 1e6:.0f} MB | {ours[0]:.2f} s, {ours[1]:.2f} s | {peer[0]:.2f} s, {peer[1]:.2f} s | "
                  f"{ours[0] / peer[0]:.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2_000_000)
