//! What a route has to work with, and what it brings back.

use shoal_privacy::{Amount, Epsilon};

use crate::Decision;
use crate::Evidence;
use crate::StepBudget;
use crate::Synopsis;
use crate::SynopsisKMeans;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::noise_size::{felt, pure_part};
use crate::auto::placed_cells::PlacedCells;
use crate::certainty::evidence::Stage;
use crate::{FitError, Watch};
use shoal_release::Releaser;

/// A route on its way.
pub struct Run<'a> {
    /// What turns steps into released numbers, and charges for them.
    pub releaser: &'a mut dyn Releaser,
    /// Who listens to how far it has come.
    pub watch: Watch<'a>,
    /// About how many rows there are: public, or bought.
    pub rows: f64,
    /// What the route may spend.
    pub budget: StepBudget,
    /// How cells are clustered.
    pub kmeans: SynopsisKMeans,
    /// When set, the number of clusters is chosen on the cells, up to this many.
    pub choose_up_to: Option<usize>,
    /// What was decided.
    pub decisions: Vec<Decision>,
}

impl Run<'_> {
    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.releaser.dims()
    }

    /// The budget whose noise, drawn once, is as large as that of this budget with all copies that the releaser adds: what
    /// plans and formulas go by.
    pub fn felt(&self) -> StepBudget {
        felt(&self.budget, self.releaser.copies())
    }

    /// By how much copies multiply the standard deviation of noise.
    pub fn louder(&self) -> f64 {
        f64::from(self.releaser.copies()).sqrt()
    }

    /// A part of the budget in thousandths.
    pub fn part(&self, thousandths: u64) -> StepBudget {
        self.budget.times(&Amount::ratio(thousandths, 1000))
    }

    /// A part of the budget in thousandths, for a mechanism with a pure loss.
    pub fn pure_part(&self, thousandths: u64) -> Result<Epsilon, FitError> {
        match self.part(thousandths) {
            StepBudget::Pure(epsilon) => Ok(epsilon),
            part @ StepBudget::Concentrated(_) => {
                // ε²/2 ≤ ρ must survive the rounding of the root.
                let root = pure_part(&part, 1.0) * (1.0 - 1e-12);
                let amount = Amount::from_shortest_decimal(root).map_err(|_| FitError::NoBudget)?;
                Ok(Epsilon::new(amount))
            }
        }
    }
}

/// The cells that a route released, before anything was decided on them.
pub struct ReleasedCells {
    /// Cells with noisy counts, as they are published.
    pub synopsis: Synopsis,
    /// The same cells with the expected number of rows in each, placed where these rows are expected.
    pub placed: PlacedCells,
    /// What is known of the attributes' distributions, which says where in a cell its rows are expected.
    pub laws: InformedCuts,
    /// How they came about, for releases of the same kind on made-up tables.
    pub stage: Stage,
}

/// What a route found, in box units.
pub struct Found {
    /// Centre after centre.
    pub centres: Vec<f64>,
    /// Variance of each coordinate's error, as far as it is known.
    pub variances: Vec<f64>,
    /// Noisy numbers of rows, and the standard deviation of their noise; empty when there are none.
    pub sizes: (Vec<f64>, Vec<f64>),
    /// Released cells.
    pub cells: Option<ReleasedCells>,
    /// Mean squared distance from the centres, as far as what was released tells.
    pub nicv: Option<f64>,
    /// Whether the rows divide into clusters at all, where cells show it.
    pub evidence: Option<Evidence>,
    /// The last round that refined the centres, where there was one.
    pub last_round: Option<LastRound>,
}

/// What the last round on the rows shows of how far centres still are from where more rounds would take them.
#[derive(Clone, Debug, PartialEq)]
pub struct LastRound {
    /// How many rounds there were.
    pub rounds: u32,
    /// How far the rows wanted to move each coordinate, without what noise accounts for.
    pub moved: Vec<f64>,
}

impl Found {
    /// Centres that noise has left no difference between fall together: `dims` attributes each.
    pub fn without_copies(mut self, dims: usize) -> Self {
        let mut kept: Vec<usize> = Vec::new();
        let same = |a: usize, b: usize, centres: &[f64]| {
            centres[a * dims..][..dims].iter().zip(&centres[b * dims..][..dims]).all(|(x, y)| (x - y).abs() < 1e-6)
        };
        let mut sizes: Vec<f64> = Vec::new();
        let mut squares: Vec<f64> = Vec::new();
        for j in 0..self.centres.len() / dims {
            let place = kept.iter().position(|&other| same(other, j, &self.centres));
            let (size, noise) = (self.sizes.0.get(j), self.sizes.1.get(j));
            match place {
                Some(place) => {
                    if let (Some(size), Some(noise)) = (size, noise) {
                        sizes[place] += size;
                        squares[place] += noise * noise;
                    }
                }
                None => {
                    kept.push(j);
                    sizes.extend(size);
                    squares.extend(noise.map(|noise| noise * noise));
                }
            }
        }
        let pick = |from: &[f64]| kept.iter().flat_map(|&j| from[j * dims..][..dims].to_vec()).collect();
        (self.centres, self.variances) = (pick(&self.centres), pick(&self.variances));
        self.sizes = (sizes, squares.iter().map(|square| square.sqrt()).collect());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_centres_become_one_with_all_their_rows() {
        let found = Found {
            centres: vec![0.1, 0.2, 0.5, 0.5, 0.1, 0.2],
            variances: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            sizes: (vec![10.0, 20.0, 30.0], vec![3.0, 1.0, 4.0]),
            cells: None,
            nicv: None,
            evidence: None,
            last_round: None,
        };
        let found = found.without_copies(2);
        assert_eq!(found.centres, [0.1, 0.2, 0.5, 0.5]);
        assert_eq!(found.variances, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(found.sizes, (vec![40.0, 20.0], vec![5.0, 1.0]));
    }
}
