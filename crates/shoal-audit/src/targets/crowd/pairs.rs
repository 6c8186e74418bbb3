//! Pairs of records that a person might hold.

use shoal_device::{Client, NoiseLaw};
use shoal_lattice::STEPS;
use shoal_noise::{NoiseSource, uniform};
use shoal_privacy::{Claim, Loss};

use crate::allowed::short;
use crate::exact::density_ratio::point;
use crate::runs::RunFailure;
use crate::statistical::search::PairSpace;
use crate::{Allowed, Pair, Score, Side, each};

/// Steps across an attribute, signed.
const WIDTH: i64 = STEPS as i64;

/// Two records, in lattice steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// One.
    pub first: Vec<i64>,
    /// The other.
    pub second: Vec<i64>,
}

/// A device's mechanism on pairs of records, with what it claims.
#[derive(Clone)]
pub struct CrowdPairs {
    client: Client,
    claims: Vec<Claim>,
}

impl CrowdPairs {
    /// A mechanism with the claims that it makes itself.
    #[must_use]
    pub fn new(client: Client) -> Self {
        let promises = client.promises();
        let claims = promises.guarantee.claim().cloned().into_iter().chain(promises.also).collect();
        Self { client, claims }
    }

    /// The same with other claims: published ones, or a mutant's.
    #[must_use]
    pub fn claiming(self, claims: Vec<Claim>) -> Self {
        Self { claims, ..self }
    }

    /// What is claimed.
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The least ε that a claim allows between two records; infinite where nothing is claimed.
    #[must_use]
    pub fn allowed(&self, records: &Records) -> f64 {
        allowed(&self.claims, distance(&in_widths(&records.first), &in_widths(&records.second)))
    }

    fn side(&self, record: &[i64]) -> Box<dyn Side> {
        let (client, record) = (self.client.clone(), record.to_vec());
        each(move |noise, out| {
            let mut report = vec![0; record.len()];
            client.report(&record, noise, &mut report);
            out.tell_all(report.into_iter().map(|x| x as f64));
        })
    }

    fn moved(&self, axis: usize, from: f64, to: f64) -> Records {
        let at = |place: f64| {
            let mut record = vec![WIDTH / 2; self.client.dims()];
            record[axis] = (place * WIDTH as f64).round() as i64;
            record
        };
        Records { first: at(from), second: at(to) }
    }
}

/// The least ε that claims allow between two records at a distance.
pub(super) fn allowed(claims: &[Claim], distance: f64) -> f64 {
    let of = |claim: &Claim| match &claim.loss {
        Loss::PerDistance(epsilon) => epsilon.to_f64_up() * distance,
        other => Allowed::of(other, distance).epsilon_at(0.0),
    };
    claims.iter().map(of).fold(f64::INFINITY, f64::min)
}

impl PairSpace for CrowdPairs {
    type Spec = Records;

    /// Opposite corners; a few distances from the middle; both near a face; every attribute on its own.
    fn catalogue(&self) -> Vec<Records> {
        let dims = self.client.dims();
        let mut pairs = vec![Records { first: vec![0; dims], second: vec![WIDTH; dims] }, self.moved(0, 0.0, 0.1)];
        pairs.extend([0.1, 0.25, 0.5, 1.0].map(|apart| self.moved(0, 0.5 - apart / 2.0, 0.5 + apart / 2.0)));
        pairs.extend((1..dims).map(|axis| self.moved(axis, 0.25, 0.75)));
        pairs
    }

    /// One of the two moves along an attribute, a little or anywhere.
    fn vary(&self, from: &Records, noise: &mut dyn NoiseSource) -> Records {
        let mut next = from.clone();
        let record = if uniform::below(noise, 2) == 0 { &mut next.first } else { &mut next.second };
        let axis = uniform::below(noise, record.len() as u64) as usize;
        record[axis] = match uniform::below(noise, 3) {
            0 => uniform::below(noise, STEPS + 1) as i64,
            1 => [0, WIDTH][uniform::below(noise, 2) as usize],
            _ => (record[axis] + uniform::below(noise, STEPS / 4) as i64 - WIDTH / 8).clamp(0, WIDTH),
        };
        if next.first == next.second { from.clone() } else { next }
    }

    fn pair(&self, records: &Records) -> Result<Pair, RunFailure> {
        let [v, w] = [&records.first, &records.second].map(|record| in_widths(record));
        let apart = distance(&v, &w);
        let words = format!("records {} and {}, {} apart", point(&v), point(&w), short(apart));
        let allowed = Allowed::Pure(self.allowed(records));
        let mut pair = Pair::new(words, self.side(&records.first), self.side(&records.second), allowed);
        let law = self.client.noise_law();
        let ratio = {
            let (v, w) = (v.clone(), w.clone());
            move |run: &[f64]| {
                let x: Vec<f64> = run.iter().map(|x| x / WIDTH as f64).collect();
                match law {
                    Some(law) => ln_density(&law, &x, &v) - ln_density(&law, &x, &w),
                    None => distance(&x, &w) - distance(&x, &v),
                }
            }
        };
        let words = if law.is_some() { "log-likelihood ratio" } else { "distance from one less that from the other" };
        pair = pair.with_score(Score::new(words, ratio));
        // Beyond the reach of one record, or at the very other.
        for (record, which) in [(v, "first"), (w, "second")] {
            let from = move |run: &[f64]| {
                let x: Vec<f64> = run.iter().map(|x| x / WIDTH as f64).collect();
                distance(&x, &record)
            };
            pair = pair.with_score(Score::new(format!("distance from the {which} record"), from));
        }
        Ok(pair)
    }
}

/// ln of the density that a distribution has at a report on a record, up to what is the same for all records.
#[must_use]
pub fn ln_density(law: &NoiseLaw, report: &[f64], record: &[f64]) -> f64 {
    match *law {
        NoiseLaw::Radial { rate, radius } => -rate * distance(report, record).min(radius),
        NoiseLaw::PerAttribute { scale } => -report.iter().zip(record).map(|(x, v)| (x - v).abs()).sum::<f64>() / scale,
    }
}

/// The Euclidean distance.
pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// A record in widths.
pub(super) fn in_widths(record: &[i64]) -> Vec<f64> {
    record.iter().map(|v| *v as f64 / WIDTH as f64).collect()
}
