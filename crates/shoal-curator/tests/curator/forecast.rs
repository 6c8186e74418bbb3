//! The forecast of a fit's accuracy against fits, and against forecasts that are wrong.

use shoal_curator::{
    Accuracy, Auto, AutoParams, DataGuess, DesignSize, Found, Settings, find_method, predict_accuracy,
};
use shoal_files::PointStore;
use shoal_kernel::assign_min_cost;
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticePoints, Widths};
use shoal_noise::SeededNoise;
use shoal_noise::uniform::normal_f64;
use shoal_privacy::Allowance;
use shoal_scan::LocalScan;

const SPREAD: f64 = 0.05;

/// Centres 8 standard deviations apart along the first two columns, in parts of the range.
const CENTRES: [[f64; 2]; 4] = [[0.3, 0.3], [0.7, 0.3], [0.3, 0.7], [0.7, 0.7]];

/// Round clusters in `dims` columns, with their means in box units.
fn table(rows: usize, dims: usize) -> (LatticePoints, Vec<Vec<f64>>) {
    let random = &mut SeededNoise::new(9);
    let mut points = LatticePoints::new(dims);
    let mut sums = vec![vec![0.0; dims]; CENTRES.len()];
    for row in 0..rows {
        let j = row % CENTRES.len();
        let place = |axis: usize| CENTRES[j].get(axis).copied().unwrap_or(0.5);
        let at: Vec<i16> = (0..dims)
            .map(|axis| 2.0 * (place(axis) + SPREAD * normal_f64(random)).clamp(0.0, 1.0) - 1.0)
            .map(|x| (x * f64::from(HALF_WIDTH)).round() as i16)
            .collect();
        for (sum, &x) in sums[j].iter_mut().zip(&at) {
            *sum += f64::from(x) / f64::from(HALF_WIDTH) / (rows / CENTRES.len()) as f64;
        }
        points.push_row(&at);
    }
    (points, sums)
}

fn forecast(rows: usize, dims: usize, epsilon: &str) -> Accuracy {
    let params = AutoParams::new(CENTRES.len(), epsilon.parse().unwrap(), DesignSize::Public(rows as u64));
    let choice = Auto::new(params, dims).unwrap().choice(rows as f64);
    let guess = DataGuess { spread: Widths(SPREAD), overlap: 0.002, smallest: Some(0.25) };
    predict_accuracy(&choice, rows as f64, dims, CENTRES.len(), &guess)
}

/// Root mean square move per column in parts of the range, and of sizes in rows, over ten fits.
fn measured(rows: usize, dims: usize, epsilon: &str) -> (f64, f64) {
    let (points, means) = table(rows, dims);
    let scan = LocalScan::new(PointStore::InMemory(points));
    let settings = Settings::new(CENTRES.len(), epsilon.parse().unwrap(), DesignSize::Public(rows as u64));
    let auto = find_method("auto").unwrap().build(&settings, dims).unwrap();
    let (mut moves, mut sizes) = (Vec::new(), Vec::new());
    for seed in 0..10 {
        let allowance = Allowance::without_ledger(auto.claim());
        let outcome = auto.run(&scan, allowance, &mut SeededNoise::new(seed)).unwrap();
        let released: Vec<Vec<f64>> = outcome.centres.iter().map(|centre| BoxPosition::numbers(centre)).collect();
        let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let costs: Vec<f64> = means.iter().flat_map(|mean| released.iter().map(|at| squared(mean, at))).collect();
        let matched = assign_min_cost(means.len(), released.len(), &costs).column_of;
        for (mean, place) in means.iter().zip(matched).filter_map(|(mean, place)| Some((mean, place?))) {
            moves.push(0.25 * squared(mean, &released[place]) / dims as f64);
            let size = outcome.sizes.get(place).copied().unwrap_or(0.0);
            sizes.push((size - (rows / CENTRES.len()) as f64).powi(2));
        }
    }
    let root = |squares: &[f64]| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    (root(&moves), root(&sizes))
}

/// Whether forecasts, each times `factor`, are within a factor of two of what was measured, on average over the cells.
fn is_right(ratios: &[f64], factor: f64) -> bool {
    let mean = ratios.iter().map(|ratio| (ratio * factor).ln()).sum::<f64>() / ratios.len() as f64;
    mean.abs() < 2f64.ln()
}

#[test]
fn moves_and_sizes_are_within_a_factor_of_two_and_a_forecast_off_by_three_is_not() {
    let cells =
        [(4000, 2, "0.1"), (4000, 2, "1"), (20_000, 2, "0.1"), (8000, 6, "0.3"), (8000, 6, "1"), (40_000, 3, "0.03")];
    let (mut of_centres, mut of_sizes) = (Vec::new(), Vec::new());
    for (rows, dims, epsilon) in cells {
        let (predicted, (moved, size)) = (forecast(rows, dims, epsilon), measured(rows, dims, epsilon));
        assert_eq!(predicted.verdict(), Found::All, "{rows} {dims} {epsilon}");
        of_centres.push(predicted.centre.0 / moved);
        of_sizes.push(predicted.size.unwrap() / size);
    }
    for ratios in [&of_centres, &of_sizes] {
        assert!(ratios.iter().all(|ratio| (1.0 / 3.0..3.0).contains(ratio)), "{ratios:?}");
        assert!(is_right(ratios, 1.0), "{ratios:?}");
        assert!(!is_right(ratios, 3.0) && !is_right(ratios, 1.0 / 3.0), "off by three passes unseen: {ratios:?}");
    }
}

#[test]
fn hopeless_fits_are_called_too_noisy() {
    for (rows, dims, epsilon) in [(300, 6, "0.03"), (1000, 20, "0.1"), (2000, 20, "0.03")] {
        assert_eq!(forecast(rows, dims, epsilon).verdict(), Found::TooNoisy, "{rows} {dims} {epsilon}");
        // A centre that is found is nearer than half the way to the next one, which is 0.4 away.
        let (moved, _) = measured(rows, dims, epsilon);
        assert!(moved * (dims as f64).sqrt() > 0.2, "{rows} {dims} {epsilon}: {moved}");
    }
}

#[test]
fn a_smaller_budget_is_never_as_good_as_a_larger_one() {
    // 30,000 rows, 3 columns, 4 clusters: ε = 0.01 is far worse than 1.
    let [small, large] = ["0.01", "1"].map(|epsilon| forecast(30_000, 3, epsilon));
    assert!(small.centre.0 > 10.0 * large.centre.0, "{small:?} {large:?}");
    assert!(small.size.unwrap() > 3.0 * large.size.unwrap() && small.found < large.found);
    assert!(small.nicv_ratio > large.nicv_ratio && large.nicv_ratio < 1.1);
}
