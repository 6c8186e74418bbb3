//! What forged reports do to each server: `cargo run --release -p shoal-bench --bin forged [RUNS]`.
//!
//! 20,000 made-up people in three round groups, two columns, honest reports under three designs. Some reports are replaced by
//! forged ones that the collector cannot refuse, because the mechanism can make them:
//!
//! - *random*: anywhere that is plausible for the design.
//! - *one place*: all at one corner of what is plausible.
//! - *to move a centre*: as if a group of people were beyond the first group, as far as honest reports go, with true noise.
//!
//! Prints the mean squared distance of the true records to the nearest centre (NICV, scaled to [−1, 1]), the mean over runs, with
//! forged reports held to what is plausible, without and with the robust option (no more reports in one place than is plausible), and with one report at the end of all numbers, with and without that.

use shoal_bench::Shape;
use shoal_crowd::server::{Clusters, Crowding, NoiseAware, Plausible, ReportPoints, TkMeans, kmeans_on_reports};
use shoal_device::{Client, Design, Ending, Mechanism, choose_radius};
use shoal_kernel::Restarts;
use shoal_lattice::{Bounds, HALF_WIDTH, Interval, LatticePoints, STEPS, UnitPosition};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

const PEOPLE: usize = 20_000;
const K: usize = 3;

/// Replaces reports, given what a design can report.
type Forge<'a> = dyn Fn(&mut Vec<[i64; 2]>, [f64; 2], &mut SeededNoise) + 'a;

#[derive(Clone, Copy)]
enum Attack {
    None,
    Random,
    OnePlace,
    MoveACentre,
}

const SERVERS: [&str; 3] = ["noise-aware", "kmeans", "tk-means"];

fn found(server: &str, points: &ReportPoints, client: &Client, random: &mut SeededNoise) -> Clusters {
    match (server, client.noise_law()) {
        ("noise-aware", Some(law)) => NoiseAware::new(K).cluster(points, law, random),
        ("tk-means", _) => TkMeans::new(K).cluster(points, random),
        _ => kmeans_on_reports(points, &Restarts { clusters: K, restarts: 10, iterations: 50 }, random),
    }
}

/// Positions in widths of the box.
fn records(table: &LatticePoints) -> Vec<[f64; 2]> {
    let unit = |x: i16| 0.5 + 0.5 * f64::from(x) / f64::from(HALF_WIDTH);
    (0..table.rows()).map(|row| [unit(table.get(row, 0)), unit(table.get(row, 1))]).collect()
}

fn nicv(records: &[[f64; 2]], clusters: &Clusters) -> f64 {
    let centres: Vec<Vec<f64>> = clusters.centres.iter().map(|centre| UnitPosition::numbers(centre)).collect();
    let nearest = |x: &[f64; 2]| {
        let squared = centres.iter().map(|c| (c[0] - x[0]).powi(2) + (c[1] - x[1]).powi(2));
        squared.fold(f64::INFINITY, f64::min)
    };
    4.0 * records.iter().map(nearest).sum::<f64>() / records.len() as f64
}

fn report(client: &Client, record: [f64; 2], random: &mut SeededNoise) -> [i64; 2] {
    let steps = record.map(|x| ((x.clamp(0.0, 1.0) * STEPS as f64).round() as i64).clamp(0, STEPS as i64));
    let mut noisy = [0; 2];
    client.report(&steps, random, &mut noisy);
    noisy
}

/// What an attacker sends instead of a report.
fn forged(attack: Attack, client: &Client, beyond: f64, first: [f64; 2], random: &mut SeededNoise) -> [i64; 2] {
    let steps = |x: f64| (x * STEPS as f64).round() as i64;
    match attack {
        Attack::None => report(client, first, random),
        Attack::Random => [0, 0].map(|_| steps(-beyond + (1.0 + 2.0 * beyond) * uniform::unit_f64(random))),
        Attack::OnePlace => [steps(1.0 + beyond); 2],
        Attack::MoveACentre => {
            // True noise around a place outside, away from the middle.
            let away = first.map(|x| if x < 0.5 { -0.5 } else { 0.5 });
            let [x, y] = report(client, first, random);
            [x + steps(away[0]), y + steps(away[1])]
        }
    }
}

fn main() {
    let runs: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    let bounds = Bounds::new(vec!["x".into(), "y".into()], vec![Interval::new(0.0, 1.0).expect("an interval"); 2]);
    let bounds = bounds.expect("bounds");
    let epsilon = 8.0;
    let designs = [
        ("bpm", Mechanism::Bpm { radius_steps: choose_radius::information(2, epsilon).steps }),
        (
            "nd-laplace",
            Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(2, epsilon).steps, ending: Ending::Raw },
        ),
        ("laplace", Mechanism::Laplace),
    ];
    println!("design,server,attack,forged_percent,nicv,nicv_robust");
    for (name, mechanism) in designs {
        let design = Design::new(mechanism, "8".parse().expect("a number"), bounds.clone()).expect("a design");
        let client = Client::new(&design).expect("a client");
        let plausible = Plausible::of(&client, PEOPLE).expect("a density");
        let space = client.space();
        let attacks = [
            ("none", Attack::None),
            ("random", Attack::Random),
            ("one place", Attack::OnePlace),
            ("to move a centre", Attack::MoveACentre),
        ];
        for server in SERVERS {
            let mean = |forge: &Forge<'_>, hold: bool, robust: bool| {
                let mut sum = 0.0;
                for run in 0..runs {
                    let mut random = SeededNoise::new(1000 + run);
                    let table = Shape::Groups { k: K, apart: 8.0 }.draw(PEOPLE, 2, &mut random);
                    let records = records(&table);
                    let mut reports: Vec<[i64; 2]> = records.iter().map(|&x| report(&client, x, &mut random)).collect();
                    forge(&mut reports, records[0], &mut random.fork(7));
                    let mut columns: Vec<Vec<i64>> = (0..2).map(|i| reports.iter().map(|x| x[i]).collect()).collect();
                    if robust && let Some(crowding) = Crowding::of(&client, PEOPLE) {
                        columns = crowding.thin(columns).0;
                    }
                    let mut points = ReportPoints::from_steps(&columns);
                    if hold {
                        points = plausible.hold(points).0;
                    }
                    sum += nicv(&records, &found(server, &points, &client, &mut random));
                }
                sum / runs as f64
            };
            for (words, attack) in attacks {
                let shares: &[usize] = if matches!(attack, Attack::None) { &[0] } else { &[1, 5, 20] };
                for &percent in shares {
                    let forge = |reports: &mut Vec<[i64; 2]>, first: [f64; 2], random: &mut SeededNoise| {
                        for report in reports.iter_mut().take(PEOPLE * percent / 100) {
                            let made = forged(attack, &client, plausible.beyond, first, random);
                            *report = made.map(|x| x.clamp(space.low, space.high));
                        }
                    };
                    println!(
                        "{name},{server},{words},{percent},{:.4},{:.4}",
                        mean(&forge, true, false),
                        mean(&forge, true, true)
                    );
                }
            }
            let far = |reports: &mut Vec<[i64; 2]>, _: [f64; 2], _: &mut SeededNoise| reports[0] = [space.high; 2];
            println!(
                "{name},{server},one report at the end held,,{:.4},{:.4}",
                mean(&far, true, false),
                mean(&far, true, true)
            );
            println!(
                "{name},{server},one report at the end as sent,,{:.4},{:.4}",
                mean(&far, false, false),
                mean(&far, false, true)
            );
        }
    }
}
