//! What the clients say of themselves, and that their reports are as they say.

use shoal_device::{BpgmForm, Client, DesignError, Ending, Mechanism, NoiseLaw, Sampler};
use shoal_device::{BpmLaw, choose_radius};
use shoal_lattice::STEPS;
use shoal_noise::{NoiseSource, SeededNoise, uniform};
use shoal_privacy::{Amount, Assumption, Guarantee, Loss, Metric, Neighbours, NoGuarantee, Numerics};

use crate::designs::{M, client, design, reports, try_design};

fn bpm(radius: f64) -> Mechanism {
    Mechanism::Bpm { radius_steps: choose_radius::given(radius).steps }
}

fn nd_laplace(dims: usize, rate: f64, ending: Ending) -> Mechanism {
    Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(dims, rate).steps, ending }
}

fn bpgm(bound: &str, form: BpgmForm) -> Mechanism {
    Mechanism::Bpgm { bound: bound.parse().unwrap(), form }
}

/// Every mechanism, with noise for a rate near this one.
fn all(dims: usize, rate: f64) -> Vec<Mechanism> {
    vec![
        Mechanism::Bpm { radius_steps: choose_radius::information(dims, rate).steps },
        bpm(0.1),
        nd_laplace(dims, rate, Ending::Raw),
        nd_laplace(dims, rate, Ending::Clamped),
        nd_laplace(dims, rate, Ending::Grid { cells: 1000 }),
        Mechanism::Laplace,
        Mechanism::LaplaceMetric,
        bpgm("1", BpgmForm::Adam),
        bpgm("1", BpgmForm::ClosedForm),
        bpgm("1", BpgmForm::AsPrinted),
    ]
}

#[test]
fn radial_noise_promises_per_distance_and_between_any_two() {
    // The radius is the smaller one, the diagonal is the smaller one, and a diagonal that is a whole number.
    for (dims, radius, any_two) in [(4, 0.5, 1.0), (2, 100.0, 2.0 * 2.0_f64.sqrt()), (4, 7.0, 4.0)] {
        for sampler in [Sampler::Exact, Sampler::Doubles] {
            for ending in [None, Some(Ending::Raw), Some(Ending::Clamped), Some(Ending::Grid { cells: 5 })] {
                let radius_steps = choose_radius::given(radius).steps;
                let mechanism = match ending {
                    None => Mechanism::Bpm { radius_steps },
                    Some(ending) => Mechanism::NdLaplace { radius_steps, ending },
                };
                let promises = Client::new(&design(mechanism, "2", dims, sampler)).unwrap().promises();
                let claim = promises.guarantee.claim().unwrap();
                assert_eq!(claim.neighbours, Neighbours::PerUnitOf(Metric::EuclideanOnLattice { steps: STEPS }));
                assert_eq!(claim.loss, Loss::PerDistance("2".parse().unwrap()));
                let other = &promises.also[0];
                assert_eq!(other.neighbours, Neighbours::AnyTwoInputs);
                let Loss::Pure(epsilon) = &other.loss else { panic!("{other:?}") };
                assert!((epsilon.to_f64_up() / any_two - 1.0).abs() < 1e-12, "{epsilon} and {any_two}");
                // Never below ε·√d, where that is the smaller one: squared, both sides are rational.
                if radius * radius > dims as f64 {
                    let squared = epsilon.amount().times(epsilon.amount());
                    assert!(squared >= Amount::ratio(4 * dims as u64, 1));
                }
                for claim in [claim, other] {
                    let numerics = if sampler == Sampler::Exact { Numerics::Exact } else { Numerics::IdealReals };
                    assert_eq!(claim.numerics, numerics);
                    assert_eq!(claim.assumes, [Assumption::BoundsPublic, Assumption::OneReportPerPerson].into());
                }
                assert!(promises.published.text.contains("d_E-privacy"));
            }
        }
    }
}

#[test]
fn bpgm_promises_nothing_and_must_be_asked_for() {
    let by_distance: &[&str] = &["density", "rim", "unbiased"];
    let to_the_letter: &[&str] = &["as printed", "within a step", "outermost step", "of no use"];
    for (form, why) in
        [(BpgmForm::Adam, by_distance), (BpgmForm::ClosedForm, by_distance), (BpgmForm::AsPrinted, to_the_letter)]
    {
        let design = design(bpgm("1", form), "1", 2, Sampler::Exact);
        let Err(DesignError::Unsound { reason }) = Client::new(&design) else { panic!("BPGM was set up unasked") };
        for word in ["bpm", "nd-laplace", "clamped", "same ε"].iter().chain(why) {
            assert!(reason.contains(word), "{word} is not in: {reason}");
        }
        let promises = Client::accepting_unsound(&design).unwrap().promises();
        assert_eq!(promises.guarantee, Guarantee::Void { none: NoGuarantee::Unsound });
        assert_eq!(promises.also, []);
        assert_eq!(promises.published.text, "ε·d_χ-privacy, unbiased");
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |mechanism, epsilon| {
        let made = try_design(mechanism, epsilon, 2).and_then(|design| Client::accepting_unsound(&design));
        made.err().map(|error| error.to_string())
    };
    for (mechanism, epsilon) in [
        (Mechanism::Bpm { radius_steps: 0 }, "1"),
        (Mechanism::Bpm { radius_steps: u64::MAX }, "1"),
        (Mechanism::NdLaplace { radius_steps: 0, ending: Ending::Raw }, "1"),
        (nd_laplace(2, 1.0, Ending::Grid { cells: 0 }), "1"),
        (nd_laplace(2, 1.0, Ending::Grid { cells: 65_536 }), "1"),
        (bpm(1.0), "0"),
        (bpgm("0", BpgmForm::Adam), "1"),
        (bpgm("1e7", BpgmForm::Adam), "1"),
        (bpgm("1", BpgmForm::Adam), "0"),
    ] {
        let message = refused(mechanism.clone(), epsilon).unwrap_or_else(|| panic!("{mechanism:?} was set up"));
        assert!(message.contains("give") || message.contains("pass"), "{message}");
    }
    assert_eq!(refused(nd_laplace(2, 1.0, Ending::Grid { cells: 65_535 }), "1"), None);
}

#[test]
fn reports_lie_in_their_space_and_every_coordinate_is_noisy() {
    for dims in [1, 3, 40] {
        for mechanism in all(dims, 2.0) {
            let device = client(mechanism.clone(), "2", dims);
            let space = device.space();
            let record: Vec<i64> = (0..dims as i64).map(|i| i * 7919 % (M + 1)).collect();
            let sent = reports(&device, &record, 60, 11);
            for report in &sent {
                assert!(report.iter().all(|x| (space.low..=space.high).contains(x)), "{mechanism:?}");
            }
            for i in 0..dims {
                let mut values: Vec<i64> = sent.iter().map(|report| report[i]).collect();
                assert!(values.iter().any(|&x| x != record[i]), "{mechanism:?}, coordinate {i}");
                values.sort_unstable();
                values.dedup();
                assert!(values.len() > 1, "{mechanism:?}, coordinate {i} is always {}", values[0]);
            }
        }
    }
}

#[test]
fn spaces_are_those_of_the_endings() {
    let (bound, steps) = (choose_radius::nd_laplace(2, 1.0).steps as i64, STEPS as i64);
    let space = |mechanism| {
        let space = client(mechanism, "1", 2).space();
        (space.low, space.high)
    };
    assert_eq!(space(bpm(2.0)), (-2 * steps, 3 * steps));
    assert_eq!(space(nd_laplace(2, 1.0, Ending::Raw)), (-bound, steps + bound));
    assert_eq!(space(nd_laplace(2, 1.0, Ending::Clamped)), (0, steps));
    assert_eq!(space(nd_laplace(2, 1.0, Ending::Grid { cells: 4 })), (0, steps));
    let (low, high) = space(bpgm("1.5", BpgmForm::Adam));
    assert!(low < -3 * steps / 2 && low > -3 * steps / 2 - 100 && high - steps == -low);
    let (low, high) = space(bpgm("1.5", BpgmForm::AsPrinted));
    assert!(low < -steps / 400 && low > -steps / 300 && high - steps == -low);
}

#[test]
fn servers_are_told_the_law_of_raw_reports_only() {
    let law = |mechanism| client(mechanism, "2", 3).noise_law();
    assert_eq!(law(bpm(2.0)), Some(NoiseLaw::Radial { rate: 2.0, radius: 2.0 }));
    assert!(matches!(law(nd_laplace(3, 2.0, Ending::Raw)), Some(NoiseLaw::Radial { rate: 2.0, .. })));
    for silent in
        [nd_laplace(3, 2.0, Ending::Clamped), nd_laplace(3, 2.0, Ending::Grid { cells: 9 }), bpgm("1", BpgmForm::Adam)]
    {
        let device = client(silent, "2", 3);
        assert!(device.noise_law().is_none());
        assert!(device.expected_squared_error().is_none() && device.information_per_report().is_none());
    }
    let grid = client(nd_laplace(3, 2.0, Ending::Grid { cells: 2 }), "2", 3);
    for report in reports(&grid, &[0, 1, M], 50, 4) {
        assert!(report.iter().all(|x| [(M + 2) / 4, (3 * M + 2) / 4].contains(x)), "{report:?}");
    }
}

#[test]
fn the_squared_error_is_as_expected() {
    for dims in [1, 2, 5] {
        for mechanism in
            [bpm(0.5), bpm(4.0), nd_laplace(dims, 4.0, Ending::Raw), Mechanism::Laplace, Mechanism::LaplaceMetric]
        {
            for sampler in [Sampler::Exact, Sampler::Doubles] {
                let device = Client::new(&design(mechanism.clone(), "4", dims, sampler)).unwrap();
                let expected = device.expected_squared_error().unwrap();
                let (mut noise, mut report, runs) = (SeededNoise::new(21), vec![0; dims], 20_000);
                let errors: Vec<f64> = (0..runs)
                    .map(|_| {
                        let record: Vec<i64> =
                            (0..dims).map(|_| uniform::below(&mut noise, STEPS + 1) as i64).collect();
                        device.report(&record, &mut noise, &mut report);
                        record.iter().zip(&report).map(|(v, x)| ((x - v) as f64 / M as f64).powi(2)).sum()
                    })
                    .collect();
                let mean = errors.iter().sum::<f64>() / f64::from(runs);
                let deviation = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / f64::from(runs);
                let error = (deviation / f64::from(runs)).sqrt();
                assert!((mean - expected).abs() < 4.5 * error, "{mechanism:?}, d = {dims}: {mean}, {expected}");
                assert!((mean - 1.1 * 1.1 * expected).abs() > 4.5 * error, "noise a tenth larger would be seen");
            }
        }
    }
}

#[test]
fn the_information_is_the_mean_squared_slope_of_the_log_density() {
    let close = |ours: f64, theirs: f64| assert!((ours / theirs - 1.0).abs() < 5e-3, "{ours} and {theirs}");
    let (rate, radius, cells) = (3.0, 0.6, 1200);
    for dims in [1_usize, 2] {
        let law = BpmLaw { dims, rate, radius };
        let width = (1.0 + 2.0 * radius) / f64::from(cells);
        let at = |i: i32| -radius + (f64::from(i) + 0.5) * width;
        let mut sum = 0.0;
        for i in 0..cells {
            for j in 0..(if dims == 1 { 1 } else { cells }) {
                let rest = if dims == 1 { 0.0 } else { at(j) - 0.4 };
                let ln_f = |v: f64| -rate * (at(i) - v).hypot(rest).min(radius);
                let slope = (ln_f(0.3 + 1e-6) - ln_f(0.3 - 1e-6)) / 2e-6;
                sum += (ln_f(0.3) + law.ln_lambda()).exp() * slope * slope * width.powi(dims as i32);
            }
        }
        close(client(bpm(radius), "3", dims).information_per_report().unwrap(), sum);
    }
    close(client(nd_laplace(4, 3.0, Ending::Raw), "3", 4).expected_squared_error().unwrap(), 20.0 / 9.0);
    close(client(nd_laplace(4, 3.0, Ending::Raw), "3", 4).information_per_report().unwrap(), 9.0 / 4.0);
    close(client(Mechanism::Laplace, "3", 4).information_per_report().unwrap(), (3.0_f64 / 4.0).powi(2));
    close(client(Mechanism::LaplaceMetric, "3", 4).information_per_report().unwrap(), 9.0 / 4.0);
}

#[test]
fn clients_work_from_one_to_a_thousand_attributes_and_at_any_budget() {
    for dims in [1, 1000] {
        for epsilon in ["0.001", "1", "100"] {
            let mut told = Vec::new();
            for mechanism in all(dims, epsilon.parse().unwrap()) {
                let device = client(mechanism, epsilon, dims);
                let space = device.space();
                let sent = reports(&device, &vec![M / 3; dims], 2, 3);
                assert!(sent.iter().flatten().all(|x| (space.low..=space.high).contains(x)));
                assert_ne!(sent[0], sent[1]);
                told.extend(device.expected_squared_error());
                told.extend(device.information_per_report());
            }
            // The information of a report with too small a radius is below the smallest double.
            assert!(told.iter().all(|value| value.is_finite() && *value >= 0.0), "d = {dims}, ε = {epsilon}: {told:?}");
        }
    }
}

/// The largest difference between the share of values below t and F(t).
fn kolmogorov_smirnov(values: &mut [f64], distribution: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    values.iter().enumerate().fold(0.0, |worst: f64, (i, &value)| {
        let f = distribution(value);
        worst.max((f - i as f64 / n).abs()).max(((i + 1) as f64 / n - f).abs())
    })
}

#[test]
fn bpgm_s_distance_is_a_truncated_exponential() {
    let runs = 40_000;
    // α = 1e-6.
    let by_chance = (-(0.5e-6_f64).ln() / 2.0 / runs as f64).sqrt();
    for (dims, form) in [(1, BpgmForm::ClosedForm), (2, BpgmForm::Adam), (7, BpgmForm::Adam), (7, BpgmForm::ClosedForm)]
    {
        // Adam stops within the threshold, where the density is 5 at most.
        let loose = if form == BpgmForm::Adam { 5.1 * shoal_device::bpgm::THRESHOLD } else { 1e-4 };
        let allowed = by_chance + loose;
        let device = client(bpgm("1", form), "5", dims);
        let record: Vec<i64> = (0..dims as i64).map(|i| (i * 31_000 + 20_000) % M).collect();
        let mut distances: Vec<f64> = reports(&device, &record, runs, 77)
            .iter()
            .map(|report| {
                report.iter().zip(&record).map(|(x, v)| ((x - v) as f64 / M as f64).powi(2)).sum::<f64>().sqrt()
            })
            .collect();
        let law =
            |rate: f64, bound: f64| move |r: f64| ((-rate * r).exp_m1() / (-rate * bound).exp_m1()).clamp(0.0, 1.0);
        let off = kolmogorov_smirnov(&mut distances, law(5.0, 1.0));
        assert!(off < allowed, "{form:?}, d = {dims}: {off}");
        for (rate, bound) in [(5.0 * 1.1, 1.0), (5.0 * 0.9, 1.0), (5.0, 0.5)] {
            assert!(kolmogorov_smirnov(&mut distances, law(rate, bound)) > allowed, "{rate}, {bound}");
        }
        // The radius that would make BPGM sound at d = 2: Gamma(2).
        assert!(kolmogorov_smirnov(&mut distances, |r| 1.0 - (1.0 + 5.0 * r) * (-5.0 * r).exp()) > allowed);
    }
}

#[test]
fn bpgm_is_not_unbiased() {
    // At d = 1 the record 0 only ever moves up.
    let device = client(bpgm("1", BpgmForm::ClosedForm), "1", 1);
    assert!(reports(&device, &[0], 2000, 5).iter().all(|report| report[0] >= 0));
    assert!(reports(&device, &[M], 2000, 6).iter().all(|report| report[0] <= M));
}

/// How many standard errors the mean product of the reports' deviations is off `expected`, for two coordinates.
fn covariance_off_by(reports: &[Vec<i64>], (i, j): (usize, usize), expected: f64) -> f64 {
    let (n, at) = (reports.len() as f64, |report: &[i64], i: usize| report[i] as f64 / M as f64);
    let mean = |i| reports.iter().map(|report| at(report, i)).sum::<f64>() / n;
    let (mean_i, mean_j) = (mean(i), mean(j));
    let products: Vec<f64> = reports.iter().map(|x| (at(x, i) - mean_i) * (at(x, j) - mean_j)).collect();
    let found = products.iter().sum::<f64>() / n;
    let error = (products.iter().map(|p| (p - found).powi(2)).sum::<f64>() / n / n).sqrt();
    (found - expected).abs() / error
}

#[test]
fn reports_have_the_covariance_of_lemma_12() {
    for (dims, radius, rate) in [(2, 0.5, "4"), (3, 1.0, "5"), (4, 0.7, "9")] {
        // Near a corner, where what relates two coordinates is largest.
        let record: Vec<i64> = (0..dims as i64).map(|i| if i == 1 { M - 2000 } else { 1000 * i }).collect();
        let at: Vec<f64> = record.iter().map(|&v| v as f64 / M as f64).collect();
        let law = BpmLaw { dims, rate: rate.parse().unwrap(), radius };
        for sampler in [Sampler::Exact, Sampler::Doubles] {
            let device = Client::new(&design(bpm(radius), rate, dims, sampler)).unwrap();
            let drawn = reports(&device, &record, 40_000, 61);
            for (i, j) in [(0, 0), (1, 1), (0, 1), (0, dims - 1)] {
                let stated = law.covariance(&at, i, j);
                assert!(covariance_off_by(&drawn, (i, j), stated) < 4.5, "{law:?}, {i}, {j}, {sampler:?}");
            }
            // Mutants: no covariance, one with the wrong sign, and one without 1 − β.
            let stated = law.covariance(&at, 0, 1);
            for wrong in [0.0, -stated, stated / law.ln_not_beta().exp()] {
                assert!(covariance_off_by(&drawn, (0, 1), wrong) > 6.0, "{law:?}: {wrong} in place of {stated}");
            }
        }
    }
}

/// Whether reports whose first attribute is within a step of the first record's are certainly more than e^(ε·distance) times
/// as likely from it as from the second, four steps away, for ε = 5: five standard errors of the logarithm of a ratio of
/// counts.
fn is_dense_at_the_record(reports: impl Fn(i64, u64) -> Vec<Vec<i64>>) -> bool {
    let step = M / 316;
    let (first, second) = (M / 2, M / 2 + 4 * step);
    let near = |record, seed| reports(record, seed).iter().filter(|x| (x[0] - first).abs() < step).count() as f64;
    let (own, other) = (near(first, 31), near(second, 32));
    let allowed = 5.0 * (second - first) as f64 / M as f64;
    (own / other).ln() - 5.0 * (1.0 / own + 1.0 / other).sqrt() > allowed
}

#[test]
fn algorithm_2_as_printed_breaks_the_published_promise() {
    let device = client(bpgm("1", BpgmForm::AsPrinted), "5", 2);
    assert!(is_dense_at_the_record(|record, seed| reports(&device, &[record, M / 2], 100_000, seed)));
    // Mutants, which keep the promise: starts alone, which know nothing of the record, and Laplace noise.
    assert!(!is_dense_at_the_record(|_, seed| {
        let mut noise = SeededNoise::new(seed);
        (0..100_000).map(|_| vec![(uniform::unit_f64(&mut noise) * M as f64).round() as i64]).collect()
    }));
    let laplace = client(Mechanism::LaplaceMetric, "5", 2);
    assert!(!is_dense_at_the_record(|record, seed| reports(&laplace, &[record, M / 2], 100_000, seed)));
}

#[test]
fn seeded_reports_repeat_and_are_void() {
    let device = client(bpm(1.0), "1", 3);
    assert_eq!(reports(&device, &[1, 2, 3], 5, 9), reports(&device, &[1, 2, 3], 5, 9));
    assert!(SeededNoise::new(9).is_seeded());
    let promises = device.promises().with_seeded_noise();
    assert_eq!((promises.guarantee.claim(), promises.also.len()), (None, 0));
}
