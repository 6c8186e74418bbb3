//! Lists the files of `assets/`, so that the program has them built in.
#![allow(clippy::print_stdout, reason = "Cargo listens")]

use std::fmt::Write;
use std::{env, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=assets");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it")).join("assets");
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder of assets is part of the crate")
        .map(|entry| entry.expect("it can be listed").file_name().into_string().expect("plain names"))
        .collect();
    names.sort();
    let mut table = String::from("&[\n");
    for name in names {
        let media_type = match name.rsplit('.').next().unwrap_or_default() {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" | "mjs" => "text/javascript; charset=utf-8",
            "wasm" => "application/wasm",
            "svg" => "image/svg+xml",
            _ => continue,
        };
        let path = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/assets/{name}\")");
        writeln!(table, "    ({name:?}, {media_type:?}, include_bytes!({path})),").expect("a text takes it");
    }
    table.push_str("]\n");
    let out = Path::new(&env::var("OUT_DIR").expect("Cargo sets it")).join("parts.rs");
    fs::write(out, table).expect("the folder of the build can be written to");
}
