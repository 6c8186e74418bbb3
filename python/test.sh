#!/usr/bin/env bash
# Builds the wheel, installs it into environments of its own, and runs the tests of the package, its types, its examples and
# its notebooks; then what concerns scikit-learn with older releases, and with diffprivlib.
# `python/test.sh spark` runs the tests on Spark instead (PySpark from PyPI, and a Java 17 or newer that is installed).
set -euo pipefail
cd "$(dirname "$0")"
target=$(realpath -m "${CARGO_TARGET_DIR:-../target}")
wheels=$target/wheels
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1

# environment NAME PACKAGE...: an environment with these packages.
environment() {
  local env=$target/$1
  [ -x "$env/bin/python" ] || python3 -m venv "$env"
  "$env/bin/python" -m pip install "${@:2}"
}
# install NAME: the wheel, into an environment.
install() { "$target/$1/bin/python" -m pip install --force-reinstall --no-deps "$wheels"/shoal-*.whl; }
# in_ NAME PROGRAM...: a program of an environment.
in_() { "$target/$1/bin/$2" "${@:3}"; }

environment python 'maturin>=1.9,<2' pytest mypy numpy pandas polars pyarrow scikit-learn matplotlib tqdm \
  nbclient nbformat ipykernel

# Whole-program optimisation takes minutes and changes no result.
rm -rf "$wheels"
CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
  in_ python maturin build --release --locked --quiet --interpreter "$target/python/bin/python" --out "$wheels"
install python

if [ "${1:-}" = spark ]; then
  environment python 'pyspark>=4,<5'
  exec "$target/python/bin/pytest" -q --durations=5 tests/spark
fi

# The program, which the tests of the workspace have built by then, finds the same.
if [ -x "$target/debug/shoal" ]; then export SHOAL_PROGRAM=$target/debug/shoal; fi
in_ python pytest -q tests
in_ python python tests/doctests.py
in_ python mypy --strict --cache-dir "$target/mypy" tests/typed.py
in_ python python tests/typed.py
in_ python python notebooks/run.py

# The oldest numpy that is promised, and a scikit-learn of that time, whose check_estimator needs a subclass of its own.
environment python-old pytest 'numpy==1.23.5' 'scikit-learn==1.3.2'
install python-old
in_ python-old pytest -q tests/test_sklearn.py tests/test_kmeans.py tests/test_compat.py

# The oldest scikit-learn whose check_estimator takes any class, and diffprivlib, which no later one than 1.8 runs.
environment python-peer pytest 'numpy==2.0.2' 'scikit-learn==1.6.1' diffprivlib==0.6.6
install python-peer
in_ python-peer pytest -q tests/test_sklearn.py tests/test_compat.py
