//! What all figures of YTL22 share: data sets, budgets, radii and ways.

use std::sync::Arc;

use shoal_device::BpmLaw;

use crate::data::Records;
use crate::lab::{Cell, Effort, Lab};
use crate::measure::crowd::{Crowd, MEASURES, Noise, Radius, Server, Way};
use crate::{Failure, Key};

/// The budgets ε, in the order of the paper's axes.
pub const EPSILONS: [&str; 6] = ["0.1", "0.5", "1", "2", "4", "8"];
/// The radii L of BPM, a panel each.
pub const RADII: [f64; 3] = [2.0, 6.0, 10.0];

/// How the published system is called on plots.
pub const DKDP: &str = "DKdP: k-means on BPM reports";
/// How the paper's baseline is called.
pub const BASELINE: &str = "Baseline: Laplace, ε/d per attribute";
/// How Laplace noise with the guarantee of BPM is called.
pub const METRIC: &str = "Laplace with ε per width (our reading)";
/// How our server on the published reports is called.
pub const AWARE: &str = "Ours: noise-aware on BPM reports";
/// How our server on reports with our radius is called.
pub const AWARE_DEFAULT: &str = "Ours: noise-aware, BPM with default L";

/// k-means on BPM reports with this radius.
pub fn dkdp(radius: f64) -> Way {
    Way { noise: Noise::Bpm(Radius::Given(radius)), server: Server::KMeans }
}

/// k-means on reports with Laplace noise.
pub const LAPLACE: Way = Way { noise: Noise::Laplace, server: Server::KMeans };

/// k-means on reports with Laplace noise that keeps ε per width, as BPM does: the comparison of the supplement, whose noise is
/// our reading.
pub const LAPLACE_METRIC: Way = Way { noise: Noise::LaplaceMetric, server: Server::KMeans };

/// Our server on BPM reports with this radius.
pub fn aware(radius: f64) -> Way {
    Way { noise: Noise::Bpm(Radius::Given(radius)), server: Server::NoiseAware }
}

/// Our server on BPM reports with our radius.
pub const DEFAULT: Way = Way { noise: Noise::Bpm(Radius::Information), server: Server::NoiseAware };

/// A data set of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Three kinds of wheat.
    Seeds,
    /// Reviews of travellers.
    Travel,
    /// Roads in a part of Denmark.
    Road,
}

/// The part of the country from which the paper takes 500 rows.
const AREA: [(f64, f64); 3] = [(9.5, 10.0), (56.6, 56.8), (20.0, 40.0)];
/// How many rows it takes.
const AREA_ROWS: usize = 500;
/// The paper does not say into how many clusters it divides the roads; three is the fewest that it uses elsewhere.
const ROAD_CLUSTERS: usize = 3;

impl Set {
    /// All, in the order of the figures.
    pub const ALL: [Self; 3] = [Self::Seeds, Self::Travel, Self::Road];

    /// Its name in the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seeds => "seeds",
            Self::Travel => "travel",
            Self::Road => "road",
        }
    }

    /// How many clusters.
    pub fn k(self) -> usize {
        match self {
            Self::Seeds => 3,
            Self::Travel => 10,
            Self::Road => ROAD_CLUSTERS,
        }
    }
}

/// A data set with its people, ready for runs.
pub struct Place {
    /// Which it is.
    pub set: Set,
    /// The people.
    pub crowd: Arc<Crowd>,
    records: Arc<Records>,
}

impl Place {
    /// The rows that the paper's main runs use.
    pub fn main(lab: &Lab, set: Set) -> Result<Self, Failure> {
        let records = lab.data.get(set.name())?;
        let crowd = match set {
            Set::Seeds | Set::Travel => Crowd::of(&records, set.k()),
            Set::Road => in_area(&records)?,
        };
        Ok(Self { set, crowd: Arc::new(crowd), records })
    }

    /// All rows of the roads between their own limits.
    pub fn whole_country(lab: &Lab) -> Result<Self, Failure> {
        let records = lab.data.get(Set::Road.name())?;
        let crowd = Crowd::new(records.dims(), &records.unit(), ROAD_CLUSTERS, None);
        Ok(Self { set: Set::Road, crowd: Arc::new(crowd), records })
    }

    /// Its name on plots.
    pub fn title(&self) -> &'static str {
        self.records.set.title
    }

    /// The key of a cell.
    pub fn key(&self, way: &Way, epsilon: &str) -> Key {
        self.key_of("ytl22", self.crowd.rows(), way, epsilon)
    }

    /// The key of a cell of another experiment with so many people.
    pub fn key_of(&self, experiment: &'static str, people: usize, way: &Way, epsilon: &str) -> Key {
        let key = self.records.key(experiment).with("people", people).with("k", self.crowd.k);
        way.key(key.with("truth", self.crowd.truth_from()), epsilon)
    }

    /// A cell of the main runs.
    pub fn cell(&self, effort: Effort, way: Way, epsilon: &'static str) -> Cell {
        let crowd = self.crowd.clone();
        let run = move |run: &mut crate::Run| Ok(crowd.run(&way, epsilon, &mut run.noise)?.values());
        let aware = way.server == Server::NoiseAware;
        let runs = effort.pick(50, if aware { 4 } else { 10 });
        let cost = self.crowd.rows() as f64 * self.crowd.k as f64 * if aware { 0.05 } else { 0.004 };
        Cell::new(self.key(&way, epsilon), MEASURES, runs, run).costing(cost)
    }

    /// The share of BPM's reports that depend on the record at all: 1 − β of Lemma 10.
    pub fn telling(&self, radius: f64, epsilon: &str) -> Result<f64, Failure> {
        Ok(BpmLaw { dims: self.crowd.dims, rate: epsilon.parse()?, radius }.ln_not_beta().exp())
    }

    /// Which data sets are substitutes.
    pub fn caveats(&self) -> Vec<String> {
        let mut caveats: Vec<String> = self.records.note().into_iter().collect();
        if self.set == Set::Road {
            let rows = self.crowd.rows();
            if rows < AREA_ROWS {
                caveats.push(format!("{rows} rows of the paper's area are in the file; the paper takes {AREA_ROWS}"));
            }
            caveats.push(format!("the paper names no number of clusters for the roads; here {ROAD_CLUSTERS}"));
        }
        caveats
    }

    /// What a plot on all rows must say.
    pub fn whole_note(&self) -> Option<String> {
        let note = self.records.note()?;
        Some(format!("{}: {note}; more people than that with replacement", self.title()))
    }

    /// What a plot of the main runs must say.
    pub fn note(&self) -> Option<String> {
        let note = self.records.note()?;
        Some(format!("{}: {note}; {} people", self.title(), self.crowd.rows()))
    }
}

/// The rows of the area, whose limits are the bounds.
fn in_area(records: &Records) -> Result<Crowd, Failure> {
    let inside = |row: &&[f64]| row.iter().zip(AREA).all(|(x, (low, high))| (low..=high).contains(x));
    let scaled = |row: &[f64]| row.iter().zip(AREA).map(|(x, (low, high))| (x - low) / (high - low)).collect();
    let rows: Vec<Vec<f64>> =
        records.values.chunks_exact(AREA.len()).filter(inside).take(AREA_ROWS).map(scaled).collect();
    if rows.len() < ROAD_CLUSTERS {
        return Err("the file of roads has no rows in the paper's area".into());
    }
    Ok(Crowd::new(AREA.len(), &rows.concat(), ROAD_CLUSTERS, None))
}
