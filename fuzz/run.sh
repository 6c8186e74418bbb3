#!/usr/bin/env bash
# Builds all fuzz targets and runs each for some seconds, one after the other, on one core.
# Usage: fuzz/run.sh SECONDS [TARGET …]
# Inputs are kept in fuzz/corpus/TARGET, where make_seeds.py puts the first ones; what is found lands in fuzz/artifacts/TARGET.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?seconds for each target}
shift
host=$(rustc -vV | sed -n 's/^host: //p')
# What cargo-fuzz gives to the compiler: counters for libFuzzer, and AddressSanitizer unless SANITIZER is empty.
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
flags+=" -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
flags+=" -Cllvm-args=-simplifycfg-branch-fold-threshold=0 -Cdebug-assertions -Coverflow-checks"
[[ -z ${SANITIZER-address} ]] || flags+=" -Zsanitizer=${SANITIZER-address}"
export RUSTFLAGS=$flags RUSTC_BOOTSTRAP=1
cargo build --release --target "$host"
[[ $# -gt 0 ]] || set -- cells csv workbook arrow parquet scan_bytes reports codes design wire split bounds
[[ $seconds -gt 0 ]] || exit 0
failed=0
for target in "$@"; do
    mkdir -p "corpus/$target" "artifacts/$target"
    echo "== $target"
    # Bytes can claim up to 2 GiB for a Parquet page, hence the limit.
    nice -n 10 "target/$host/release/$target" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=3000 \
        -malloc_limit_mb=3000 -timeout=20 -print_final_stats=1 -artifact_prefix="artifacts/$target/" \
        "corpus/$target" 2>&1 | grep -E "^(stat::|SUMMARY|==|Test unit|thread)|DONE|panicked" || true
    compgen -G "artifacts/$target/*" >/dev/null && failed=1
done
exit $failed
