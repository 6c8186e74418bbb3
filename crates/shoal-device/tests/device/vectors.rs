//! Vectors that every client, in whatever language, must reproduce byte for byte: `vectors/device/` at the root.
//!
//! `SHOAL_WRITE_VECTORS=1 cargo test -p shoal-device vectors` writes them anew, which is right only when a new version of
//! the format or of a sampler is meant.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shoal_device::{BpgmForm, Design, Device, Ending, Mechanism, Report, Sampler};
use shoal_lattice::{Bounds, Interval, STEPS, Steps};
use shoal_noise::{NoiseSource, SeededNoise, TapeNoise};
use shoal_privacy::Guarantee;

#[derive(Serialize, Deserialize)]
struct Vector {
    design: Design,
    canonical_form: String,
    cases: Vec<Case>,
}

#[derive(Serialize, Deserialize)]
struct Case {
    /// In the user's units.
    values: Vec<f64>,
    /// Random bytes, hexadecimal.
    tape: String,
    /// How many of the bytes are read.
    read: usize,
    report: Report,
    /// The report in the user's units.
    shown: Vec<f64>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/device")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// Name and design of every vector.
fn designs() -> Vec<(String, Design)> {
    let nd_laplace = |ending| Mechanism::NdLaplace { radius_steps: 50 * STEPS, ending };
    let bpgm = |form| Mechanism::Bpgm { bound: "3/2".parse().unwrap(), form };
    let three = [("age", 17.0, 90.0), ("hours", 1.0, 99.0), ("balance", -2500.5, 1e6)];
    let one = [("x", -1e-3, 1e-3)];
    let all = [
        ("bpm", Mechanism::Bpm { radius_steps: STEPS }, "4", Sampler::Exact, &three[..]),
        ("bpm-doubles", Mechanism::Bpm { radius_steps: STEPS }, "4", Sampler::Doubles, &three),
        ("bpm-one-column", Mechanism::Bpm { radius_steps: 3 }, "1/3", Sampler::Exact, &one),
        ("nd-laplace", nd_laplace(Ending::Raw), "2.5", Sampler::Exact, &three),
        ("nd-laplace-clamped", nd_laplace(Ending::Clamped), "2.5", Sampler::Exact, &three),
        ("nd-laplace-grid", nd_laplace(Ending::Grid { cells: 16 }), "2.5", Sampler::Exact, &three),
        ("nd-laplace-doubles", nd_laplace(Ending::Raw), "2.5", Sampler::Doubles, &three),
        ("laplace", Mechanism::Laplace, "1", Sampler::Exact, &three),
        ("laplace-small-epsilon", Mechanism::Laplace, "0.001", Sampler::Exact, &one),
        ("laplace-metric", Mechanism::LaplaceMetric, "1", Sampler::Exact, &three),
        ("bpgm", bpgm(BpgmForm::Adam), "2", Sampler::Doubles, &three),
        ("bpgm-closed-form", bpgm(BpgmForm::ClosedForm), "2", Sampler::Doubles, &three),
        ("bpgm-as-printed", bpgm(BpgmForm::AsPrinted), "2", Sampler::Doubles, &three),
    ];
    let made = all.into_iter().map(|(name, mechanism, epsilon, sampler, columns)| {
        let (names, intervals) =
            columns.iter().map(|&(name, lo, hi)| (name.to_string(), Interval::new(lo, hi).unwrap())).unzip();
        let design = Design::new(mechanism, epsilon.parse().unwrap(), Bounds::new(names, intervals).unwrap()).unwrap();
        (name.to_string(), design.with_sampler(sampler).with_identifier(name).unwrap())
    });
    made.collect()
}

fn report_of(design: &Design, values: &[f64], tape: &str) -> (Report, usize) {
    let mut device = Device::accepting_unsound_with_noise(design, TapeNoise::new(bytes(tape))).unwrap();
    let report = device.report(values).unwrap();
    assert!(!device.noise().ran_out(), "the tape is too short");
    assert!(matches!(device.promises().guarantee, Guarantee::Void { .. }));
    (report, device.noise().used())
}

/// Values inside, at and beyond the bounds, each with a tape of its own that has just the bytes that are read, and some.
fn made(number: usize, design: &Design) -> Vector {
    let intervals = design.bounds().intervals();
    let case = |place: usize| {
        let share = [0.5, 0.0, 1.0, 0.123_456_789, -3.0, 17.0][place];
        let value = |(i, x): (usize, &Interval)| x.lo() + x.width() * (if i % 2 == 0 { share } else { 1.0 - share });
        let values: Vec<f64> = intervals.iter().enumerate().map(value).collect();
        let mut long = vec![0; 1 << 16];
        SeededNoise::new((100 * number + place) as u64).fill_bytes(&mut long);
        let (report, read) = report_of(design, &values, &hex(&long));
        let shown = report.to_user(design).unwrap();
        Case { values, tape: hex(&long[..read + 16]), read, report, shown }
    };
    Vector { design: design.clone(), canonical_form: design.canonical_form(), cases: (0..6).map(case).collect() }
}

#[test]
fn devices_reproduce_the_vectors() {
    let designs = designs();
    if std::env::var_os("SHOAL_WRITE_VECTORS").is_some() {
        fs::create_dir_all(folder()).unwrap();
        for (number, (name, design)) in designs.iter().enumerate() {
            let text = serde_json::to_string_pretty(&made(number, design)).unwrap();
            fs::write(folder().join(format!("{name}.json")), text + "\n").unwrap();
        }
    }
    let files = fs::read_dir(folder())
        .unwrap()
        .filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "json"));
    assert_eq!(files.count(), designs.len(), "one file for each design");
    for (name, design) in designs {
        let text = fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
        let vector: Vector = serde_json::from_str(&text).unwrap();
        assert_eq!(vector.design, design, "{name}");
        assert_eq!(vector.canonical_form, design.canonical_form(), "{name}");
        assert_eq!(vector.cases.len(), 6);
        for case in vector.cases {
            let (report, read) = report_of(&vector.design, &case.values, &case.tape);
            assert_eq!((report, read), (case.report.clone(), case.read), "{name}, {:?}", case.values);
            assert_eq!(case.report.to_user(&design).unwrap(), case.shown);
            // Another byte that was read, another report: the comparison can fail.
            let mut other = bytes(&case.tape);
            other[..read].reverse();
            assert_ne!(report_of_any(&vector.design, &case.values, other), case.report.steps, "{name}");
        }
    }
}

fn report_of_any(design: &Design, values: &[f64], tape: Vec<u8>) -> Vec<Steps> {
    let mut device = Device::accepting_unsound_with_noise(design, TapeNoise::new(tape)).unwrap();
    device.report(values).unwrap().steps
}
