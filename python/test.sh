#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own, and runs the tests of the package.
# `python/test.sh old` runs those of scikit-learn's protocol with an older release, too.
set -euo pipefail
cd "$(dirname "$0")"
target=$(realpath -m "${CARGO_TARGET_DIR:-../target}")
env=$target/python
wheels=$target/wheels

if [ ! -x "$env/bin/python" ]; then
  python3 -m venv "$env"
fi
"$env/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2' pytest numpy pandas polars pyarrow scikit-learn

# Whole-program optimisation takes minutes and changes no result.
rm -rf "$wheels"
CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
  "$env/bin/maturin" build --release --locked --quiet --interpreter "$env/bin/python" --out "$wheels"
"$env/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheels"/shoal-*.whl
"$env/bin/python" -m pytest -q tests
"$env/bin/python" tests/doctests.py

if [ "${1:-}" = old ]; then
  "$env/bin/pip" install --quiet --disable-pip-version-check 'scikit-learn==1.5.2' 'numpy<2.3'
  "$env/bin/python" -m pytest -q tests/test_sklearn.py
fi
