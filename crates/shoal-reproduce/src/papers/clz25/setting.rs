//! What Figs 3 to 5 of CLZ25 share: data sets, budgets and ways, and so their runs.

use std::sync::Arc;

use shoal_device::Ending;

use crate::data::Records;
use crate::lab::{Cell, Lab, Results};
use crate::measure::crowd::{Crowd, MEASURES, Noise, Radius, Server, Way};
use crate::papers::words::data_caveats;
use crate::statistics::Summary;
use crate::{Failure, Key};

/// The budgets ε.
pub const EPSILONS: [&str; 12] = ["0.1", "0.5", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];

/// The data sets with their numbers of clusters.
const SETS: [(&str, usize); 4] = [("iris", 3), ("seeds", 3), ("wine", 3), ("wdbc", 2)];

/// Cells along each attribute of the grid to which nD-Laplace's reports are moved. The paper speaks of a mesh and gives no
/// size.
const MESH: u32 = 10;

/// The radius of the paper's BPM, which it does not give: the smallest of YTL22's own.
const BPM_RADIUS: f64 = 2.0;

/// A curve of the figures.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: &'static str,
    /// What is measured.
    pub way: Way,
}

/// The paper's own with ℓ = 1.
pub const BPGT_1: Curve = Curve {
    name: "BPGT ℓ = 1 (published claim does not hold)",
    way: Way { noise: Noise::Bpgm("1"), server: Server::TkMeans },
};
/// The paper's own with ℓ = 10.
pub const BPGT_10: Curve = Curve {
    name: "BPGT ℓ = 10 (published claim does not hold)",
    way: Way { noise: Noise::Bpgm("10"), server: Server::TkMeans },
};
/// The paper's own with Algorithm 2 to the letter. ℓ makes no difference: reports are starts, give or take one step.
pub const AS_PRINTED: Curve = Curve {
    name: "BPGT, Algorithm 2 as printed, ℓ = 1 (not private)",
    way: Way { noise: Noise::BpgmAsPrinted("1"), server: Server::TkMeans },
};
/// The paper's first comparator.
pub const BPM: Curve =
    Curve { name: "BPM, L = 2", way: Way { noise: Noise::Bpm(Radius::Given(BPM_RADIUS)), server: Server::KMeans } };
/// The paper's second comparator.
pub const ND_LAPLACE: Curve = Curve {
    name: "nD-Laplace on a mesh",
    way: Way { noise: Noise::NdLaplace(Ending::Grid { cells: MESH }), server: Server::KMeans },
};
/// The first comparator with YTL22's largest radius: with L = 2 reports of 13 or 30 attributes are nothing but noise.
pub const BPM_10: Curve =
    Curve { name: "BPM, L = 10", way: Way { noise: Noise::Bpm(Radius::Given(10.0)), server: Server::KMeans } };
/// A reading of the second comparator that comes near what the paper prints, and keeps no promise beyond two attributes.
pub const PLANAR: Curve = Curve {
    name: "nD-Laplace with the planar radius (not private)",
    way: Way { noise: Noise::PlanarRadius, server: Server::KMeans },
};
/// Without privacy.
pub const PLAIN: Curve =
    Curve { name: "K-means without privacy", way: Way { noise: Noise::None, server: Server::KMeans } };
/// The paper's server where the claim is met.
pub const SOUND: Curve = Curve {
    name: "TK-means where the claim holds (BPM, default L)",
    way: Way { noise: Noise::Bpm(Radius::Information), server: Server::TkMeans },
};
/// Our server where the claim is met.
pub const AWARE: Curve = Curve {
    name: "Ours: noise-aware where the claim holds",
    way: Way { noise: Noise::Bpm(Radius::Information), server: Server::NoiseAware },
};

/// As the paper has them, best first by its own account.
pub const PUBLISHED: [Curve; 8] = [BPGT_1, BPGT_10, AS_PRINTED, BPM, BPM_10, ND_LAPLACE, PLANAR, PLAIN];
/// With a promise that holds.
pub const PROMISED: [Curve; 5] = [SOUND, AWARE, BPM, ND_LAPLACE, PLAIN];
/// All.
pub const ALL: [Curve; 10] = [BPGT_1, BPGT_10, AS_PRINTED, BPM, BPM_10, ND_LAPLACE, PLANAR, SOUND, AWARE, PLAIN];

/// A data set with its people.
pub struct Place {
    /// The people.
    pub crowd: Arc<Crowd>,
    records: Arc<Records>,
}

impl Place {
    /// Those data sets that are there, and a sentence about each that is not.
    pub fn all(lab: &Lab) -> (Vec<Self>, Vec<String>) {
        let (there, missing) = lab.data.available(&SETS.map(|(name, _)| name));
        let place = |records: Arc<Records>| {
            let k = SETS.iter().find(|(name, _)| *name == records.set.name).map_or(3, |(_, k)| *k);
            Self { crowd: Arc::new(Crowd::of(&records, k)), records }
        };
        let caveats = data_caveats(there.iter(), &missing);
        (there.into_iter().map(place).collect(), caveats)
    }

    /// Its name in keys.
    pub fn name(&self) -> &'static str {
        self.records.set.name
    }

    /// Its name on plots.
    pub fn title(&self) -> &'static str {
        self.records.set.title
    }

    /// What the plot must say about it.
    pub fn note(&self) -> Option<String> {
        self.records.note()
    }

    /// The key of a cell.
    pub fn key(&self, curve: &Curve, epsilon: &str) -> Key {
        let key = self.records.key("clz25").with("k", self.crowd.k).with("truth", self.crowd.truth_from());
        curve.way.key(key, epsilon)
    }

    fn cell(&self, lab: &Lab, curve: Curve, epsilon: &'static str) -> Cell {
        let crowd = self.crowd.clone();
        let run = move |run: &mut crate::Run| Ok(crowd.run(&curve.way, epsilon, &mut run.noise)?.values());
        let size = (self.crowd.rows() * self.crowd.dims * self.crowd.k) as f64;
        let (cost, quick) = match curve.way.server {
            Server::KMeans => (0.0004, 8),
            Server::TkMeans | Server::CorrectedTkMeans => (0.002, 4),
            Server::NoiseAware => (0.01, 3),
        };
        Cell::new(self.key(&curve, epsilon), MEASURES, lab.effort.pick(20, quick), run).costing(size * cost)
    }
}

/// The cells of Figs 3 to 5: they show the same runs.
pub fn cells(lab: &Lab) -> Result<Vec<Cell>, Failure> {
    let (places, missing) = Place::all(lab);
    if places.is_empty() {
        return Err(missing.join("; ").into());
    }
    let mut cells = Vec::new();
    for place in &places {
        for curve in ALL {
            // Without privacy there is one cell for all budgets.
            let budgets = if curve.way.noise == Noise::None { &EPSILONS[..1] } else { &EPSILONS[..] };
            cells.extend(budgets.iter().map(|epsilon| place.cell(lab, curve, epsilon)));
        }
    }
    Ok(cells)
}

/// What was measured.
pub struct Seen<'a> {
    /// On these data sets.
    pub places: &'a [Place],
    /// This.
    pub results: &'a Results,
    /// And of that, this measure.
    pub measure: &'static str,
}

impl Seen<'_> {
    /// A point.
    pub fn of(&self, place: &Place, curve: &Curve, epsilon: &str) -> Result<Summary, Failure> {
        self.results.summary(&place.key(curve, epsilon), self.measure)
    }

    /// A curve, point by point.
    pub fn curve(&self, place: &Place, curve: &Curve) -> Result<Vec<Summary>, Failure> {
        EPSILONS.iter().map(|epsilon| self.of(place, curve, epsilon)).collect()
    }

    /// The mean of some curves over all data sets and budgets.
    pub fn average(&self, curves: &[Curve]) -> Result<f64, Failure> {
        let (mut sum, mut count) = (0.0, 0.0);
        for place in self.places {
            for curve in curves {
                for point in self.curve(place, curve)? {
                    sum += point.mean;
                    count += 1.0;
                }
            }
        }
        Ok(sum / count)
    }
}

/// What is stated about all of Figs 3 to 5.
pub fn protocol(rest: &str) -> String {
    format!(
        "20 runs a point; Iris, Seeds, Wine and Wdbc; bounds are the table's own limits, taken as public; ε = 0.1, 0.5, 1, \
         2, …, 10. BPGM is Algorithm 2 with its loss and stop test corrected, constants ours; one curve has Algorithm 2 as printed; TK-means with eq. (21) as \
         printed. The paper does not give BPM's L (here {BPM_RADIUS}, \
         YTL22's smallest, and 10, its largest) nor nD-Laplace's mesh (here {MESH} cells along each attribute); both are clustered by \
         k-means. A third reading of nD-Laplace, with the planar radius of geo-indistinguishability in every dimension, comes \
         near what the paper prints and is not private. BPGM keeps no promise at all; what its claim costs where it is met is shown by the same server, and \
         by ours, on BPM reports at the same ε. {rest}"
    )
}

/// What the reduced run leaves out.
pub const QUICK: &str = "8 runs a point with k-means, 4 with TK-means, 3 with the noise-aware server";
