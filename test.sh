#!/usr/bin/env bash
# Everything that must hold before a change lands: form, lints, documentation, tests. Needs Rust and a C compiler.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}
# Everything is built once here: what would speed up a second build only fills the disk.
export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0}

say() { printf '\n== %s\n' "$*"; }

say "formatting"
cargo fmt --all --check

say "lints, warnings as errors"
cargo clippy --workspace --all-targets --locked -- -D warnings

say "documentation, warnings as errors"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

say "tests"
cargo test --workspace --locked

echo "all is well"
