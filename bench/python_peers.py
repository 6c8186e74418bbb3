"""`shoal.KMeans.fit` in Python against the program on the same Parquet file, and against diffprivlib's KMeans.

Run through bench/run.sh, or by hand: python bench/python_peers.py [SHOAL_PROGRAM]; without the program, the package is compared
with diffprivlib alone.
The interpreter has shoal, diffprivlib, polars and pyarrow installed (setup_venv.sh, then `pip install ./python`).
Wall time and processor seconds are given: the latter say more on a machine with other work. Memory is that of the first fit in
a process; later ones add what the allocator keeps of earlier ones. This process imports nothing
large: a child's peak memory as the kernel reports it is at least its parent's.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

ROWS, DIMS, K = 1_000_000, 10, 10
INPUT_BYTES, LATTICE_BYTES = ROWS * DIMS * 8, ROWS * DIMS * 2
RUNS = 3
NAMES = [f"x{i}" for i in range(DIMS)]

MAKE = f"""
import numpy, pyarrow, pyarrow.parquet, sys
random = numpy.random.default_rng(1)
centres = random.uniform(-0.7, 0.7, ({K}, {DIMS}))
x = numpy.clip(centres[random.integers({K}, size={ROWS})] + random.normal(0, 0.15, ({ROWS}, {DIMS})), -1, 1)
numpy.save(sys.argv[1] + "/x.npy", x)
pyarrow.parquet.write_table(pyarrow.table({{f"x{{i}}": x[:, i] for i in range({DIMS})}}), sys.argv[1] + "/x.parquet")
"""

#: How a child gets its table, and what it fits. `peak` is in bytes, and grows only.
CHILD = """
import json, resource, sys, time, warnings
warnings.filterwarnings("ignore")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
folder, runs = sys.argv[1], int(sys.argv[2])
{imports}
empty = peak()
x = {load}
loaded = peak()
wall, cpu = [], []
for _ in range(runs):
    begun, used = time.perf_counter(), time.process_time()
    {fit}
    wall.append(time.perf_counter() - begun)
    cpu.append(time.process_time() - used)
    if len(wall) == 1:
        first = peak()
print(json.dumps(dict(wall=min(wall), cpu=min(cpu), empty=empty, loaded=loaded, peak=first, later=peak())))
"""

SHOAL = 'shoal.KMeans({k}, epsilon=1.0, bounds=(-1, 1), method="{method}").fit(x)'
TABLES = {
    "numpy, C order": ("import numpy, shoal", 'numpy.load(folder + "/x.npy")'),
    "numpy, Fortran order": ("import numpy, shoal", 'numpy.asfortranarray(numpy.load(folder + "/x.npy"))'),
    "pyarrow": ("import numpy, shoal, pyarrow.parquet", 'pyarrow.parquet.read_table(folder + "/x.parquet")'),
    "polars": ("import numpy, shoal, polars", 'polars.read_parquet(folder + "/x.parquet")'),
    "path of the Parquet file": ("import numpy, shoal", 'folder + "/x.parquet"'),
}

IMPORTS = """
import time
begun = time.perf_counter()
import numpy
middle = time.perf_counter()
import shoal
print(middle - begun, time.perf_counter() - middle)
"""


def child(code, folder, runs=RUNS):
    found = subprocess.run([sys.executable, "-c", code, folder, str(runs)], check=True, stdout=subprocess.PIPE)
    return json.loads(found.stdout)


def program(shoal, folder, method):
    """Wall time, processor seconds and peak memory of the program, the best of some runs."""
    bounds = ",".join(f"{name}=-1:1" for name in NAMES)
    command = [shoal, "fit", folder + "/x.parquet", "-k", str(K), "--epsilon", "1", "--bounds", bounds, "--method", method]
    wall, cpu, peak = [], [], []
    for _ in range(RUNS):
        begun = time.perf_counter()
        quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
        _, status, usage = os.wait4(pid, 0)
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
        wall.append(time.perf_counter() - begun)
        cpu.append(usage.ru_utime + usage.ru_stime)
        peak.append(usage.ru_maxrss * 1024)
    return dict(wall=min(wall), cpu=min(cpu), peak=min(peak))


def megabytes(count):
    return f"{count / 1e6:.0f} MB"


def main(shoal):
    load = os.getloadavg()[0]
    print(f"{ROWS:,} × {DIMS} doubles, k = {K}, ε = 1; the best of {RUNS}; load of the machine {load:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", MAKE, folder], check=True)
        for method in ["dplloyd", "auto"]:
            print(f"\n{method}")
            there = program(shoal, folder, method) if shoal else None
            if there:
                print(f"  {'the program, from Parquet':26} {there['wall']:.3f} s, {there['cpu']:.3f} processor s, {megabytes(there['peak'])}")
            for name, (imports, load) in TABLES.items():
                fit = SHOAL.format(k=K, method=method)
                here = child(CHILD.format(imports=imports, load=load, fit=fit), folder)
                more, later = here["peak"] - here["loaded"], here["later"] - here["loaded"]
                ratio = lambda what: f" ({here[what] / there[what]:.2f} times the program)" if there else ""
                print(
                    f"  {name:26} {here['wall']:.3f} s{ratio('wall')}, {here['cpu']:.3f} processor s{ratio('cpu')}; "
                    f"beyond the table {megabytes(more)}, {more / LATTICE_BYTES:.2f} times the lattice points "
                    f"({megabytes(later)} after {RUNS} fits)"
                )
                if (method, name) == ("dplloyd", "numpy, C order"):
                    array = here
        fit = f"KMeans({K}, epsilon=1.0, bounds=(-1, 1)).fit(x)"
        imports = "import numpy\nfrom diffprivlib.models import KMeans"
        # Once: it takes long enough to be measured.
        peer = child(CHILD.format(imports=imports, load=TABLES["numpy, C order"][1], fit=fit), folder, runs=1)
        print(
            f"\ndiffprivlib, the same array: {peer['wall']:.2f} s, {peer['cpu']:.2f} processor s; shoal's dplloyd is "
            f"{peer['wall'] / array['wall']:.0f} times faster, {peer['cpu'] / array['cpu']:.0f} times in processor s"
        )
        ceiling = INPUT_BYTES + 1.5 * LATTICE_BYTES
        print(f"peak beyond the imports: {megabytes(array['peak'] - array['empty'])}, the goal is {megabytes(ceiling)} at most")
    # With the compiled files that an installation has: the first run writes them where they are missing.
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    once = lambda: subprocess.run([sys.executable, "-c", IMPORTS], check=True, stdout=subprocess.PIPE, env=given).stdout.split()
    times = [once() for _ in range(16)][1:]
    numpy, ours = (min(float(one[i]) for one in times) for i in (0, 1))
    print(f"import numpy: {numpy * 1e3:.0f} ms; import shoal after it: {ours * 1e3:.0f} ms more, the goal is 50 at most")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
