//! Clustering reports: which server method, and what is said about its result.

use shoal::model::Model;
use shoal_crowd::report_file::Reports;
use shoal_crowd::server::noise_aware::{ChosenK, NoiseAware, Prior, Width, choose_k};
use shoal_crowd::server::tk_means::Kappa;
use shoal_crowd::server::tk_means::TkMeans;
use shoal_crowd::server::{Clusters, ReportPoints, kmeans_on_reports, with_simulated_error};
use shoal_device::{Client, Ending, Mechanism, NoiseLaw};
use shoal_kernel::Restarts;
use shoal_noise::NoiseSource;

use crate::arguments::Number;
use crate::arguments::Shown;
use crate::arguments::cluster::{ClusterArgs, KappaArg, PriorArg, ServerMethod, WidthArg};
use crate::failure::Failure;
use crate::show::output::number;
use crate::show::progress::Waiting;

/// Clusters that `-k auto` tries at most.
const MOST_CLUSTERS: usize = 12;

/// Clusters reports by the method asked for, or by the best one that they allow.
pub fn cluster(
    reports: &Reports,
    args: &ClusterArgs,
    random: &mut dyn NoiseSource,
    shown: &Shown,
) -> Result<Model, Failure> {
    // Their promise was checked when they were read; here it is only about the law of the noise.
    let client = Client::accepting_unsound(&reports.design)?;
    let law = client.noise_law();
    let method = match (args.method, law) {
        (Some(ServerMethod::NoiseAware), None) => return Err(no_density(&reports.design.mechanism)),
        (Some(method), _) => method,
        (None, Some(_)) => ServerMethod::NoiseAware,
        (None, None) => ServerMethod::Kmeans,
    };
    args.knobs.check(method)?;
    let k = match (args.k, method) {
        (Number::Given(k), _) => Some(k),
        (Number::Auto { .. }, ServerMethod::NoiseAware) => None,
        (Number::Auto { .. }, _) => {
            let why = if law.is_none() {
                "-k auto needs the law of the noise, which these reports do not have".to_string()
            } else {
                format!("-k auto needs --method noise-aware, and not {}", method.name())
            };
            return Err(Failure::usage(format!("{why}; give a number")));
        }
    };
    if args.knobs.most_clusters.is_some() && k.is_some() {
        return Err(Failure::usage("--most-clusters goes with -k auto; give both or neither"));
    }
    if let (Some(most), Number::Auto { most: Some(_) }) = (args.knobs.most_clusters, args.k) {
        let asked = args.k;
        return Err(Failure::usage(format!(
            "-k {asked} and --most-clusters {most} say the same twice; give one of them"
        )));
    }
    if let Some(k) = k.filter(|&k| k > reports.rows()) {
        let rows = reports.rows();
        return Err(Failure::refused(format!("{k} clusters of {rows} reports cannot be found; give a smaller -k")));
    }
    let points = ReportPoints::from_steps(&reports.columns);
    let waiting = Waiting::new("clustering", shown);
    let (found, criteria) = match (method, law) {
        (ServerMethod::NoiseAware, Some(law)) => noise_aware(&points, law, k, args, random),
        (ServerMethod::TkMeans, _) => {
            let usual = TkMeans::new(k.unwrap_or(1));
            let how = TkMeans {
                kappa: match args.knobs.kappa {
                    Some(KappaArg::Published) => Kappa::AsPublished,
                    _ => Kappa::Corrected,
                },
                starts: args.inits.map_or(usual.starts, |inits| inits as usize),
                rounds: args.iterations.map_or(usual.rounds, |rounds| rounds as usize),
                ..usual
            };
            let found = how.cluster(&points, random);
            (with_simulated_error(found, &client, points.rows(), random, |p, r| how.cluster(p, r)), Vec::new())
        }
        _ => {
            let (restarts, iterations) = (args.inits.unwrap_or(30) as usize, args.iterations.unwrap_or(50) as usize);
            let how = Restarts { clusters: k.unwrap_or(1), restarts, iterations };
            let found = kmeans_on_reports(&points, &how, random);
            let again = |p: &ReportPoints, r: &mut dyn NoiseSource| kmeans_on_reports(p, &how, r);
            (with_simulated_error(found, &client, points.rows(), random, again), Vec::new())
        }
    };
    waiting.finish();
    let mut model = Model::of_reports(reports, &found, method.name(), criteria);
    model.decisions = decisions(&model, &found, args, law);
    Ok(model)
}

fn noise_aware(
    points: &ReportPoints,
    law: NoiseLaw,
    k: Option<usize>,
    args: &ClusterArgs,
    random: &mut dyn NoiseSource,
) -> (Clusters, Vec<f64>) {
    let usual = NoiseAware::new(k.unwrap_or(1));
    let how = NoiseAware {
        width: match args.knobs.width {
            None | Some(WidthArg::Shared) => Width::Shared,
            Some(WidthArg::None) => Width::None,
            Some(WidthArg::PerCluster) => Width::PerCluster,
        },
        prior: match args.knobs.prior {
            None | Some(PriorArg::Weak) => usual.prior,
            Some(PriorArg::None) => Prior::NONE,
        },
        starts: args.inits.map_or(usual.starts, |inits| inits as usize),
        passes: args.iterations.map_or(usual.passes, |passes| passes as usize),
        ..usual
    };
    if k.is_some() {
        return (how.cluster(points, law, random), Vec::new());
    }
    let most = args.knobs.most_clusters.unwrap_or(args.k.most(MOST_CLUSTERS)).min(points.rows());
    let ChosenK { clusters, criteria } = choose_k(&how, most, points, law, random);
    (clusters, criteria)
}

/// Why the noise of these reports cannot be reckoned with.
fn no_density(mechanism: &Mechanism) -> Failure {
    let why = match mechanism {
        Mechanism::NdLaplace { ending: Ending::Clamped, .. } => "they were moved into the bounds",
        Mechanism::NdLaplace { ending: Ending::Grid { .. }, .. } => "they were moved to a grid",
        _ => "the law of their noise depends on the record",
    };
    Failure::usage(format!(
        "noise-aware needs raw reports with a known law of the noise, and these have none: {why}. Use --method kmeans or tk-means, or collect raw reports"
    ))
}

/// What the user should know about how this came about.
fn decisions(model: &Model, found: &Clusters, args: &ClusterArgs, law: Option<NoiseLaw>) -> Vec<String> {
    let mut said = Vec::new();
    let Some(from) = &model.from_reports else { return said };
    if args.k.is_auto() {
        let k = model.k();
        let mut sorted = from.criteria.clone();
        sorted.sort_by(f64::total_cmp);
        let lead = sorted.get(1).map_or(String::new(), |next| {
            format!(", {} ahead of the next best", number(next - sorted[0], (next - sorted[0]) / 10.0))
        });
        let tried: Vec<String> = from.criteria.iter().map(|bic| format!("{bic:.1}")).collect();
        said.push(format!(
            "{k} chosen as the number of clusters by the Bayesian information criterion (BIC{lead}). BIC for 1, 2, …, lower being better: {}.",
            tried.join(", ")
        ));
    }
    if law.is_none() && args.method.is_none() {
        said.push(
            "These reports have no known density (clamped, on a grid, or by bpgm), so they were clustered by k-means as if they were records. Raw reports by bpm or nd-laplace would tell more.".into(),
        );
    }
    if args.knobs.width != Some(WidthArg::None) && !found.widths.is_empty() && !from.drowned {
        // They come from a list in which each is a quarter more than the one before.
        let mut percents: Vec<String> = found.widths.iter().map(|width| format!("{:.0}", 100.0 * width)).collect();
        percents.dedup();
        said.push(match percents.as_slice() {
            [one] if one == "0" => "Records scatter about their centres by less than the noise lets anyone see.".into(),
            percents => {
                let each = if percents.len() > 1 { " (cluster by cluster)" } else { "" };
                let percents = percents.join(", ");
                format!("Records scatter about their centres by roughly {percents} % of each column's range{each}.")
            }
        });
    }
    if let Some(freedom) = found.degrees_of_freedom {
        said.push(format!("Degrees of freedom of the t laws: {}.", number(freedom, freedom / 10.0)));
    }
    said
}
