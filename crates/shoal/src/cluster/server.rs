//! Clustering reports: which server method, and what it decided.

use shoal_crowd::report_file::Reports;
use shoal_crowd::server::noise_aware::{ChosenK, Criterion, NoiseAware, Width, choose_k};
use shoal_crowd::server::tk_means::{Kappa, TkMeans};
use shoal_crowd::server::{
    Certainty, Clusters, Decision, ErrorModel, Estimate, Plausible, ReportPoints, kmeans_on_reports,
    with_simulated_error,
};
use shoal_device::{Client, Ending, Mechanism, NoiseLaw};
use shoal_kernel::Restarts;
use shoal_lattice::Widths;
use shoal_noise::NoiseSource;

use super::{Cluster, ServerMethod};
use crate::model::{self, Model};
use crate::watch::Phase;
use crate::{ClusterError, Error, K};

/// Clusters that are tried at most when their number is chosen.
const MOST_CLUSTERS: usize = 12;

/// A model with what it was found in.
pub(super) struct Served {
    pub model: Model,
    pub points: ReportPoints,
    pub law: Option<NoiseLaw>,
}

/// Clusters reports by the method asked for, or by the best one that they allow.
pub(super) fn cluster(job: &Cluster, reports: Reports, random: &mut dyn NoiseSource) -> Result<Served, Error> {
    // Their promise was checked when they were read; here it is only about the distribution of the noise.
    let client = Client::accepting_unsound(&reports.design)?;
    let law = client.noise_law();
    let method = match (job.method, law) {
        (Some(ServerMethod::NoiseAware), None) => return Err(no_density(reports.design.mechanism())),
        (Some(method), _) => method,
        (None, Some(_)) => ServerMethod::NoiseAware,
        (None, None) => ServerMethod::KMeans,
    };
    check_options(job, method)?;
    if !reports.design.categories().is_empty() {
        if method != ServerMethod::NoiseAware {
            return Err(Error::WordsNeedNoiseAware { method: method.name() });
        }
        if job.estimate == Some(Estimate::Pooled) {
            return Err(Error::WordsArePooledNever);
        }
    }
    let k = number_of_clusters(job, method, law.is_some(), reports.rows())?;
    let (collected, points) = reports.into_points();
    // Whoever forges a report may place it anywhere that numbers go; honest ones are not moved.
    let plausible = Plausible::of(&client, points.rows());
    let (points, moved) = match plausible {
        Some(plausible) => plausible.hold(points),
        None => (points, 0),
    };
    let clustering = job.watch.phase(Phase::Clustering);
    let (found, certainty) = match (method, law) {
        (ServerMethod::NoiseAware, Some(law)) => noise_aware(job, &points, &client, law, k, random),
        (ServerMethod::TkMeans, _) => {
            let usual = TkMeans::new(k.unwrap_or(1));
            let how = TkMeans {
                kappa: job.kappa.unwrap_or(Kappa::Corrected),
                starts: job.restarts.unwrap_or(usual.starts),
                rounds: job.iterations.unwrap_or(usual.rounds),
                ..usual
            };
            unaware(&points, &client, random, |p, r| how.cluster(p, r))
        }
        _ => {
            let (restarts, iterations) = (job.restarts.unwrap_or(30), job.iterations.unwrap_or(50));
            let how = Restarts { clusters: k.unwrap_or(1), restarts, iterations };
            unaware(&points, &client, random, |p, r| kmeans_on_reports(p, &how, r))
        }
    };
    drop(clustering);
    let mut model = Model::of_reports(&collected, &found.with_indicators(&client), method.name(), &certainty);
    model.decisions = decisions(job, &model, &found, law);
    if let Some(Plausible { beyond }) = plausible.filter(|_| moved > 0) {
        model.decisions.push(Decision::MovedImplausible { reports: moved, beyond: Widths(beyond) }.into());
    }
    Ok(Served { model, points, law })
}

/// Clusters by a method that does not know the noise, with the error that it makes on simulated reports.
fn unaware(
    points: &ReportPoints,
    client: &Client,
    random: &mut dyn NoiseSource,
    method: impl Fn(&ReportPoints, &mut dyn NoiseSource) -> Clusters + Sync,
) -> (Clusters, Certainty) {
    let found = method(points, random);
    let found = with_simulated_error(found, client, points.rows(), random, &method);
    let certainty = Certainty::of(&found, client, points.rows(), ErrorModel::AtLeast, random, &method);
    (found, certainty)
}

/// Options that the chosen method does not have are refused rather than ignored.
fn check_options(job: &Cluster, method: ServerMethod) -> Result<(), Error> {
    for option in job.given() {
        let has = |name: &str| shoal_crowd::find_method(name).is_some_and(|m| m.options.contains(&option));
        if !has(method.name()) {
            let others = shoal_crowd::METHODS.iter().map(|m| m.name).filter(|name| has(name)).collect();
            return Err(Error::UnknownKnob { knob: option, method: method.name(), others });
        }
    }
    Ok(())
}

/// The number of clusters, or nothing when it is to be chosen.
fn number_of_clusters(
    job: &Cluster,
    method: ServerMethod,
    has_density: bool,
    reports: usize,
) -> Result<Option<usize>, Error> {
    let k = match (job.k, method) {
        (K::Given(k), _) => Some(k),
        (K::Auto { .. }, ServerMethod::NoiseAware) => None,
        (K::Auto { .. }, _) => {
            return Err(if has_density {
                ClusterError::ChoosingKNeedsNoiseAware { method: method.name() }
            } else {
                ClusterError::ChoosingKNeedsDensity
            }
            .into());
        }
    };
    match (job.most_clusters, job.k) {
        (Some(_), K::Given(_)) => return Err(ClusterError::MostWithoutAuto.into()),
        (Some(most), K::Auto { most: Some(_) }) => return Err(ClusterError::MostTwice { k: job.k, most }.into()),
        _ => {}
    }
    match k.filter(|&k| k > reports) {
        Some(k) => Err(ClusterError::TooFewReports { k, reports }.into()),
        None => Ok(k),
    }
}

fn noise_aware(
    job: &Cluster,
    points: &ReportPoints,
    client: &Client,
    law: NoiseLaw,
    k: Option<usize>,
    random: &mut dyn NoiseSource,
) -> (Clusters, Certainty) {
    let usual = NoiseAware::new(k.unwrap_or(1));
    let mut how = NoiseAware {
        width: job.width.unwrap_or(usual.width),
        prior: job.prior.unwrap_or(usual.prior),
        starts: job.restarts.unwrap_or(usual.starts),
        passes: job.iterations.unwrap_or(usual.passes),
        estimate: job.estimate.unwrap_or(usual.estimate),
        ..usual
    };
    let ChosenK { clusters: found, tried } = if k.is_some() {
        how.cluster_compared(points, law, random)
    } else {
        let most = job.most_clusters.unwrap_or(job.k.most(MOST_CLUSTERS)).min(points.rows());
        let by = job.criterion.unwrap_or(Criterion::Evidence);
        choose_k(&how, most, by, points, law, random)
    };
    how.k = found.centres.len();
    let again = |p: &ReportPoints, r: &mut dyn NoiseSource| how.again(&found, p, law, r);
    let certainty = Certainty::of(&found, client, points.rows(), ErrorModel::Known, random, again);
    (found.clone(), Certainty { tried, ..certainty })
}

/// Why the noise of these reports has no known distribution.
fn no_density(mechanism: &Mechanism) -> Error {
    let why = match mechanism {
        Mechanism::NdLaplace { ending: Ending::Clamped, .. } => "they were moved into the bounds",
        Mechanism::NdLaplace { ending: Ending::Grid { .. }, .. } => "they were moved to a grid",
        _ => "the distribution of their noise depends on the record",
    };
    ClusterError::NoDensity { why }.into()
}

/// What was decided on the way.
fn decisions(job: &Cluster, model: &Model, found: &Clusters, law: Option<NoiseLaw>) -> Vec<model::Decision> {
    let mut decisions = Vec::new();
    let Some(from) = &model.from_reports else { return decisions };
    if job.k.is_auto() {
        let (k, criteria) = (model.k(), from.criteria.clone());
        decisions.push(match job.criterion {
            Some(Criterion::Bic) => Decision::ChoseKByBic { k, criteria }.into(),
            _ => Decision::ChoseKByEvidence { k, ln_evidence: from.ln_evidence.clone() }.into(),
        });
    }
    if let Some(draws) = found.pooled_from {
        decisions.push(Decision::Pooled { draws }.into());
    }
    if law.is_none() && job.method.is_none() {
        decisions.push(Decision::NoDensity.into());
    }
    if job.width != Some(Width::None) && !found.widths.is_empty() && !from.drowned {
        // One for each cluster, or the same for all of them in each column.
        let alike = found.widths.iter().all(|widths| widths.iter().all(|width| *width == widths[0]));
        decisions.push(if alike {
            // In the order of the model: the largest cluster first.
            let mut order: Vec<usize> = (0..found.widths.len()).collect();
            order.sort_by(|&a, &b| found.shares[b].total_cmp(&found.shares[a]));
            Decision::Scatter { widths: order.iter().map(|&j| found.widths[j][0]).collect() }.into()
        } else {
            Decision::ScatterByColumn { widths: found.widths[0].clone() }.into()
        });
    }
    decisions.extend(found.degrees_of_freedom.map(|degrees| Decision::DegreesOfFreedom { degrees }.into()));
    decisions
}
