//! `shoal consortium cluster`: clusters of codes, told by their members.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use serde_json::{Value, json};
use shoal::consortium::Terms;
use shoal::consortium::aggregator::{Decoder, HammingSum, Horizontal};
use shoal::crowd::STEPS;
use shoal::plain::{Dbscan, Dendrogram, Distances, KCluster, Linkage, OwnRecord, ToClusters, WithOwn};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};

use super::super::fit::start_threads;
use super::super::summary::plural;
use super::codes::{Combined, Pool};
use super::promised;
use crate::arguments::{Format, Shown};
use crate::consortium_arguments::cluster::{ConsortiumClusterArgs, GroupingArg, LinkageArg, MetricArg, OwnRecordArg};
use crate::failure::Failure;
use crate::output::{self, ClaimedPlace, Table};
use crate::progress::Waiting;
use crate::table::short_name;

/// Above so many records the table of all pairs is left to those who ask for it.
const MANY: usize = 5000;

/// Clusters shown on the screen.
const MOST_SHOWN: usize = 30;

/// Clusters codes.
pub fn run(args: &ConsortiumClusterArgs, shown: &Shown) -> Result<(), Failure> {
    check_options(args)?;
    let pool = Pool::read(&args.codes, shown)?;
    if let Some(k) = args.k.filter(|k| *k > pool.len()) {
        return Err(Failure::refused(format!(
            "{} cannot be made of {}; ask for fewer",
            plural(k, "cluster"),
            plural(pool.len(), "record")
        )));
    }
    let metric = match args.metric {
        Some(metric) => metric,
        None if pool.is_plain() && pool.len() > MANY && args.method != GroupingArg::Hierarchical => {
            MetricArg::HammingSum
        }
        None => MetricArg::Eq19,
    };
    let inputs: Vec<_> = pool.inputs.iter().map(PathBuf::as_path).collect();
    let place = args.out.as_deref().map(|path| ClaimedPlace::new(path, &inputs)).transpose()?;
    start_threads(shown)?;
    // Only starts are drawn: no promise rests on them, so a seed takes none away.
    let mut random: Box<dyn NoiseSource> = match args.seed {
        Some(seed) => Box::new(SeededNoise::new(seed)),
        None => Box::new(OsNoise::new()?),
    };
    let waiting = Waiting::new("clustering", shown);
    let found = if pool.is_plain() && metric == MetricArg::HammingSum && args.method != GroupingArg::Hierarchical {
        // Sums to clusters come from counts of bits: no table of all pairs.
        group(&HammingSum::new(&pool.file.terms, pool.codes())?, args, &mut *random)?
    } else {
        let combined = if metric == MetricArg::Eq19 { Combined::Root } else { Combined::Sum };
        let distances = pool.distances(combined)?;
        let own = match (pool.is_plain(), metric) {
            (true, MetricArg::Eq19) => Horizontal::new(&pool.file.terms, pool.codes())?.own_distance(),
            (true, MetricArg::HammingSum) => HammingSum::new(&pool.file.terms, pool.codes())?.own_distance(),
            (false, _) => 0.0,
        };
        if args.method == GroupingArg::Hierarchical {
            let labels = tree(distances.clone(), args)?;
            Found::of(&WithOwn { distances: &distances, own }, labels, None)
        } else {
            let with_own = WithOwn { distances: &distances, own };
            match args.method {
                GroupingArg::Dbscan => Found::of(&with_own, dense(&distances, args)?, None),
                _ => kcluster(&with_own, args, &mut *random)?,
            }
        }
    };
    waiting.finish();
    let told = Told { args, pool: &pool, found: &found, metric };
    if shown.format == Format::Json {
        output::json(&told.json())?;
    } else {
        output::print(&output::wrapped(&told.text(shown)))?;
    }
    if let Some(place) = place {
        let path = place.write_with(|out| told.labels(out))?;
        if !shown.quiet {
            eprintln!("written: {}", path.display());
        }
    }
    Ok(())
}

/// Options that the chosen method does not have are refused rather than ignored.
fn check_options(args: &ConsortiumClusterArgs) -> Result<(), Failure> {
    let own: &[&str] = match args.method {
        GroupingArg::Kcluster => &["own-record", "starts", "iterations"],
        GroupingArg::Dbscan => &["radius", "min-points"],
        GroupingArg::Hierarchical => &["linkage", "height"],
    };
    let name = args.method.name();
    if let Some(option) = args.knobs.given().into_iter().find(|option| !own.contains(option)) {
        return Err(Failure::usage(format!(
            "--{option} is no option of {name}; leave it out, or choose another --method"
        )));
    }
    match (args.method, args.k, args.knobs.radius, args.knobs.height) {
        (GroupingArg::Kcluster, None, _, _) => {
            Err(Failure::usage("the number of clusters is needed: give -k, for example -k 5"))
        }
        (GroupingArg::Hierarchical, None, _, None) => {
            Err(Failure::usage("where to cut the tree is needed: give -k, or --height, a distance"))
        }
        (GroupingArg::Dbscan, Some(_), _, _) => {
            Err(Failure::usage("dbscan finds the number of clusters itself; leave -k out"))
        }
        (GroupingArg::Dbscan, _, None, _) => {
            Err(Failure::usage("dbscan needs --radius, a distance; `shoal consortium distances` tells which there are"))
        }
        _ if args.codes.consistency != crate::consortium_arguments::codes::ConsistencyArg::None
            && args.knobs.own_record == Some(OwnRecordArg::AsPrinted) =>
        {
            Err(Failure::usage("--own-record as-printed is for distances as decoded; leave --consistency out"))
        }
        _ if args.codes.own.is_some() && args.knobs.own_record == Some(OwnRecordArg::AsPrinted) => {
            Err(Failure::usage("--own-record as-printed is for codes alone; leave it out beside --own"))
        }
        _ => Ok(()),
    }
}

fn group(
    codes: &(impl ToClusters + Distances),
    args: &ConsortiumClusterArgs,
    random: &mut dyn NoiseSource,
) -> Result<Found, Failure> {
    match args.method {
        GroupingArg::Dbscan => Ok(Found::of(codes, dense(codes, args)?, None)),
        _ => kcluster(codes, args, random),
    }
}

fn kcluster(
    records: &impl ToClusters,
    args: &ConsortiumClusterArgs,
    random: &mut dyn NoiseSource,
) -> Result<Found, Failure> {
    let own = match args.knobs.own_record {
        Some(OwnRecordArg::AsPrinted) => OwnRecord::AsPrinted,
        _ => OwnRecord::LeftOut,
    };
    let how = KCluster {
        k: args.k.unwrap_or(1),
        own,
        iterations: args.knobs.iterations.unwrap_or(100) as usize,
        starts: args.knobs.starts.unwrap_or(20) as usize,
    };
    let found = how.run(records, random)?;
    let labels = found.labels.iter().copied().map(Some).collect();
    Ok(Found::of(records, labels, Some((found.objective, found.converged))))
}

fn dense(distances: &impl Distances, args: &ConsortiumClusterArgs) -> Result<Vec<Option<u32>>, Failure> {
    let how =
        Dbscan { epsilon: args.knobs.radius.unwrap_or(0.0), min_points: args.knobs.min_points.unwrap_or(5) as usize };
    Ok(how.run(distances).map_err(Failure::usage)?.labels)
}

fn tree(distances: shoal::plain::Condensed, args: &ConsortiumClusterArgs) -> Result<Vec<Option<u32>>, Failure> {
    let linkage = match args.knobs.linkage {
        Some(LinkageArg::Single) => Linkage::Single,
        Some(LinkageArg::Complete) => Linkage::Complete,
        Some(LinkageArg::Average) | None => Linkage::Average,
    };
    let tree = Dendrogram::of(distances, linkage)?;
    let labels = match (args.k, args.knobs.height) {
        (Some(k), _) => tree.cut_into(k)?,
        (None, height) => tree.cut_at(height.unwrap_or(0.0)),
    };
    Ok(labels.into_iter().map(Some).collect())
}

/// A clustering, and how near its clusters' records are to each other.
struct Found {
    labels: Vec<Option<u32>>,
    clusters: Vec<ClusterLook>,
    /// Eq. 17, and whether the last step moved nothing.
    objective: Option<(f64, bool)>,
}

/// One cluster.
struct ClusterLook {
    size: usize,
    /// Mean over its records of the average distance to the others of it; nothing for a record alone.
    within: Option<f64>,
    /// The same to the nearest other cluster.
    next: Option<f64>,
    /// The record that is nearest to the others on average.
    representative: usize,
}

impl Found {
    fn of(records: &impl ToClusters, labels: Vec<Option<u32>>, objective: Option<(f64, bool)>) -> Self {
        let k = labels.iter().flatten().max().map_or(0, |most| *most as usize + 1);
        let mut sizes = vec![0; k];
        labels.iter().flatten().for_each(|label| sizes[*label as usize] += 1);
        let plain: Vec<u32> = labels.iter().map(|label| label.unwrap_or(k as u32)).collect();
        let averages = records.map_sums(&plain, k, |record, sums| {
            let own = plain[record] as usize;
            let within = (own < k && sizes[own] > 1).then(|| sums[own] / (sizes[own] - 1) as f64);
            let others = (0..k).filter(|&c| c != own && sizes[c] > 0).map(|c| sums[c] / sizes[c] as f64);
            (within, others.min_by(f64::total_cmp))
        });
        let look = |cluster: usize| {
            let members: Vec<usize> = (0..plain.len()).filter(|&i| plain[i] as usize == cluster).collect();
            let mean = |of: &dyn Fn(usize) -> Option<f64>| {
                let values: Option<Vec<f64>> = members.iter().map(|&i| of(i)).collect();
                values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
            };
            let near = |i: &&usize| averages[**i].0.unwrap_or(0.0);
            let representative = members.iter().min_by(|a, b| near(a).total_cmp(&near(b)));
            ClusterLook {
                size: members.len(),
                within: mean(&|i| averages[i].0),
                next: mean(&|i| averages[i].1),
                representative: representative.copied().unwrap_or(0),
            }
        };
        let clusters = (0..k).map(look).collect();
        Self { labels, clusters, objective }
    }

    fn unclustered(&self) -> usize {
        self.labels.iter().filter(|label| label.is_none()).count()
    }
}

/// What is said about a clustering.
struct Told<'a> {
    args: &'a ConsortiumClusterArgs,
    pool: &'a Pool,
    found: &'a Found,
    metric: MetricArg,
}

impl Told<'_> {
    fn metric(&self) -> &'static str {
        match self.metric {
            MetricArg::Eq19 => "eq19",
            MetricArg::HammingSum => "hamming-sum",
        }
    }

    /// The file and the row in it, from 1.
    fn place(&self, record: usize) -> (String, usize) {
        let (part, row) = self.pool.file.place(self.pool.row(record));
        let name = self.pool.file.parts.get(part).map_or("", |part| &part.name);
        (short_name(name), row + 1)
    }

    fn text(&self, shown: &Shown) -> String {
        let Self { args, pool, found, .. } = self;
        let files = match pool.file.parts.as_slice() {
            [one] => short_name(&one.name),
            files => format!("{} files", files.len()),
        };
        let mut text = format!(
            "{} of {} in {files}, {}, method {} on {}\n\n",
            plural(found.clusters.len(), "cluster"),
            plural(pool.len(), "record"),
            promised::terms(&pool.file.terms),
            args.method.name(),
            self.metric()
        );
        let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.4}"));
        let mut table = Table::new(&["cluster", "size", "distance within", "to the next", "representative"]);
        for (i, cluster) in found.clusters.iter().enumerate().take(MOST_SHOWN) {
            let (file, row) = self.place(cluster.representative);
            let id = pool.file.id(pool.row(cluster.representative)).map_or(String::new(), |id| format!(" ({id})"));
            table.row([
                (i + 1).to_string(),
                cluster.size.to_string(),
                number(cluster.within),
                number(cluster.next),
                format!("{file}, row {row}{id}"),
            ]);
        }
        text.push_str(&table.to_string());
        if found.clusters.len() > MOST_SHOWN {
            text.push_str(&format!("  … and {} more, in --out and --format json\n", found.clusters.len() - MOST_SHOWN));
        }
        if found.unclustered() > 0 {
            text.push_str(&format!("{} in no cluster.\n", plural(found.unclustered(), "record")));
        }
        if let Some((objective, converged)) = found.objective {
            text.push_str(&format!("\nObjective (eq. 17): {objective:.4}.\n"));
            if !converged && !shown.quiet {
                text.push_str("The best start had not come to rest; more --iterations may help.\n");
            }
        }
        if !shown.quiet {
            text.push_str(
                "Distances are decoded averages: with noise in the bits they can be far off, and below zero.\n",
            );
            if let Some(times) = noise_in_ranges(&pool.file.terms).filter(|times| *times >= 1.0) {
                text.push_str(&format!(
                    "WARNING: the noise of a single decoded distance is {} times the whole range of its attribute, or more; clusters of so few bits, or so small an ε, are mostly noise.\n",
                    promised::short(times)
                ));
            }
        }
        text.push_str(&format!("\n{}\n", pool.file.promise.guarantee.sentence()));
        if !shown.quiet {
            let said = pool.file.parts.iter().filter(|part| part.said != pool.file.promise.guarantee);
            for part in said.take(4).filter_map(|part| Some((part, part.said.claim()?))) {
                text.push_str(&format!(
                    "Said by the custodian of {}, for the true anchors: {}.\n",
                    short_name(&part.0.name),
                    part.1.loss.symbols()
                ));
            }
            text.push_str("Spent: nothing; every bit was flipped before the codes were sent.\n");
        }
        text
    }

    fn json(&self) -> Value {
        let Self { args, pool, found, .. } = self;
        let cluster = |(i, cluster): (usize, &ClusterLook)| {
            let (file, row) = self.place(cluster.representative);
            json!({
                "cluster": i + 1,
                "size": cluster.size,
                "distance_within": cluster.within,
                "distance_to_next": cluster.next,
                "representative": {"file": file, "row": row, "id": pool.file.id(pool.row(cluster.representative))},
            })
        };
        json!({
            "method": args.method.name(),
            "metric": self.metric(),
            "records": pool.len(),
            "unclustered": found.unclustered(),
            "clusters": found.clusters.iter().enumerate().map(cluster).collect::<Vec<_>>(),
            "objective": found.objective.map(|(objective, _)| objective),
            "converged": found.objective.map(|(_, converged)| converged),
            "files": pool.file.parts.iter().map(|part| json!({
                "name": part.name, "rows": part.rows, "bridge": part.bridge, "said": part.said,
            })).collect::<Vec<_>>(),
            "terms": pool.file.terms,
            "fingerprint": pool.file.fingerprint,
            "promise": promised::json(&pool.file.promise, &pool.file.terms, None),
            "seeded": pool.file.seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        })
    }

    /// A row for each record: file, row in it from 1, cluster from 1, and its name where there is one.
    fn labels(&self, out: &mut impl Write) -> std::io::Result<()> {
        let pool = self.pool;
        let named = pool.file.parts.iter().any(|part| part.ids.is_some());
        let mut out = BufWriter::new(out);
        writeln!(out, "file,row,cluster{}", if named { ",id" } else { "" })?;
        for (record, label) in self.found.labels.iter().enumerate() {
            let (file, row) = self.place(record);
            let cluster = label.map_or(String::new(), |label| (label + 1).to_string());
            write!(out, "{},{row},{cluster}", cell(&file))?;
            if named {
                write!(out, ",{}", cell(pool.file.id(pool.row(record)).unwrap_or("")))?;
            }
            writeln!(out)?;
        }
        out.flush()
    }
}

/// The least standard deviation of an attribute's decoded distances, in ranges of the attribute.
fn noise_in_ranges(terms: &Terms) -> Option<f64> {
    let share = |i: usize| Decoder::of(terms, i).sd(0.0) / (terms.step(i) * STEPS as f64);
    (0..terms.dims()).map(share).min_by(f64::total_cmp)
}

/// A text as a cell of a CSV file.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}
