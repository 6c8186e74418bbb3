#!/bin/sh
# Creates bench/.venv with the peers the benchmarks compare against, at pinned versions.
#
# scikit-learn stays at 1.8: diffprivlib 0.6.6 reaches into scikit-learn's internals and breaks with later ones.
# Usage: bench/setup_venv.sh            (set PYTHON to choose an interpreter, 3.11 or later)
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv="$here/.venv"

if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    numpy==2.3.5 \
    scipy==1.16.3 \
    scikit-learn==1.8.0 \
    threadpoolctl==3.6.0 \
    faiss-cpu==1.13.0 \
    diffprivlib==0.6.6 \
    pyarrow==22.0.0 \
    polars==1.35.2

"$venv/bin/python" - <<'PY'
import diffprivlib.models, faiss, numpy, pyarrow, scipy, sklearn
print("numpy", numpy.__version__, "scipy", scipy.__version__, "scikit-learn", sklearn.__version__,
      "faiss", faiss.__version__, "pyarrow", pyarrow.__version__)
PY
