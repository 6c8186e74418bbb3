#!/usr/bin/env bash
# Speed and memory of Shoal against other software, measured side by side in one run. Takes about twelve minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
bash bench/setup_venv.sh
cargo build --release --locked -p shoal-cli -p shoal-bench
bin=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json,sys; print(json.load(sys.stdin)["target_directory"])')/release
python=bench/.venv/bin/python

echo "== exact noise"
"$bin/noise"
echo "== plain k-means"
"$python" bench/kmeans_peers.py "$bin/kmeans"
echo "== clustering of reports under their noise"
"$python" bench/em_peers.py "$bin/em"
echo "== codes of a consortium"
"$python" bench/consortium_peers.py "$bin/consortium"
echo "== private k-means, end to end"
"$python" bench/fit_peers.py "$bin/shoal"
echo "== every curator method"
"$python" bench/curator_peers.py "$bin/shoal"
echo "== the package for Python"
"$python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps ./python
"$python" bench/python_peers.py "$bin/shoal"
