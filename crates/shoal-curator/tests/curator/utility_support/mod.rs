//! Tables to cluster and how well a method does on them.

// Each test file uses its share.
#![allow(dead_code)]
// Skipped parts of a test are reported.
#![allow(clippy::print_stderr)]

use shoal_curator::{DesignSize, Settings, find_method};
use shoal_files::{LoadOptions, PointStore, ReadOptions, Silent, Source, Table, load_points};
use shoal_kernel::LatticeCentres;
use shoal_lattice::{Bounds, BoxPosition, HALF_WIDTH, Interval, LatticeMap, LatticePoints};
use shoal_noise::SeededNoise;
use shoal_noise::uniform::unit_f64;
use shoal_privacy::{Allowance, ThisIsNotPrivate};
use shoal_scan::{LocalScan, Scan, ScanExt};

/// A table and its number of rows.
pub struct Rows {
    pub scan: LocalScan,
    pub count: u64,
}

impl Rows {
    fn new(points: LatticePoints) -> Self {
        let count = points.rows() as u64;
        Self { scan: LocalScan::new(PointStore::InMemory(points)), count }
    }

    /// A file of the folder `SHOAL_DATA` between its own limits (right for measuring, wrong for releasing), or nothing
    /// when there is no such folder: tests must not need it.
    pub fn from_shared(name: &str) -> Option<Self> {
        let Some(folder) = std::env::var_os("SHOAL_DATA") else {
            eprintln!("skipped for {name}: SHOAL_DATA does not name the folder with the papers' data");
            return None;
        };
        let path = std::path::Path::new(&folder).join(name);
        let open = |columns: Option<Vec<String>>| {
            Table::open(Source::Path(path.clone()), &ReadOptions { columns, ..ReadOptions::default() }).unwrap()
        };
        let columns: Vec<String> = open(None).all_columns().iter().filter(|c| *c != "label").cloned().collect();
        let mut limits = vec![(f64::INFINITY, f64::NEG_INFINITY); columns.len()];
        open(Some(columns.clone()))
            .for_each_batch(4096, &Silent, |batch| {
                for (a, limit) in limits.iter_mut().enumerate() {
                    *limit = batch.column(a).iter().fold(*limit, |(lo, hi), &x| (lo.min(x), hi.max(x)));
                }
                Ok::<(), shoal_files::DataError>(())
            })
            .unwrap();
        let intervals = limits.iter().map(|&(lo, hi)| Interval::new(lo, hi).unwrap()).collect();
        let map = LatticeMap::new(&Bounds::new(columns.clone(), intervals).unwrap());
        match load_points(open(Some(columns)), map, &LoadOptions::default(), &Silent).unwrap() {
            PointStore::InMemory(points) => Some(Self::new(points)),
            _ => panic!("{name} fits in memory"),
        }
    }

    /// `k` round groups in `dims` attributes, at places that keep their distance, of the given width (box units).
    pub fn groups(rows: usize, dims: usize, k: usize, width: f64) -> Self {
        let mut noise = SeededNoise::new(77);
        let places = shoal_curator::internals::sphere_packing(k, dims, &mut noise);
        let mut points = LatticePoints::new(dims);
        for i in 0..rows {
            let place = &places[i % k * dims..][..dims];
            points.push_row(&place.iter().map(|x| lattice(x + width * normal(&mut noise))).collect::<Vec<_>>());
        }
        Self::new(points)
    }

    /// Mean squared distance of the rows from the nearest of the centres, in box units.
    pub fn nicv(&self, centres: &[f64]) -> f64 {
        let centres = LatticeCentres::from_unit(self.scan.dims(), centres);
        let cost = self.scan.costs(&[centres]).unwrap().without_privacy().reveal(ThisIsNotPrivate)[0];
        cost as f64 / f64::from(HALF_WIDTH).powi(2) / self.count as f64
    }

    /// The mean NICV of a method over the given number of seeds, with the paper's knobs and the true number of rows.
    pub fn mean_nicv(&self, method: &str, k: usize, epsilon: &str, seeds: u64) -> f64 {
        let size = DesignSize::Public(self.count);
        let settings = Settings::new(k, epsilon.parse().unwrap(), size);
        let system = find_method(method).unwrap().build(&settings, self.scan.dims()).unwrap();
        let nicv = |seed| {
            let allowance = Allowance::without_ledger(system.claim());
            let outcome = system.run(&self.scan, allowance, &mut SeededNoise::new(seed)).unwrap();
            self.nicv(&BoxPosition::numbers(&outcome.centres.concat()))
        };
        (0..seeds).map(nicv).sum::<f64>() / seeds as f64
    }
}

fn lattice(x: f64) -> i16 {
    (x.clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16
}

fn normal(noise: &mut SeededNoise) -> f64 {
    let radius = (-2.0 * (1.0 - unit_f64(noise)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit_f64(noise)).cos()
}
