//! `shoal consortium compare`: Table III of SZY19 on any table with known groups.

use serde::Serialize;
use serde_json::json;
use shoal_consortium::{Attribute, Partition, Promise};
use shoal_curator::Step;
use shoal_files::BoundsSpec;
use shoal_kernel::OwnRecord;
use shoal_kernel::score::{Contingency, Normalizer, normalized_mutual_information};
use shoal_lattice::LatticeMap;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_page::text::plural;
use shoal_privacy::{Sensitive, ThisIsNotPrivate};
use shoal_reproduce::comparators::{Contest, Rows, Way};

use crate::arguments::consortium::compare::CompareArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::library::BOUNDS_NEEDED;
use crate::show::output::{self, Table};
use crate::show::progress::Bar;
use crate::table::{self, Wanted};

/// Rows read at a time.
const BATCH: usize = 4096;

/// How a way did over all runs.
#[derive(Serialize)]
struct Line {
    method: &'static str,
    level: String,
    single: Spread,
    best: Spread,
    /// What the records as they were clustered promise for any two records; nothing but for DPBV.
    epsilon_of_a_record: Option<f64>,
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
    crate::threads::start(shown)?;
    let records = Records::read(args, &spec, shown)?;
    let rows = records.contest.rows.len();
    if args.k > rows {
        let (k, n) = (args.k, rows);
        return Err(Failure::usage(format!("{k} clusters of {n} records are not possible; give -k 1 to {n}")));
    }
    // Bad terms are the command line's fault, and known before the first run.
    records.contest.terms(&Way::PlainKCluster).map_err(Failure::usage)?;
    let ways: Vec<Way> = [Way::KMeans]
        .into_iter()
        .chain(args.kept.iter().map(|kept| Way::Rsp(*kept)))
        .chain(args.sigma.iter().map(|sigma| Way::Adp(*sigma)))
        .chain([Way::PlainKCluster])
        .chain(args.epsilon.iter().map(|epsilon| Way::Dpbv(epsilon.clone())))
        .collect();
    let bar = Bar::steps(shown);
    let (mut lines, of) = (Vec::new(), ways.len() * args.runs as usize);
    for (number, way) in ways.iter().enumerate() {
        let (mut single, mut best) = (Vec::new(), Vec::new());
        for run in 0..args.runs {
            let mut random = SeededNoise::new(args.seed).fork((number as u64) << 32 | u64::from(run));
            let found = records.contest.clustered(way, &mut random)?;
            single.push(records.score(&found.single)?);
            best.push(records.score(&found.best)?);
            bar.show(Step { what: "comparing", done: number * args.runs as usize + run as usize + 1, of });
        }
        let (method, level) = words(way);
        let epsilon_of_a_record = records.promised(way)?;
        lines.push(Line { method, level, single: Spread::of(&single), best: Spread::of(&best), epsilon_of_a_record });
    }
    drop(bar);
    let lines = Sensitive::new(lines);
    show(&lines.without_privacy().reveal(ThisIsNotPrivate), args, rows, shown)
}

/// Rows with their groups. Not private.
struct Records {
    contest: Contest,
    groups: Vec<String>,
}

impl Records {
    fn read(args: &CompareArgs, spec: &BoundsSpec, shown: &Shown) -> Result<Self, Failure> {
        let named = match spec {
            BoundsSpec::Named(pairs) => Some(pairs.iter().map(|(name, _)| name.clone()).collect()),
            BoundsSpec::All(_) => None,
        };
        let label = Some(args.labels.clone());
        let groups_among = |names: &[String]| names.contains(&args.labels);
        if args.table.columns.as_deref().is_some_and(groups_among) {
            return Err(Failure::usage(format!(
                "`{}` has the groups that are to be found again; leave it out of --columns",
                args.labels
            )));
        }
        let columns = args.table.columns.clone().or(named);
        let table = table::open(table::source(&args.data, shown), Wanted { columns, label, ..(&args.table).into() })?;
        let bounds = spec.resolve(table.columns(), table.all_columns())?;
        let map = LatticeMap::new(&bounds);
        let dims = bounds.dims();
        let (mut values, mut steps, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        let mut row = vec![0.0; dims];
        let bar = Bar::reading("reading", shown);
        table.for_each_batch(BATCH, &bar, |batch| {
            for r in 0..batch.rows() {
                batch.copy_row(r, &mut row);
                for (a, x) in row.iter().enumerate() {
                    // Unwrap safety: a settled batch holds finite numbers only.
                    steps.push(map.to_steps(a, *x).unwrap().0 as i32);
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
        let pairs = bounds.columns().iter().zip(bounds.intervals());
        let attributes: Result<Vec<Attribute>, _> =
            pairs.map(|(name, range)| Attribute::new(name, *range, args.window * range.width())).collect();
        let contest = Contest {
            attributes: attributes.map_err(Failure::usage)?,
            bits: args.bits,
            rows: Rows::new(dims, values),
            steps,
            k: args.k,
            starts: args.starts as usize,
            own: OwnRecord::LeftOut,
        };
        Ok(Self { contest, groups })
    }

    /// The ε of a record of codes, whatever the anchors.
    fn promised(&self, way: &Way) -> Result<Option<f64>, Failure> {
        let terms = self.contest.terms(way).map_err(Failure::usage)?;
        let promise = Promise::of_terms(&terms, Partition::Records, None).map_err(Failure::usage)?;
        Ok(promise.pure.map(|epsilon| epsilon.to_f64_up()))
    }

    fn score(&self, labels: &[u32]) -> Result<f64, Failure> {
        let mut table = Contingency::default();
        table.add_all(labels, &self.groups)?;
        Ok(normalized_mutual_information(&table, Normalizer::Arithmetic)?)
    }
}

fn words(way: &Way) -> (&'static str, String) {
    match way {
        Way::KMeans => ("k-means", "as they are".into()),
        Way::Rsp(kept) => ("RSP + k-means", format!("{} % of dimensions", 100.0 * kept)),
        Way::Adp(sigma) => ("ADP + k-means", format!("σ = {sigma}")),
        Way::PlainKCluster => ("kCluster", "as they are".into()),
        Way::Bv => ("BV + kCluster", "bits as they are".into()),
        Way::Dpbv(epsilon) => ("DPBV + kCluster", format!("ε = {epsilon} per bit")),
    }
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Self { mean, sd: variance.sqrt() }
    }

    fn percent(&self, runs: u32) -> String {
        let mean = format!("{:.2}", 100.0 * self.mean);
        if runs > 1 { format!("{mean} ± {:.2}", 100.0 * self.sd) } else { mean }
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
    let best = format!("best of {}", args.starts);
    let mut table = Table::new(&["method", "records", "one start", &best, "promises"]);
    for line in lines {
        let promises = line.epsilon_of_a_record.map_or("nothing".into(), |epsilon| format!("ε = {epsilon} a record"));
        let (one, best) = (line.single.percent(args.runs), line.best.percent(args.runs));
        table.row([line.method.into(), line.level.clone(), one, best, promises]);
    }
    output::print(&output::wrapped(&format!(
        "NOT PRIVATE: computed from the {rows} raw rows and their known groups. For your eyes only.\n\n{table}\n\
         Normalised mutual information with the known groups in % (100 is full, 0 is none), mean{} of {}. Best: the start \
         with the lowest objective, which needs no groups. Promises: the loss for any two records; `shoal consortium price` \
         tells more. ADP adds noise and RSP projects, and neither promises anything.\n",
        if args.runs > 1 { " ± standard deviation" } else { "" },
        plural(args.runs as usize, "run")
    )))
}
