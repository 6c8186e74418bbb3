#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own, and runs the tests of the package, its examples and its
# notebooks; then the protocol of scikit-learn with older releases of numpy and scikit-learn.
# `python/test.sh spark` runs the tests on Spark instead (PySpark from PyPI, and a Java 17 or newer that is installed).
set -euo pipefail
cd "$(dirname "$0")"
target=$(realpath -m "${CARGO_TARGET_DIR:-../target}")
env=$target/python
old=$target/python-old
wheels=$target/wheels
pip=(-m pip install --quiet --disable-pip-version-check)

[ -x "$env/bin/python" ] || python3 -m venv "$env"
"$env/bin/python" "${pip[@]}" 'maturin>=1.9,<2' pytest numpy pandas polars pyarrow scikit-learn \
  matplotlib nbclient nbformat ipykernel tqdm

# Whole-program optimisation takes minutes and changes no result.
rm -rf "$wheels"
CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
  "$env/bin/maturin" build --release --locked --quiet --interpreter "$env/bin/python" --out "$wheels"
install() { "$1/bin/python" "${pip[@]}" --force-reinstall --no-deps "$wheels"/shoal-*.whl; }
install "$env"

if [ "${1:-}" = spark ]; then
  "$env/bin/python" "${pip[@]}" 'pyspark>=4,<5'
  exec "$env/bin/pytest" -q --durations=5 tests/spark
fi

"$env/bin/pytest" -q tests
"$env/bin/python" tests/doctests.py
"$env/bin/python" notebooks/run.py

# The oldest numpy that is promised, and a scikit-learn of that time.
[ -x "$old/bin/python" ] || python3 -m venv "$old"
"$old/bin/python" "${pip[@]}" pytest 'numpy==1.23.5' 'scikit-learn==1.3.2'
install "$old"
"$old/bin/pytest" -q tests/test_sklearn.py tests/test_kmeans.py tests/test_compat.py
