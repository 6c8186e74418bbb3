//! What all clients share: the vectors, the header, and a program in C that uses both.
//!
//! `SHOAL_WRITE_VECTORS=1` writes the header and `vectors/clients.tsv` anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use shoal_device::wire::{Day, DesignTag, Envelope, ReportId, encode};
use shoal_device_c::{Session, shoal_result, shoal_result_length, shoal_tape_report, shoal_tape_used};
use shoal_lattice::Steps;

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn compared(path: &Path, made: &str) {
    if std::env::var_os("SHOAL_WRITE_VECTORS").is_some() {
        fs::write(path, made).unwrap();
    }
    let stored = fs::read_to_string(path).unwrap_or_default();
    assert!(stored == made, "{} is not what the sources say; run with SHOAL_WRITE_VECTORS=1", path.display());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Lines of name, design, values, day, tape and the expected bytes. Those are put together from the vectors of devices: the
/// identifier is the 16 bytes of the tape that follow what the noise has read.
fn lines() -> Vec<[String; 6]> {
    let folder = here().join("../../vectors/device");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut lines = Vec::new();
    for file in files {
        let vector: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        for (number, case) in vector["cases"].as_array().unwrap().iter().enumerate() {
            let tape = bytes(case["tape"].as_str().unwrap());
            let read = case["read"].as_u64().unwrap() as usize;
            let steps: Vec<i64> =
                case["report"]["steps"].as_array().unwrap().iter().map(|x| x.as_i64().unwrap()).collect();
            let day = 20_500 + number as u32;
            let sent = Envelope {
                design: DesignTag::of_digest(case["report"]["design"].as_str().unwrap()).unwrap(),
                id: ReportId(tape[read..read + 16].try_into().unwrap()),
                day: Day(day),
                steps: Steps::list(&steps),
            };
            let values: Vec<_> = case["values"].as_array().unwrap().iter().map(ToString::to_string).collect();
            lines.push([
                format!("{name}/{number}"),
                vector["design"].to_string(),
                values.join(","),
                day.to_string(),
                hex(&tape),
                hex(&encode(&[sent])),
            ]);
        }
    }
    lines
}

#[test]
fn the_vectors_of_clients_follow_from_those_of_devices() {
    let text: String = lines().iter().map(|line| line.join("\t") + "\n").collect();
    compared(&here().join("../../vectors/clients.tsv"), &text);
    for [name, design, values, day, tape, expected] in lines() {
        let values: Vec<f64> = values.split(',').map(|x| x.parse().unwrap()).collect();
        let tape = bytes(&tape);
        let report = |tape: &[u8]| {
            // SAFETY: all pointers are valid for the lengths next to them; the result is copied at once.
            unsafe {
                let day = day.parse().unwrap();
                let (values, tape, length) = (values.as_slice(), tape.as_ptr(), tape.len());
                let status =
                    shoal_tape_report(design.as_ptr(), design.len(), values.as_ptr(), values.len(), day, tape, length);
                (status, std::slice::from_raw_parts(shoal_result(), shoal_result_length()).to_vec())
            }
        };
        let (status, found) = report(&tape);
        assert_eq!((status, hex(&found)), (0, expected.clone()), "{name}");
        assert_eq!(shoal_tape_used(), tape.len(), "{name}");
        // Another tape, another report: the comparison can fail.
        let mut other = tape.clone();
        other.reverse();
        assert_ne!(hex(&report(&other).1), expected, "{name}");
    }
}

#[test]
fn the_header_is_that_of_the_sources() {
    let config = cbindgen::Config::from_file(here().join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_crate(here()).with_config(config).generate().unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).unwrap();
    for function in ["open", "free", "about", "promise", "report", "simulate", "ledger"] {
        assert!(made.contains(&format!("shoal_device_{function}(")), "{made}");
    }
    compared(&here().join("include/shoal_device.h"), &made);
}

/// The static library that was built for this test.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("libshoal_device_c") && name.ends_with(".a")
    };
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).filter(is_library);
    files.max_by_key(|path| fs::metadata(path).unwrap().modified().unwrap()).expect("the library was built")
}

#[test]
fn programs_in_c_use_the_library() {
    if Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("shoal-c-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let compiled = |source: &str| {
        let program = folder.join(source).with_extension("");
        let out = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-DSHOAL_TAPE", "-I"])
            .arg(here().join("include"))
            .arg(here().join("c").join(source))
            .arg(library())
            .args(["-lpthread", "-ldl", "-lm", "-o"])
            .arg(&program)
            .output()
            .unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        program
    };
    let out = Command::new(compiled("vectors.c")).arg(here().join("../../vectors/clients.tsv")).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(String::from_utf8_lossy(&out.stdout).contains("refused what is to be refused"));
    let design = folder.join("design.json");
    fs::write(&design, &lines().iter().find(|line| line[0] == "laplace/0").unwrap()[1]).unwrap();
    let out = Command::new(compiled("example.c")).arg(&design).args(["30", "40", "100"]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && text.contains("report: 5301"), "{text}");
    assert!(text.starts_with("If someone is unsure") && text.contains("ledger: {"), "{text}");
    fs::remove_dir_all(&folder).unwrap();
}

/// A design that asks for words is refused when it is opened, before a person is asked for anything.
#[test]
fn designs_with_words_are_refused() {
    let design = &lines().into_iter().find(|line| line[0] == "laplace/0").unwrap()[1];
    let mut design: Value = serde_json::from_str(design).unwrap();
    assert!(Session::open(&design.to_string(), "", "").is_ok());
    design.as_object_mut().unwrap().remove("digest");
    design["categories"] =
        serde_json::json!([{ "column": "gender", "levels": ["F", "M"], "counts_gaps": false, "weight": 0.5 }]);
    let refused = Session::open(&design.to_string(), "", "").err().unwrap();
    assert_eq!(refused.code(), "design-words");
    assert!(refused.to_string().contains("gender"), "{refused}");
}
