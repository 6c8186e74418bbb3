//! The parts of a statistical audit: the classifier, the choice of an event, and the search over pairs.

use shoal_audit::runs::draw;
use shoal_audit::statistical::Experiment;
use shoal_audit::statistical::boosted::Boosted;
use shoal_audit::statistical::events::Looks;
use shoal_audit::statistical::features::Feature;
use shoal_audit::statistical::search::{PairSpace, Search, search_and_audit};
use shoal_audit::{Allowed, Pair, Randomness, RunFailure, Runs, Side, each};
use shoal_noise::uniform::{below, normal_f64, unit_f64};
use shoal_noise::{DiscreteLaplace, NoiseSource, RBig};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};

fn runs(side: &dyn Side, n: usize, part: u32) -> Runs {
    draw(side, n, Randomness::Seeded(9), part, &|_| ()).unwrap()
}

/// How often a classifier that learnt on the first half guesses right on the second.
fn right(first: &dyn Side, second: &dyn Side, numbers: usize) -> f64 {
    let n = 12_000;
    let (first, second) = (runs(first, n, 1), runs(second, n, 2));
    let features: Vec<_> = (0..numbers).map(Feature::Number).collect();
    let boosted = Boosted::learn(&features, &first, &second, 0..n / 2);
    let guessed = (n / 2..n)
        .map(|i| usize::from(boosted.score(first.run(i)) > 0.0) + usize::from(boosted.score(second.run(i)) <= 0.0));
    guessed.sum::<usize>() as f64 / n as f64
}

#[test]
fn a_classifier_learns_what_only_a_pair_of_numbers_tells() {
    // Two normal numbers, whose signs agree nine times in ten on one input and once in ten on the other.
    let side = |agree: f64| {
        each(move |noise, out| {
            let (a, b) = (normal_f64(noise), normal_f64(noise).abs());
            let sign = if unit_f64(noise) < agree { a.signum() } else { -a.signum() };
            out.tell_all([normal_f64(noise), a, normal_f64(noise), b * sign]);
        })
    };
    let rate = right(&*side(0.9), &*side(0.1), 4);
    assert!(rate > 0.85, "0.9 is possible, {rate} reached");
    let rate = right(&*side(0.5), &*side(0.5), 4);
    assert!((rate - 0.5).abs() < 0.02, "there is nothing to learn, and {rate} learnt");
}

#[test]
fn a_classifier_learns_a_sum() {
    // Ten normal numbers, each moved by 0.4: the sum indicates the right one with Φ(0.4·√10/2) = 0.736.
    let side = |moved: f64| {
        each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
            out.tell_all((0..10).map(|_| moved + normal_f64(noise)).collect::<Vec<_>>());
        })
    };
    let best = Normal::standard().cdf(0.2 * 10_f64.sqrt());
    let rate = right(&*side(0.4), &*side(0.0), 10);
    assert!(rate > best - 0.03 && rate < best + 0.02, "{best} is possible, {rate} reached");
}

#[test]
fn the_best_threshold_of_a_known_law_is_found() {
    // N(1, 1) against N(0, 1): an event "x ≥ t" shows ln((Φ(1 − t) − δ)/Φ(−t)) at δ, which is largest at some t.
    // To a thousandth, so that bits of doubles reveal nothing.
    let side = |moved: f64| each(move |noise, out| out.tell(((moved + normal_f64(noise)) * 1e3).round() / 1e3));
    let n = 40_000;
    let (first, second) = (runs(&*side(1.0), n, 1), runs(&*side(0.0), n, 2));
    let looks = Looks::learn(&first, &second, 0..n / 2, &[]);
    let deltas = [0.05, 0.1, 0.2];
    let chosen = looks.choose(&first, &second, n / 2..n, &deltas, 3.0);
    let law = Normal::standard();
    let shows = |p: f64, q: f64, delta: f64| if p > delta { ((p - delta) / q).ln() } else { 0.0 };
    for (delta, chosen) in deltas.into_iter().zip(chosen) {
        let best = (-300..300)
            .map(|t| f64::from(t) / 100.0)
            .map(|t| shows(1.0 - law.cdf(t - 1.0), 1.0 - law.cdf(t), delta))
            .fold(0.0, f64::max);
        let event = chosen.unwrap().0;
        // The chances of the chosen event, summed over a fine grid.
        let chance = |mean: f64| -> f64 {
            let at = (-8000..8000).map(|i| f64::from(i) / 1000.0 + 0.000_5);
            at.filter(|x| event.happened(&[*x])).map(|x| law.pdf(x - mean) / 1000.0).sum()
        };
        let (of_first, of_second) = (chance(1.0), chance(0.0));
        let (p, q) = if event.speaks_for_first { (of_first, of_second) } else { (of_second, of_first) };
        let found = shows(p, q, delta);
        assert!(found > 0.93 * best && found <= 1.001 * best, "δ = {delta}: {found} of {best} by {}", event.words());
    }
}

#[test]
fn a_handful_of_runs_shows_nothing() {
    // Without noise at all: an event chosen on the very runs that it is tested on would look sure.
    let pair = |runs: usize| {
        let side = |rows: i64| each(move |_, out| out.tell(rows as f64));
        let audit = Experiment { runs, alpha: 0.1, randomness: Randomness::Seeded(1) };
        audit.audit(&Pair::new("no row and one", side(0), side(1), Allowed::Pure(1.0)), &|_| ()).unwrap()
    };
    for runs in 0..8 {
        assert!(pair(runs).curve.iter().all(|point| point.at_least == 0.0), "{runs}");
    }
    assert!(pair(100).is_broken());
}

/// Counts whose noise is right but around one number of rows, which no catalogue has.
struct Hollow;

impl PairSpace for Hollow {
    type Spec = i64;

    fn catalogue(&self) -> Vec<i64> {
        vec![0, 40]
    }

    fn vary(&self, from: &i64, noise: &mut dyn NoiseSource) -> i64 {
        if below(noise, 4) == 0 { below(noise, 41) as i64 } else { (from + below(noise, 9) as i64 - 4).clamp(0, 40) }
    }

    fn pair(&self, rows: &i64) -> Result<Pair, RunFailure> {
        let tenths = 10 + (12 - (rows - 19).abs()).max(0);
        let law = DiscreteLaplace::new(RBig::from_parts(tenths.into(), 10_u8.into()))?;
        let side = |rows: i64| -> Box<dyn Side> {
            let law = law.clone();
            each(move |noise, out| out.tell((rows + law.sample(noise)) as f64))
        };
        Ok(Pair::new(format!("{rows} rows and one more"), side(*rows), side(rows + 1), Allowed::Pure(1.0)))
    }
}

#[test]
fn a_search_finds_a_bad_pair_that_is_in_no_catalogue() {
    let experiment = Experiment { runs: 40_000, alpha: 1e-6, randomness: Randomness::Seeded(5) };
    let watched = std::sync::atomic::AtomicUsize::new(0);
    let watch = |runs: usize| {
        watched.fetch_add(runs, std::sync::atomic::Ordering::Relaxed);
    };
    let search = Search { pilot_runs: 3000, variations: 40 };
    let (rows, finding) = search_and_audit(&Hollow, search, &experiment, &watch).unwrap();
    assert!((14..=24).contains(&rows), "{rows}");
    assert!(finding.is_broken() && finding.curve[0].at_least > 1.5, "{finding:?}");
    assert_eq!(watched.into_inner(), search.runs(2) + 2 * 40_000);
    // Without variations the catalogue alone finds nothing.
    let (_, finding) = search_and_audit(&Hollow, Search { variations: 0, ..search }, &experiment, &|_| ()).unwrap();
    assert!(!finding.is_broken());
}
