//! `shoal consortium compare`: Table III of SZY19 on any table with known groups.

use serde::Serialize;
use serde_json::json;
use shoal::consortium::aggregator::Horizontal;
use shoal::consortium::comparators::{
    Rows, additive_perturbation, distances, kmeans_labels, random_subspace_projection,
};
use shoal::consortium::custodian::Dpbv;
use shoal::consortium::{Agreement, AnchorSecret, Attribute, Codes, Flips, Scale, Terms};
use shoal::curator::Step;
use shoal::data::{Bounds, BoundsSpec, HALF_WIDTH, LatticeMap};
use shoal::plain::{Condensed, KCluster, OwnRecord};
use shoal::score::{Contingency, Normalizer, normalized_mutual_information};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Epsilon, Sensitive, ThisIsNotPrivate};

use crate::arguments::{Format, Shown};
use crate::commands::fit::{BOUNDS_NEEDED, start_threads};
use crate::consortium_arguments::compare::CompareArgs;
use crate::failure::Failure;
use crate::output::{self, Table};
use crate::progress::{ReadingBar, WorkBar};
use crate::table::{self, Wanted};

/// Rows read at a time.
const BATCH: usize = 4096;

/// Most iterations of kCluster.
const ITERATIONS: usize = 100;

/// One way to cluster, as in Table III.
enum Way {
    KMeans,
    Rsp(f64),
    Adp(f64),
    PlainKCluster,
    Dpbv(Epsilon),
}

/// How a way did over all runs.
#[derive(Serialize)]
struct Line {
    method: &'static str,
    level: String,
    single: Spread,
    best: Spread,
}

/// Normalised mutual information.
#[derive(Serialize)]
struct Spread {
    mean: f64,
    sd: f64,
}

/// Runs every way many times.
pub fn run(args: &CompareArgs, shown: &Shown) -> Result<(), Failure> {
    let spec = args.bounds.as_deref().ok_or_else(|| Failure::usage(BOUNDS_NEEDED))?;
    let spec = BoundsSpec::parse(spec).map_err(Failure::usage)?;
    start_threads(shown)?;
    let records = Records::read(args, &spec, shown)?;
    if args.k > records.rows.len() {
        let (k, n) = (args.k, records.rows.len());
        return Err(Failure::usage(format!("{k} clusters of {n} records are not possible; give -k 1 to {n}")));
    }
    // Bad terms are the command line's fault, and known before the first run.
    records.terms(args, &Way::PlainKCluster)?;
    let ways: Vec<Way> = [Way::KMeans]
        .into_iter()
        .chain(args.kept.iter().map(|kept| Way::Rsp(*kept)))
        .chain(args.sigma.iter().map(|sigma| Way::Adp(*sigma)))
        .chain([Way::PlainKCluster])
        .chain(args.epsilon.iter().map(|epsilon| Way::Dpbv(epsilon.clone())))
        .collect();
    let bar = WorkBar::new(shown);
    let (mut lines, of) = (Vec::new(), ways.len() * args.runs as usize);
    for (number, way) in ways.iter().enumerate() {
        let (mut single, mut best) = (Vec::new(), Vec::new());
        for run in 0..args.runs {
            let mut random = SeededNoise::new(args.seed).fork((number as u64) << 32 | u64::from(run));
            let (one, several) = records.clustered(way, args, &mut random)?;
            single.push(records.score(&one)?);
            best.push(records.score(&several)?);
            bar.show(Step { what: "comparing", done: number * args.runs as usize + run as usize + 1, of });
        }
        let (method, level) = way.words();
        lines.push(Line { method, level, single: Spread::of(&single), best: Spread::of(&best) });
    }
    drop(bar);
    let lines = Sensitive::new(lines);
    show(&lines.without_privacy().reveal(ThisIsNotPrivate), args, records.rows.len(), shown)
}

/// Rows with their groups. Not private.
struct Records {
    bounds: Bounds,
    /// In the columns' own units, as the comparators see them.
    rows: Rows,
    /// On the lattice, row by row.
    steps: Vec<i32>,
    groups: Vec<String>,
}

impl Records {
    fn read(args: &CompareArgs, spec: &BoundsSpec, shown: &Shown) -> Result<Self, Failure> {
        let named = match spec {
            BoundsSpec::Named(pairs) => Some(pairs.iter().map(|(name, _)| name.clone()).collect()),
            BoundsSpec::All(_) => None,
        };
        let label = Some(args.labels.clone());
        let columns = args.table.columns.clone().or(named);
        let table = table::open(table::source(&args.data, shown), Wanted { columns, label, ..(&args.table).into() })?;
        let bounds = spec.resolve(table.columns(), table.all_columns())?;
        let map = LatticeMap::new(&bounds);
        let dims = bounds.dims();
        let (mut values, mut steps, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        let mut row = vec![0.0; dims];
        let bar = ReadingBar::new("reading", shown);
        table.for_each_batch(BATCH, &bar, |batch| {
            for r in 0..batch.rows() {
                batch.copy_row(r, &mut row);
                for (a, x) in row.iter().enumerate() {
                    // Unwrap safety: a settled batch holds finite numbers only.
                    steps.push(i32::from(map.to_lattice(a, *x).unwrap()) + HALF_WIDTH);
                }
                values.extend_from_slice(&row);
                groups.extend(batch.labels().map(|labels| labels[r].clone()));
            }
            if groups.len() > args.most_records as usize {
                return Err(Failure::refused(format!(
                    "the table has more than {} rows, and all pairs are compared; give a smaller one, or more time with --most-records",
                    args.most_records
                )));
            }
            Ok(())
        })?;
        bar.finish();
        Ok(Self { bounds, rows: Rows::new(dims, values), steps, groups })
    }

    fn terms(&self, args: &CompareArgs, way: &Way) -> Result<Terms, Failure> {
        let pairs = self.bounds.columns().iter().zip(self.bounds.intervals());
        let attributes: Result<Vec<Attribute>, _> =
            pairs.map(|(name, range)| Attribute::new(name, *range, args.window * range.width())).collect();
        let flips = match way {
            Way::Dpbv(epsilon) => Flips::PerBit(epsilon.clone()),
            _ => Flips::None,
        };
        Terms::new(attributes.map_err(Failure::usage)?, args.bits, flips, Scale::Own).map_err(Failure::usage)
    }

    /// Labels from one start, and from the best of several.
    fn clustered(
        &self,
        way: &Way,
        args: &CompareArgs,
        random: &mut SeededNoise,
    ) -> Result<(Vec<u32>, Vec<u32>), Failure> {
        let starts = args.starts as usize;
        let kmeans = |rows: &Rows, random: &mut SeededNoise| {
            (kmeans_labels(rows, args.k, 1, random), kmeans_labels(rows, args.k, starts, random))
        };
        let kcluster = |distances: &Condensed, random: &mut SeededNoise| {
            let with = |starts| KCluster { k: args.k, own: OwnRecord::LeftOut, iterations: ITERATIONS, starts };
            Ok((with(1).run(distances, random)?.labels, with(starts).run(distances, random)?.labels))
        };
        match way {
            Way::KMeans => Ok(kmeans(&self.rows, random)),
            Way::Rsp(kept) => {
                let kept = ((kept * self.rows.dims() as f64).round() as usize).max(1);
                Ok(kmeans(&random_subspace_projection(&self.rows, kept, random), random))
            }
            Way::Adp(sigma) => Ok(kmeans(&additive_perturbation(&self.rows, *sigma, random), random)),
            Way::PlainKCluster => kcluster(&distances(&self.rows), random),
            Way::Dpbv(_) => {
                let agreement = Agreement::new(self.terms(args, way)?, AnchorSecret::from_seed(random.next_u64()));
                let encoder = Dpbv::new(&agreement)?;
                let mut codes = Codes::new(agreement.terms());
                let mut record = vec![0; codes.record_words()];
                for row in self.steps.chunks_exact(self.rows.dims()) {
                    encoder.encode(row, random, &mut record);
                    codes.extend(&record);
                }
                kcluster(&Horizontal::new(agreement.terms(), &codes)?.condensed(), random)
            }
        }
    }

    fn score(&self, labels: &[u32]) -> Result<f64, Failure> {
        let mut table = Contingency::default();
        table.add_all(labels, &self.groups)?;
        Ok(normalized_mutual_information(&table, Normalizer::Arithmetic)?)
    }
}

impl Way {
    fn words(&self) -> (&'static str, String) {
        match self {
            Self::KMeans => ("k-means", "as they are".into()),
            Self::Rsp(kept) => ("RSP + k-means", format!("{} % of dimensions", 100.0 * kept)),
            Self::Adp(sigma) => ("ADP + k-means", format!("σ = {sigma}")),
            Self::PlainKCluster => ("kCluster", "as they are".into()),
            Self::Dpbv(epsilon) => ("DPBV + kCluster", format!("ε = {epsilon} per bit")),
        }
    }
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Self { mean, sd: variance.sqrt() }
    }

    fn percent(&self) -> String {
        format!("{:.2} ± {:.2}", 100.0 * self.mean, 100.0 * self.sd)
    }
}

fn show(lines: &[Line], args: &CompareArgs, rows: usize, shown: &Shown) -> Result<(), Failure> {
    if shown.format == Format::Json {
        return output::json(&json!({
            "private": false,
            "rows": rows,
            "k": args.k,
            "runs": args.runs,
            "starts": args.starts,
            "bits": args.bits,
            "window": args.window,
            "seed": args.seed,
            "nmi": lines,
        }));
    }
    let mut table = Table::new(&["method", "records", "one start", &format!("best of {}", args.starts)]);
    for line in lines {
        table.row([line.method.to_string(), line.level.clone(), line.single.percent(), line.best.percent()]);
    }
    output::print(&output::wrapped(&format!(
        "NOT PRIVATE: computed from the {rows} raw rows and their known groups. For your eyes only.\n\n{table}\n\
         Normalised mutual information with the known groups in %, mean ± standard deviation of {} runs. Best: the start \
         with the lowest objective, which needs no groups.\n\
         None of these lines is at equal privacy: ADP and RSP promise nothing, and what DPBV promises `shoal consortium \
         price` tells.\n",
        args.runs
    )))
}
