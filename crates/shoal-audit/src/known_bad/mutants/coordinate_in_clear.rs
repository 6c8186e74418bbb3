//! Mutants of Shoal's vector mechanisms that leave one coordinate without noise.
//!
//! *Sold as.* What noisy sums, K-norm sums and a crowd's report, all with d = 3, say of themselves.
//!
//! *Fault.* The last coordinate is released as it is.
//!
//! *Repaired.* It is not.
//!
//! *Audit.* Events on that coordinate: it is always the same on each input, and differs between them.

use shoal_curator::RowMechanism;
use shoal_curator::internals::{KNormSumsMechanism, NoisySumsMechanism};
use shoal_kernel::{ClusterSums, Reach};
use shoal_lattice::HALF_WIDTH;
use shoal_lattice::STEPS;
use shoal_noise::NoiseSource;
use shoal_privacy::{Claim, Epsilon};

use crate::allowed::promise;
use crate::known_bad::entry::{By, Case, KnownBad, Version, bpm, by_events, device, failure};
use crate::{Allowed, Pair, RunFailure, Runs, Side, TargetInfo, each};

/// Attributes.
const DIMS: usize = 3;
/// Runs on each input, quick and in full.
const RUNS: (usize, usize) = (4000, 100_000);

/// Vectors with one coordinate in the clear.
pub struct CoordinateInClear;

/// The sums of one row or none.
fn exact(rows: i64) -> ClusterSums {
    let mut exact = ClusterSums::zero(1, DIMS);
    exact.sums.fill(rows * i64::from(HALF_WIDTH));
    exact.counts[0] = rows;
    exact
}

/// Noisy sums, and what exact ones are multiplied by before noise is added.
type Draw<M> = fn(&M, i64, &mut dyn NoiseSource) -> (Vec<i64>, i64);

fn of_sums<M>(name: &str, mechanism: &M, version: Version, draw: Draw<M>) -> Case
where
    M: RowMechanism + Clone + Send + Sync + 'static,
{
    let claim: Claim = mechanism.claim();
    let side = |rows: i64| -> Box<dyn Side> {
        let mechanism = mechanism.clone();
        each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
            let (mut noisy, scale) = draw(&mechanism, rows, noise);
            if version.is_faulty() {
                noisy[DIMS - 1] = scale * exact(rows).sums[DIMS - 1];
            }
            out.tell_all(noisy.into_iter().map(|x| x as f64));
        })
    };
    let setting = format!("{name}, k = 1, d = {DIMS}, {}", claim.loss.symbols());
    let sides = (side(0), side(1));
    by_events(setting, &claim, sides, "no row and one at a corner", RUNS, "by events on the coordinate in the clear")
}

fn of_reports(epsilon: &Epsilon, version: Version) -> Result<Case, RunFailure> {
    let client = device(bpm(DIMS, epsilon), DIMS, epsilon)?;
    let promises = client.promises();
    let claim = promises.guarantee.claim().ok_or_else(|| failure("BPM promises nothing"))?;
    let side = |last: i64| -> Box<dyn Side> {
        let client = client.clone();
        each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
            let record = [0, STEPS as i64 / 2, last];
            let mut report = [0; DIMS];
            client.report(&record, noise, &mut report);
            if version.is_faulty() {
                report[DIMS - 1] = record[DIMS - 1];
            }
            out.tell_all(report.map(|x| x as f64));
        })
    };
    let distance = 1.0 / 8.0;
    let pair = Pair::new(
        format!("two records {distance} apart"),
        side(0),
        side((distance * STEPS as f64) as i64),
        Allowed::of(&claim.loss, distance),
    );
    Ok(Case {
        setting: format!("bpm, d = {DIMS}, ε = {epsilon}"),
        promise: promise(claim),
        by: By::Events { pair, quick: RUNS.0, full: RUNS.1 },
        remark: "by events on the coordinate in the clear".into(),
    })
}

impl KnownBad for CoordinateInClear {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "mutant-coordinate-in-clear",
            group: "known-bad",
            what: "Shoal's noisy sums, K-norm sums and reports with one coordinate in the clear; events",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let sums = NoisySumsMechanism::per_step(DIMS, epsilon)?;
        let knorm = KNormSumsMechanism::new(&Reach::whole_box(1, DIMS), epsilon, true)?;
        Ok(vec![
            of_sums("noisy sums", &sums, version, |mechanism, rows, noise| {
                (mechanism.draw(exact(rows), noise).sums, 1)
            }),
            of_sums("K-norm sums", &knorm, version, |mechanism, rows, noise| {
                (mechanism.draw(exact(rows), noise).sums, i64::from(mechanism.scale()))
            }),
            of_reports(epsilon, version)?,
        ])
    }
}
