#!/usr/bin/env bash
# Everything that must hold before a change lands: form, lints, documentation, tests. Needs Rust, a C compiler and Python.
# `./test.sh quick` stops before documentation and tests. Two parts are only run by name: `./test.sh spark` runs the tests of the
# Python package on Spark (a minute more of downloads, and Java 17 or newer); `./test.sh engine` tests the engine on DataFusion,
# which is a build of its own, and `./test.sh engine-lints` checks its lints and documentation.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}
# Everything is built once here: what would speed up a second build only fills the disk.
export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0}

if [ "${1:-}" = spark ]; then
  exec python/test.sh spark
fi

say() { printf '\n== %s\n' "$*"; }

# The engine on DataFusion is a workspace of its own: nothing below builds it, and `./test.sh engine` builds nothing else.
case "${1:-}" in
  engine)
    cd crates/shoal-engine
    say "the engine: formatting and tests"
    cargo fmt --check
    # An S3-compatible store for one test, on loopback.
    moto=$(realpath -m "${CARGO_TARGET_DIR:-target}")/moto
    if ! [ -x "$moto/bin/moto_server" ]; then
      mkdir -p "$(dirname "$moto")"
      python3 -m venv "$moto"
      "$moto/bin/pip" install --quiet --disable-pip-version-check 'moto[server]==5.2.5'
    fi
    MOTO_SERVER="$moto/bin/moto_server" cargo test --locked --no-fail-fast -- --include-ignored
    exit
    ;;
  engine-lints)
    cd crates/shoal-engine
    say "the engine: lints and documentation, warnings as errors"
    cargo clippy --all-targets --locked -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked --quiet
    exit
    ;;
esac

say "formatting"
cargo fmt --all --check

say "the map of ARCHITECTURE.md"
# Each room's line in the table names the rooms that its manifest lists.
for manifest in crates/*/Cargo.toml; do
  crate=$(basename "$(dirname "$manifest")")
  knows=$(awk '/^\[/ { on = $0 == "[dependencies]" } on && /^shoal/ { sub(/[ .=].*/, ""); print }' "$manifest" |
    LC_ALL=C sort | paste -sd, | sed 's/shoal-//g; s/,/, /g')
  row="| \`$crate\` | ${knows:-–} |"
  if ! grep -qxF -- "$row" ARCHITECTURE.md; then
    echo "ARCHITECTURE.md lacks this line, which is what $manifest lists: $row" >&2
    exit 1
  fi
done

say "packages"
# What a crate includes must lie in its own folder, or its package lacks it.
outside=$(grep -rnoE 'include_(str|bytes)!\("\.\./[^"]*"' crates/*/src | while IFS=: read -r file line path; do
  crate=$(cut -d/ -f1-2 <<<"$file")
  included=$(realpath -ms --relative-to=. "$(dirname "$file")/$(sed 's/.*("//; s/"$//' <<<"$path")")
  [[ $included == "$crate"/* ]] || echo "$file:$line includes $included"
done)
if [ -n "$outside" ]; then
  echo "$outside" >&2
  exit 1
fi
cargo package --workspace --exclude shoal-bench --no-verify --allow-dirty --locked --quiet

say "lints, warnings as errors"
cargo clippy --workspace --all-targets --locked -- -D warnings

if [ "${1:-}" = quick ]; then
  echo "the quick checks pass; ./test.sh runs the tests, too"
  exit
fi

say "documentation, warnings as errors"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --exclude shoal-python --no-deps --locked --quiet

say "the program without audit, collector and reproduce: no fonts, no image library, no web server"
cargo clippy -p shoal-cli --no-default-features --locked --quiet -- -D warnings
if cargo tree -p shoal-cli --no-default-features -e normal --prefix none --locked | grep -E '^(resvg|usvg|tiny-skia|fontdb|dejavu|shoal-audit|shoal-reproduce|shoal-collector|tokio|hyper|axum) '; then
  echo "the small program depends on the crates above, which only audit, collector and reproduce need" >&2
  exit 1
fi

say "tests"
cargo test --workspace --exclude shoal-python --locked --no-fail-fast

say "examples"
# Built with the tests; each checks what it shows.
for example in fit server ledger device custom_mechanism custom_scan; do
  "${CARGO_TARGET_DIR:-target}/debug/examples/$example" >/dev/null
  echo "$example runs"
done

say "devices in WebAssembly"
if ! rustup target list --installed 2>/dev/null | grep -qx wasm32-unknown-unknown; then
  rustup target add wasm32-unknown-unknown
fi
wasm=(-p shoal-device --no-default-features --features wasm --target wasm32-unknown-unknown --locked)
cargo check "${wasm[@]}" --quiet
cargo build "${wasm[@]}" --quiet --example wasm_check
# The module makes the reports of the vectors, byte for byte. Without Node it is built and not run.
if command -v node >/dev/null; then
  node crates/shoal-device/examples/wasm_check.mjs \
    "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/debug/examples/wasm_check.wasm" vectors/device
fi
if cargo tree -p shoal-device -e normal --prefix none --locked | grep -E '^(rayon|parquet|csv|nalgebra)[ -]'; then
  echo "shoal-device depends on the crates above, which devices cannot carry" >&2
  exit 1
fi

say "clients: the vectors, the header, a program in C"
cargo test -p shoal-device-c --features tape --locked

say "clients: the package for pages"
# Built and run where there is Node; the survey page where there is Chromium, too.
if command -v node >/dev/null && command -v npm >/dev/null; then
  (cd web && npm test)
  if [ -x "${CHROMIUM:-/usr/bin/chromium}" ] && (cd web && npm install --no-save --silent playwright-core); then
    (cd web && node --test test/survey.browser.mjs test/collector.browser.mjs)
  else
    echo "no Chromium: the survey page and the operator's were not tried"
  fi
else
  echo "no Node: the package was not built"
fi

say "Python"
python/test.sh

echo "all is well"
