//! The six data sets of SCL16 (Table 1), and the cells that several figures share.

use std::sync::{Arc, OnceLock};

use shoal_curator::Knobs;
use shoal_noise::SeededNoise;

use crate::data::Records;
use crate::measure::lloyd::{Best, PlainTable};
use crate::measure::on_demand::OnDemand;
use crate::papers::words::data_caveats;
use crate::{Cell, Failure, Key, Lab};

/// Name and k of each data set, as in Table 1.
pub const SIX: [(&str, usize); 6] =
    [("s1", 15), ("gowalla", 5), ("tiger", 2), ("image", 3), ("adult", 5), ("lifesci", 3)];

/// The budgets of Figs 1 and 5. The paper gives the ends; the steps between are ours.
pub const EPSILONS: [&str; 10] = ["0.05", "0.1", "0.15", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2"];

/// Starts of the baseline, as in §5.1.
pub const STARTS: usize = 30;

/// The seed of the baseline's starts: the best of thirty is one number for a data set, whatever the seed of the runs.
const BASELINE_SEED: u64 = 16;

/// A data set with its k.
pub struct Table {
    /// The data set.
    pub data: OnDemand,
    /// Number of clusters.
    pub k: usize,
    best: OnceLock<Result<Best, String>>,
}

impl Table {
    fn new(records: Arc<Records>, k: usize) -> Self {
        Self { data: OnDemand::new(records), k, best: OnceLock::new() }
    }

    /// Its name in keys.
    pub fn name(&self) -> &'static str {
        self.data.name()
    }

    /// The best of thirty starts of k-means without privacy.
    pub fn best(&self) -> Result<&Best, Failure> {
        let make = || {
            let table = self.data.table().map_err(|error| error.to_string())?;
            let mut noise = SeededNoise::new(BASELINE_SEED);
            Ok(PlainTable::new(table.points()).best(self.k, STARTS, &mut noise))
        };
        self.best.get_or_init(make).as_ref().map_err(|error: &String| error.clone().into())
    }

    /// The key of a run of a method.
    pub fn key(&self, method: &str, epsilon: &str) -> Key {
        self.data.records.key("scl16").with("k", self.k).with("method", method).with("epsilon", epsilon)
    }

    /// The key of the baseline.
    pub fn baseline_key(&self) -> Key {
        self.key("baseline", "")
    }
}

/// The baseline: one run, because it needs no noise.
pub fn baseline(table: &Arc<Table>) -> Cell {
    let (table, key) = (table.clone(), table.baseline_key());
    let cost = table.data.records.values.len() as f64 * table.k as f64 * 2e-3;
    Cell::new(key, &["nicv", "largest cluster", "smallest cluster"], 1, move |_| {
        let Best { nicv, sizes, .. } = table.best()?;
        let size = |size: Option<&i64>| size.copied().unwrap_or_default() as f64;
        Ok(vec![*nicv, size(sizes.iter().max()), size(sizes.iter().min())])
    })
    .costing(cost)
}

/// Runs of a method at an ε.
pub fn method(table: &Arc<Table>, method: &'static str, epsilon: &'static str, runs: usize) -> Cell {
    let (table, key) = (table.clone(), table.key(method, epsilon));
    let cost = super::cost::milliseconds(&table, method, epsilon);
    Cell::new(key, &["nicv"], runs, move |run| {
        let score = table.data.table()?.run(method, table.k, epsilon, Knobs::default(), &mut run.noise)?;
        Ok(vec![score.squared])
    })
    .costing(cost)
}

/// Those of the six that are there.
pub struct Tables {
    /// In the paper's order.
    pub there: Vec<Arc<Table>>,
    missing: Vec<String>,
}

impl Tables {
    /// An error if none are.
    pub fn find(lab: &Lab) -> Result<Self, Failure> {
        let (found, missing) = lab.data.available(&SIX.map(|(name, _)| name));
        let k = |name: &str| SIX.iter().find(|(own, _)| *own == name).map_or(1, |(_, k)| *k);
        let there: Vec<_> = found
            .into_iter()
            .map(|records| {
                let k = k(records.set.name);
                Arc::new(Table::new(records, k))
            })
            .collect();
        if there.is_empty() {
            return Err(format!("none of the data sets of SCL16 is there: {}", missing.join("; ")).into());
        }
        Ok(Self { there, missing })
    }

    /// The one with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Table>> {
        self.there.iter().find(|table| table.name() == name)
    }

    /// Those with these names.
    pub fn named<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Arc<Table>> {
        self.there.iter().filter(|table| names.contains(&table.name()))
    }

    /// What one plot of all of them must say about the data.
    pub fn notes(&self) -> Option<String> {
        let notes = data_caveats(self.there.iter().map(|table| &table.data.records), &[]);
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Which data sets are substitutes, and what is missing.
    pub fn caveats(&self) -> Vec<String> {
        data_caveats(self.there.iter().map(|table| &table.data.records), &self.missing)
    }
}
