//! The distribution of BPM against values computed elsewhere in thousands of digits, and against plain sums over a grid.

use shoal_device::BpmLaw;
use shoal_device::choose_radius;
use shoal_device::choose_radius::Remark2Note;
use shoal_lattice::STEPS;

/// Rows of `vectors/bpm_law.csv` as dims, rate, radius and seven logarithms.
fn vectors() -> Vec<(BpmLaw, [f64; 7])> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/bpm_law.csv");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let values: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let law = BpmLaw { dims: values[0] as usize, rate: values[1], radius: values[2] };
            (law, values[3..].try_into().unwrap())
        })
        .collect()
}

/// What the program says about the columns of the vectors.
fn computed(law: &BpmLaw) -> [f64; 7] {
    [
        law.ln_lambda(),
        law.ln_p_inside(),
        law.ln_p_outside(),
        law.ln_beta(),
        law.ln_not_beta(),
        law.ln_zeta(),
        law.ln_cost_of_bound(),
    ]
}

/// Largest error of a logarithm: a relative error of the value itself, or of the logarithm where that is large.
fn worst_error(change: impl Fn(&BpmLaw) -> BpmLaw) -> f64 {
    let mut worst = 0.0_f64;
    for (law, expected) in vectors() {
        for (ours, theirs) in computed(&change(&law)).into_iter().zip(expected) {
            worst = worst.max((ours - theirs).abs() / theirs.abs().max(1.0));
        }
    }
    worst
}

#[test]
fn the_law_is_that_of_the_vectors() {
    assert_eq!(vectors().len(), 9 * 6 * 10);
    let worst = worst_error(|law| *law);
    assert!(worst < 1e-11, "{worst:e}");
}

#[test]
fn probabilities_near_one_and_near_zero_are_both_right() {
    for (law, [_, p, outside, beta, not_beta, ..]) in vectors() {
        // The smaller of two that add up to one carries the digits; the other must follow from it.
        for (ours, theirs) in [
            (law.ln_p_inside(), p),
            (law.ln_p_outside(), outside),
            (law.ln_beta(), beta),
            (law.ln_not_beta(), not_beta),
        ] {
            assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1e-3), "{law:?}: {ours:e} and {theirs:e}");
        }
        assert!((law.p_inside() + law.ln_p_outside().exp() - 1.0).abs() < 1e-10, "{law:?}");
        assert!((law.beta() + law.ln_not_beta().exp() - 1.0).abs() < 1e-10, "{law:?}");
    }
}

#[test]
fn laws_with_other_parameters_are_told_apart() {
    assert!(worst_error(|law| BpmLaw { rate: law.rate * (1.0 + 1e-9), ..*law }) > 1e-10);
    assert!(worst_error(|law| BpmLaw { radius: law.radius * (1.0 + 1e-9), ..*law }) > 1e-10);
    assert!(worst_error(|law| BpmLaw { dims: law.dims + 1, ..*law }) > 1e-2);
}

/// Sums over the middles of `cells`^d cells of the box, for a distribution without its normaliser: mass, mass inside the
/// ball, mean of the first coordinate and mean squared distance.
fn by_summing(law: &BpmLaw, record: &[f64], cells: usize) -> [f64; 4] {
    let (d, side) = (law.dims, 1.0 + 2.0 * law.radius);
    let width = side / cells as f64;
    let mut sums = [0.0; 4];
    for index in 0..cells.pow(d as u32) {
        let mut rest = index;
        let (mut squared, mut first) = (0.0, 0.0);
        for (i, v) in record.iter().enumerate() {
            let x = -law.radius + (rest % cells) as f64 * width + width / 2.0;
            rest /= cells;
            squared += (x - v) * (x - v);
            if i == 0 {
                first = x;
            }
        }
        let distance = squared.sqrt();
        let mass = (-law.rate * distance.min(law.radius)).exp();
        let inside = if distance <= law.radius { mass } else { 0.0 };
        for (sum, term) in sums.iter_mut().zip([mass, inside, mass * first, mass * squared]) {
            *sum += term;
        }
    }
    let [mass, inside, first, squared] = sums;
    [mass * width.powi(d as i32), inside / mass, first / mass, squared / mass]
}

#[test]
fn sums_over_a_grid_agree() {
    for (dims, cells, tolerance) in [(1, 200_000, 1e-4), (2, 1500, 1e-3), (3, 160, 3e-3)] {
        for (rate, radius) in [(0.5, 0.3), (2.0, 1.0), (3.0, 0.7)] {
            let law = BpmLaw { dims, rate, radius };
            let record: Vec<f64> = (0..dims).map(|i| 0.1 + 0.35 * i as f64).collect();
            let [mass, inside, first, squared] = by_summing(&law, &record, cells);
            let close = |ours: f64, theirs: f64, what: &str| {
                assert!((ours - theirs).abs() < tolerance * theirs.abs(), "{law:?}, {what}: {ours} and {theirs}");
            };
            close(law.ln_mu().exp(), mass, "mu");
            close(law.p_inside(), inside, "p_L");
            close(law.squared_error(&record), squared, "squared error");
            close(record[0] + law.beta() * (0.5 - record[0]), first, "mean");
            close(law.ln_density(0.2).exp(), (-rate * 0.2).exp() / mass, "density");
        }
    }
}

#[test]
fn covariances_agree_with_the_squared_error_and_with_lemma_12() {
    for (law, _) in vectors().into_iter().filter(|(law, _)| law.dims <= 30) {
        let record: Vec<f64> = (0..law.dims).map(|i| (0.13 + 0.37 * i as f64).fract()).collect();
        // E ‖X − v‖² is the spread about the mean and the bias β(h − v).
        let spread: f64 = (0..law.dims).map(|i| law.covariance(&record, i, i)).sum();
        let bias: f64 = record.iter().map(|v| (law.beta() * (0.5 - v)).powi(2)).sum();
        let squared = law.squared_error(&record);
        assert!(((spread + bias) / squared - 1.0).abs() < 1e-9, "{law:?}: {spread} and {bias}, {squared}");
        let most = 0.25 * (law.ln_beta() + law.ln_not_beta()).exp();
        for (i, j) in (0..law.dims).flat_map(|i| (0..i).map(move |j| (i, j))) {
            assert!(law.covariance(&record, i, j).abs() <= most, "{law:?}: the bound of Lemma 12");
            assert_eq!(law.covariance(&record, i, j), law.covariance(&record, j, i));
        }
        let corner = vec![1.0; law.dims];
        // Beta may be too small for a double.
        let reached = law.dims == 1 || (law.covariance(&corner, 0, 1) - most).abs() <= 1e-9 * most;
        assert!(reached, "{law:?}: which corners reach");
    }
}

#[test]
fn zeta_is_the_mean_over_records() {
    for (dims, rate, radius) in [(1, 1.0, 0.5), (2, 4.0, 2.0)] {
        let law = BpmLaw { dims, rate, radius };
        // The squared error is quadratic in each coordinate: two Gauss points per coordinate are exact.
        let points = [0.5 - 0.5 / 3.0_f64.sqrt(), 0.5 + 0.5 / 3.0_f64.sqrt()];
        let corners = 1 << dims;
        let mean: f64 = (0..corners)
            .map(|c| law.squared_error(&(0..dims).map(|i| points[(c >> i) & 1]).collect::<Vec<_>>()))
            .sum::<f64>()
            / corners as f64;
        assert!((mean / law.zeta() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn far_out_the_law_is_that_of_nd_laplace() {
    for dims in [1, 4, 100, 1000] {
        for rate in [1e-3, 1.0, 100.0] {
            let steps = choose_radius::nd_laplace(dims, rate).steps;
            let law = BpmLaw { dims, rate, radius: steps as f64 / STEPS as f64 };
            assert!(law.ln_beta() <= -100.0 * std::f64::consts::LN_2);
            assert!(law.ln_p_outside() <= law.ln_beta());
            let d = dims as f64;
            assert!((law.zeta() * rate * rate / (d * (d + 1.0)) - 1.0).abs() < 1e-9);
            let tighter = BpmLaw { radius: law.radius * 0.99 - 2.0 / STEPS as f64, ..law };
            assert!(tighter.ln_beta() > -100.0 * std::f64::consts::LN_2, "the smallest radius that will do");
        }
    }
}

/// Whether a radius meets the two conditions of the default choice.
fn informative(dims: usize, rate: f64, radius: f64) -> bool {
    let law = BpmLaw { dims, rate, radius };
    law.p_inside() >= 0.95 && law.ln_cost_of_bound() <= 1.05_f64.ln()
}

#[test]
fn the_default_radius_is_the_smallest_informative_one() {
    // p_L ≥ 0.95 and J ≤ 1.05; of the two, J decides.
    for (dims, rate, expected) in [(4, 4.0, 3.845), (10, 8.0, 4.264)] {
        let radius = choose_radius::information(dims, rate).steps as f64 / STEPS as f64;
        assert!((radius - expected).abs() < 0.002, "{radius}");
    }
    for dims in [1, 2, 5, 30, 1000] {
        for rate in [1e-3, 0.1, 1.0, 10.0, 100.0] {
            let chosen = choose_radius::information(dims, rate);
            assert_eq!(chosen.note, None);
            let radius = chosen.steps as f64 / STEPS as f64;
            assert!(informative(dims, rate, radius), "d = {dims}, rate = {rate}");
            // A step less is too little, and so is every radius of a scan below.
            let mut below = radius - 1.0 / STEPS as f64;
            while below > 1e-6 {
                assert!(!informative(dims, rate, below * (1.0 - 1e-9)), "d = {dims}, rate = {rate}, {below}");
                below *= 0.93;
            }
        }
    }
}

#[test]
fn nearly_all_reports_lie_inside_at_known_radii() {
    for (dims, rate, radius) in [(4, 4.0, 4.08), (10, 8.0, 4.28)] {
        let law = BpmLaw { dims, rate, radius };
        assert!((law.p_inside() - 0.999).abs() < 1e-5, "{}", law.p_inside());
        assert!(law.ln_cost_of_bound() < 1.05_f64.ln());
    }
}

#[test]
fn remark_2_runs_to_one_end_or_the_other() {
    for dims in [1, 2, 4, 10, 100] {
        let turning = (6.0 * (dims as f64 + 1.0)).sqrt();
        for share in [0.1, 0.5, 0.9, 0.98] {
            let low = choose_radius::remark_2(dims, turning * share);
            assert_eq!((low.steps, low.note), (1, Some(Remark2Note::LowerEnd)), "d = {dims}, {share}");
        }
        for share in [1.02, 1.1, 2.0, 5.0] {
            let high = choose_radius::remark_2(dims, turning * share);
            assert_eq!(high.note, Some(Remark2Note::UpperEnd), "d = {dims}, {share}");
            assert_eq!(high.steps, choose_radius::nd_laplace(dims, turning * share).steps);
        }
    }
    assert!(Remark2Note::LowerEnd.words().contains("say nothing about the record"));
    assert!(Remark2Note::UpperEnd.words().contains("nD-Laplace"));
}

#[test]
fn a_given_radius_is_rounded_up_to_whole_steps() {
    assert_eq!(choose_radius::given(2.0).steps, 2 * STEPS);
    assert_eq!(choose_radius::given(1e-9).steps, 1);
    assert_eq!(choose_radius::given(1.5 / STEPS as f64).steps, 2);
}
