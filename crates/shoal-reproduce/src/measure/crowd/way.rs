//! A mechanism on everyone's device and a method on the server.

use shoal_crowd::server::noise_aware::NoiseAware;
use shoal_crowd::server::tk_means::Kappa;
use shoal_crowd::server::tk_means::TkMeans;
use shoal_crowd::server::{ReportPoints, kmeans_on_reports};
use shoal_device::choose_radius;
use shoal_device::{BpgmForm, Client, Design, Ending, Mechanism, NoiseLaw};
use shoal_kernel::Restarts;
use shoal_lattice::{Bounds, Interval, UnitPosition};
use shoal_noise::NoiseSource;

use crate::{Failure, Key};

/// How far BPM's noise reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Radius {
    /// L in widths of the box.
    Given(f64),
    /// Shoal's choice: the smallest L that keeps nearly all the information of a report.
    Information,
}

/// What is done on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Nothing: the record itself is sent.
    None,
    /// YTL22's BPM.
    Bpm(Radius),
    /// YTL22's baseline: Laplace noise on each attribute, ε/d each.
    Laplace,
    /// Laplace noise on each attribute that together keeps ε per width in Euclidean distance.
    LaplaceMetric,
    /// nD-Laplace.
    NdLaplace(Ending),
    /// nD-Laplace with the radius of geo-indistinguishability, which is that for two dimensions, in every dimension, then
    /// clamped: a reading of CLZ25's comparator that keeps no ε per width beyond two dimensions. For figures only.
    PlanarRadius,
    /// CLZ25's BPGM by Adam, which keeps no promise, with its bound ℓ in widths of the box.
    Bpgm(&'static str),
    /// CLZ25's Algorithm 2 to the letter, with its bound ℓ: keeps no promise either.
    BpgmAsPrinted(&'static str),
}

/// What is done on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// k-means, ten starts.
    KMeans,
    /// CLZ25's TK-means, with eq. (21) as printed.
    TkMeans,
    /// TK-means with eq. (21) corrected.
    CorrectedTkMeans,
    /// Maximum likelihood under the distribution of the noise.
    NoiseAware,
}

/// A mechanism and a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// On the device.
    pub noise: Noise,
    /// On the server.
    pub server: Server,
}

/// Starts of k-means on reports.
const STARTS: usize = 10;

impl Way {
    /// The key of a cell with this way and budget.
    #[must_use]
    pub fn key(&self, key: Key, epsilon: &str) -> Key {
        let mechanism = match self.noise {
            Noise::None => "none".to_string(),
            Noise::Bpm(Radius::Given(radius)) => format!("bpm L={radius}"),
            Noise::Bpm(Radius::Information) => "bpm L=information".to_string(),
            Noise::Laplace => "laplace".to_string(),
            Noise::LaplaceMetric => "laplace-metric".to_string(),
            Noise::NdLaplace(Ending::Raw) => "nd-laplace".to_string(),
            Noise::NdLaplace(Ending::Clamped) => "nd-laplace clamped".to_string(),
            Noise::NdLaplace(Ending::Grid { cells }) => format!("nd-laplace grid={cells}"),
            Noise::PlanarRadius => "planar radius clamped".to_string(),
            Noise::Bpgm(bound) => format!("bpgm l={bound}"),
            Noise::BpgmAsPrinted(bound) => format!("bpgm as printed l={bound}"),
        };
        let server = match self.server {
            Server::KMeans => "k-means",
            Server::TkMeans => "tk-means",
            Server::CorrectedTkMeans => "tk-means corrected",
            Server::NoiseAware => "noise-aware",
        };
        // Without noise there is no budget.
        let epsilon = if self.noise == Noise::None { "" } else { epsilon };
        key.with("mechanism", mechanism).with("server", server).with("epsilon", epsilon)
    }

    /// The way that has these words in keys.
    pub(crate) fn of_words(mechanism: &str, server: &str) -> Result<Self, Failure> {
        let unknown = || format!("there is no way {mechanism}, {server}");
        let (name, rest) = mechanism.split_once(' ').unwrap_or((mechanism, ""));
        let value = rest.split_once('=').map_or("", |(_, value)| value);
        let noise = match (name, rest) {
            ("none", _) => Noise::None,
            ("bpm", "L=information") => Noise::Bpm(Radius::Information),
            ("bpm", _) => Noise::Bpm(Radius::Given(value.parse()?)),
            ("laplace", _) => Noise::Laplace,
            ("laplace-metric", _) => Noise::LaplaceMetric,
            ("nd-laplace", "") => Noise::NdLaplace(Ending::Raw),
            ("nd-laplace", "clamped") => Noise::NdLaplace(Ending::Clamped),
            ("nd-laplace", _) => Noise::NdLaplace(Ending::Grid { cells: value.parse()? }),
            ("planar", _) => Noise::PlanarRadius,
            ("bpgm", _) => {
                let bound = ["1", "10"].into_iter().find(|bound| *bound == value).ok_or_else(unknown)?;
                if rest.starts_with("as printed") { Noise::BpgmAsPrinted(bound) } else { Noise::Bpgm(bound) }
            }
            _ => return Err(unknown().into()),
        };
        let server = match server {
            "k-means" => Server::KMeans,
            "tk-means" => Server::TkMeans,
            "tk-means corrected" => Server::CorrectedTkMeans,
            "noise-aware" => Server::NoiseAware,
            _ => return Err(unknown().into()),
        };
        Ok(Self { noise, server })
    }

    /// The mechanism on a device; none where the record itself is sent.
    pub fn client(&self, epsilon: &str, dims: usize) -> Result<Option<Client>, Failure> {
        let rate: f64 = epsilon.parse()?;
        let mechanism = match self.noise {
            // No device of Shoal draws the latter.
            Noise::None | Noise::PlanarRadius => return Ok(None),
            Noise::Bpm(Radius::Given(radius)) => Mechanism::Bpm { radius_steps: choose_radius::given(radius).steps },
            Noise::Bpm(Radius::Information) => {
                Mechanism::Bpm { radius_steps: choose_radius::information(dims, rate).steps }
            }
            Noise::Laplace => Mechanism::Laplace,
            Noise::LaplaceMetric => Mechanism::LaplaceMetric,
            Noise::NdLaplace(ending) => {
                Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(dims, rate).steps, ending }
            }
            Noise::Bpgm(bound) | Noise::BpgmAsPrinted(bound) => {
                let bound = bound.parse().map_err(|e| format!("{bound}: {e}"))?;
                let to_the_letter = matches!(self.noise, Noise::BpgmAsPrinted(_));
                Mechanism::Bpgm { bound, form: if to_the_letter { BpgmForm::AsPrinted } else { BpgmForm::Adam } }
            }
        };
        let columns = (0..dims).map(|i| format!("c{i}")).collect();
        let bounds = Bounds::new(columns, vec![Interval::new(0.0, 1.0)?; dims])?;
        let epsilon = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
        let design = Design::new(mechanism, epsilon, bounds)?;
        // Figures measure what was published, and say which of it keeps no promise.
        Ok(Some(Client::accepting_unsound(&design)?))
    }
}

impl Server {
    /// The centres that it finds in reports, one after the other.
    pub fn centres(
        self,
        k: usize,
        points: &ReportPoints,
        law: Option<NoiseLaw>,
        noise: &mut dyn NoiseSource,
    ) -> Result<Vec<f64>, Failure> {
        let found = match self {
            Self::KMeans => {
                kmeans_on_reports(points, &Restarts { clusters: k, restarts: STARTS, iterations: 100 }, noise)
            }
            Self::TkMeans => TkMeans { kappa: Kappa::AsPublished, ..TkMeans::new(k) }.cluster(points, noise),
            Self::CorrectedTkMeans => TkMeans::new(k).cluster(points, noise),
            Self::NoiseAware => NoiseAware::new(k).cluster(points, law.ok_or("these reports have no density")?, noise),
        };
        Ok(UnitPosition::numbers(&found.centres.concat()))
    }
}
