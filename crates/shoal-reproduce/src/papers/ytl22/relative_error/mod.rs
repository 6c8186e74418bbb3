//! Figs 1 to 3: RE against ε, a figure for each data set and a panel for each radius.

mod statements;

use super::setting::{
    AWARE, AWARE_DEFAULT, BASELINE, DEFAULT, DKDP, EPSILONS, LAPLACE, LAPLACE_METRIC, METRIC, Place, RADII, Set, aware,
    dkdp,
};
use crate::Failure;
use crate::chart::{Axis, Body, BoxGroup, Boxes, Chart, Panel};
use crate::figure::{Drawing, Figure, Info, Paper};
use crate::lab::{Cell, Lab, Results};
use crate::measure::crowd::Way;
use crate::statistics::Summary;

/// RE against ε on one data set.
pub struct RelativeError {
    /// The data set.
    pub set: Set,
}

/// The mean of BPM's reports with our radius: RE has no server in it.
const DEFAULT_MEANS: &str = "Ours: BPM with default L";

impl Figure for RelativeError {
    fn info(&self) -> Info {
        let (number, name) = match self.set {
            Set::Seeds => (1, "Seeds"),
            Set::Travel => (2, "Travel Review"),
            Set::Road => (3, "3D Road Network"),
        };
        Info {
            id: format!("yang22-fig{number}"),
            paper: Paper::Ytl22,
            label: format!("Fig. {number}"),
            title: format!("Relative error against ε on {name}"),
            protocol: format!(
                "50 runs a point, all shown as box plots; ε = 0.1, 0.5, 1, 2, 4, 8; a panel each for L = 2, 6, 10. \
                 The paper says that L is 2, 6 and 10 \"respectively\" in its three data sets, which may mean one L for each; \
                 here all three for each, as Fig. 1b and the \"various ε and L\" of Fig. 4 suggest. {} RE compares the \
                 records of each true cluster with the same people's reports, the reading that fits the printed values; the other reading is in the table as re_matched. The lower panels are \
                 ours: how far the centres that the server finds are from the true ones.",
                match self.set {
                    Set::Seeds | Set::Travel => "Bounds are the table's own limits, taken as public.",
                    Set::Road => "Bounds are the limits of the paper's area.",
                }
            ),
            quick: "10 runs a point, and 4 of the noise-aware server".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let place = Place::main(lab, self.set)?;
        let ways =
            RADII.iter().flat_map(|&radius| [dkdp(radius), aware(radius)]).chain([LAPLACE, LAPLACE_METRIC, DEFAULT]);
        let mut cells: Vec<Cell> =
            ways.flat_map(|way| EPSILONS.map(|epsilon| place.cell(lab.effort, way, epsilon))).collect();
        // The paper compares the gap on Travel Review with that on the others.
        if self.set == Set::Travel {
            for other in others(lab) {
                cells.extend(RADII.map(|radius| other.cell(lab.effort, dkdp(radius), EPSILONS[0])));
                cells.push(other.cell(lab.effort, LAPLACE, EPSILONS[0]));
            }
        }
        Ok(cells)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let place = Place::main(lab, self.set)?;
        let seen = Seen { place: &place, results };
        let mut panels = Vec::new();
        for radius in RADII {
            let series =
                [(DKDP, dkdp(radius)), (BASELINE, LAPLACE), (METRIC, LAPLACE_METRIC), (DEFAULT_MEANS, DEFAULT)];
            panels.push(seen.panel(format!("RE, L = {radius}"), "RE, same members (widths)", "re", &series)?);
        }
        for radius in RADII {
            let series = [(DKDP, dkdp(radius)), (BASELINE, LAPLACE), (AWARE, aware(radius)), (AWARE_DEFAULT, DEFAULT)];
            panels.push(seen.panel(format!("Centres found, L = {radius}"), "distance (widths)", "centres", &series)?);
        }
        let mut statements = vec![seen.falls()?, seen.below_baseline()?, seen.below_metric()?];
        match self.set {
            Set::Seeds => statements.push(seen.fig_1b()?),
            Set::Travel => statements.extend([seen.up_to_250()?, seen.largest_gap(&others(lab))?]),
            Set::Road => {}
        }
        let caveats = place.caveats();
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph: seen.paragraph()?, caveats })
    }
}

/// The data sets beside Travel Review that are there.
fn others(lab: &Lab) -> Vec<Place> {
    [Set::Seeds, Set::Road].into_iter().filter_map(|set| Place::main(lab, set).ok()).collect()
}

/// What was measured, by radius and budget.
struct Seen<'a> {
    place: &'a Place,
    results: &'a Results,
}

impl Seen<'_> {
    fn of(&self, way: Way, epsilon: &str, measure: &str) -> Result<Summary, Failure> {
        self.results.summary(&self.place.key(&way, epsilon), measure)
    }

    fn panel(&self, title: String, axis: &str, measure: &str, series: &[(&str, Way)]) -> Result<Panel, Failure> {
        let mut groups = Vec::new();
        for epsilon in EPSILONS {
            let one = |(name, way): &(&str, Way)| -> Result<_, Failure> {
                Ok((name.to_string(), self.results.get(&self.place.key(way, epsilon))?.values(measure)?))
            };
            let boxes = series.iter().map(one).collect::<Result<_, _>>()?;
            groups.push(BoxGroup { label: epsilon.to_string(), boxes });
        }
        let body = Body::Boxes(Boxes { x: "privacy budget ε".into(), y: Axis::log(axis), groups });
        Ok(Panel { title, note: self.place.note(), body })
    }
}
