//! Designs, clients and reports for tests of devices and of the server.

use shoal_device::{Client, Design, DesignError, Mechanism, Sampler};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, Interval};
use shoal_noise::SeededNoise;

/// m: steps across an attribute, signed.
pub const M: i64 = STEPS as i64;

pub fn design(mechanism: Mechanism, epsilon: &str, dims: usize, sampler: Sampler) -> Design {
    try_design(mechanism, epsilon, dims).unwrap().with_sampler(sampler)
}

/// A design over unit intervals, or why there is none.
pub fn try_design(mechanism: Mechanism, epsilon: &str, dims: usize) -> Result<Design, DesignError> {
    let columns = (0..dims).map(|i| format!("a{i}")).collect();
    let intervals = vec![Interval::new(0.0, 1.0).unwrap(); dims];
    Design::new(mechanism, epsilon.parse().unwrap(), Bounds::new(columns, intervals).unwrap())
}

/// A client with the exact sampler, whether it keeps a promise or not.
pub fn client(mechanism: Mechanism, epsilon: &str, dims: usize) -> Client {
    Client::accepting_unsound(&design(mechanism, epsilon, dims, Sampler::Exact)).unwrap()
}

/// `count` reports on one record, one after the other.
pub fn reports(client: &Client, record: &[i64], count: usize, seed: u64) -> Vec<Vec<i64>> {
    let mut noise = SeededNoise::new(seed);
    (0..count)
        .map(|_| {
            let mut report = vec![0; client.dims()];
            client.report(record, &mut noise, &mut report);
            report
        })
        .collect()
}
