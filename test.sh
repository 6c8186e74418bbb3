#!/usr/bin/env bash
# Everything that must hold before a change lands: form, lints, documentation, tests. Needs Rust and a C compiler.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}

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
