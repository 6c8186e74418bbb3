//! BPGM of CLZ25 against the ε·d_χ-privacy that was published for it.
//!
//! *Sold as.* ε for each unit of distance between two records (CLZ25, Theorem 1).
//!
//! *Fault.* See `shoal_device::bpgm`: the density has no bound near the record, the support moves with the record,
//! and so does the direction.
//!
//! *Repaired.* BPM at the same ε, against its own claim.
//!
//! *Audit.* Events on the report: at d = 1 a record at the border only ever moves inwards; at d = 2 and 4 on the distance
//! from one of the records, near which reports pile up.

use shoal_device::{BpgmForm, Client, Mechanism};
use shoal_lattice::STEPS;
use shoal_noise::NoiseSource;
use shoal_privacy::{Amount, Epsilon, Loss, Metric, Neighbours};

use super::entry::{By, Case, KnownBad, Version, bpm, device, sold_as};
use crate::allowed::promise;
use crate::{Allowed, Pair, RunFailure, Runs, Score, Side, TargetInfo, each};

/// The published mechanism.
pub struct PublishedBpgm;

fn client(dims: usize, epsilon: &Epsilon, version: Version) -> Result<Client, RunFailure> {
    let mechanism = match version {
        Version::Faulty => Mechanism::Bpgm { bound: Amount::ratio(2, 1), form: BpgmForm::Adam },
        Version::Repaired => bpm(dims, epsilon),
    };
    device(mechanism, dims, epsilon)
}

fn side(client: &Client, record: Vec<i64>) -> Box<dyn Side> {
    let client = client.clone();
    each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
        let mut report = vec![0; record.len()];
        client.report(&record, noise, &mut report);
        out.tell_all(report.iter().map(|x| *x as f64));
    })
}

fn away(from: &[i64], report: &[f64]) -> f64 {
    from.iter().zip(report).map(|(r, x)| (*r as f64 - x).powi(2)).sum::<f64>().sqrt() / STEPS as f64
}

impl KnownBad for PublishedBpgm {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "published-bpgm",
            group: "known-bad",
            what: "BPGM (CLZ25) against its published ε·distance; events near and around the record",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let steps = STEPS as i64;
        let case = |dims: usize, first: Vec<i64>, second: Vec<i64>, quick: usize| -> Result<Case, RunFailure> {
            let client = client(dims, epsilon, version)?;
            let published = sold_as(Loss::PerDistance(epsilon.clone()), Neighbours::PerUnitOf(Metric::Euclidean));
            let promises = client.promises();
            let (claim, paper) = match promises.guarantee.claim() {
                Some(claim) => (claim.clone(), String::new()),
                None => (published, format!(" ({}: {})", promises.published.paper, promises.published.text)),
            };
            let distance = away(&first, &second.iter().map(|x| *x as f64).collect::<Vec<_>>());
            let near = first.clone();
            let pair = Pair::new(
                format!("two records {distance:.3} apart"),
                side(&client, first),
                side(&client, second),
                Allowed::of(&claim.loss, distance),
            )
            .with_score(Score::new("closeness to the first record", move |report| -away(&near, report)));
            Ok(Case {
                setting: format!("d = {dims}, ε = {epsilon}, noise up to 2 widths"),
                promise: format!("{}{paper}", promise(&claim)),
                by: By::Events { pair, quick, full: 20 * quick },
                remark: "by events: the density near the record has no bound, and the support moves".into(),
            })
        };
        let middle = |dims: usize| vec![steps / 2; dims];
        let beside = |dims: usize| (0..dims).map(|i| steps / 2 + if i == 0 { steps / 10 } else { 0 }).collect();
        Ok(vec![
            case(1, vec![0], vec![steps / 2], 10_000)?,
            case(2, middle(2), beside(2), 20_000)?,
            case(4, middle(4), beside(4), 10_000)?,
        ])
    }
}
