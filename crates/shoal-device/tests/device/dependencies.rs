//! What a device must not carry: whoever adds one of these crates to the tree of `shoal-device` hears of it here.

use std::process::Command;

/// Threads, tables, linear algebra, C code.
const FORBIDDEN: [&str; 10] =
    ["rayon", "rayon-core", "parquet", "arrow", "csv", "nalgebra", "statrs", "zstd-sys", "libsqlite3-sys", "cc"];

/// Names in the tree of normal dependencies.
fn tree(options: &[&str]) -> Vec<String> {
    let out = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "-p", "shoal-device", "-e", "normal", "--prefix", "none"])
        .args(options)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn a_device_carries_no_threads_tables_or_c_code() {
    for options in [&[][..], &["--no-default-features"], &["--all-features"]] {
        let names = tree(options);
        assert!(names.contains(&"shoal-noise".to_string()), "the tree is read: {names:?}");
        let carried: Vec<_> = FORBIDDEN.iter().filter(|name| names.iter().any(|other| other == *name)).collect();
        assert!(carried.is_empty(), "{options:?}: shoal-device depends on {carried:?}; keep them out of its tree");
    }
}
