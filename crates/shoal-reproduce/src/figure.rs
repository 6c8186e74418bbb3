//! A figure or table of a paper: what it needs, how it is drawn, and whether it was reproduced.

use serde::Serialize;

use crate::Failure;
use crate::chart::Chart;
use crate::data::Grade;
use crate::lab::{Cell, Lab, Results};
use crate::verdict::Privacy;

/// Whose figure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Paper {
    /// Su, Cao, Li, Bertino, Jin 2016.
    Scl16,
    /// Ni, Qiao, Chen, Zhang, Zhong 2021.
    Nqc21,
    /// Yang, Tjuawinata, Lam 2022.
    Ytl22,
    /// Chen, Lei, Zhu, Zhu, Zhang 2025.
    Clz25,
    /// Sun, Zhao, Ye 2019.
    Szy19,
    /// Shoal's own.
    Shoal,
}

impl Paper {
    /// All, in the order of the list.
    pub const ALL: [Self; 6] = [Self::Scl16, Self::Nqc21, Self::Ytl22, Self::Clz25, Self::Szy19, Self::Shoal];

    /// The key of the paper, as in `papers/`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Scl16 => "SCL16",
            Self::Nqc21 => "NQC21",
            Self::Ytl22 => "YTL22",
            Self::Clz25 => "CLZ25",
            Self::Szy19 => "SZY19",
            Self::Shoal => "Shoal",
        }
    }

    /// What the names of its figures begin with.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Scl16 => "su16",
            Self::Nqc21 => "ni21",
            Self::Ytl22 => "yang22",
            Self::Clz25 => "chen25",
            Self::Szy19 => "sun19",
            Self::Shoal => "shoal",
        }
    }

    /// Authors, short title and year.
    #[must_use]
    pub fn citation(self) -> &'static str {
        match self {
            Self::Scl16 => "Su, Cao, Li, Bertino, Jin: Differentially Private k-Means Clustering, 2016",
            Self::Nqc21 => {
                "Ni, Qiao, Chen, Zhang, Zhong: Utility-efficient Differentially Private K-means Clustering based on Cluster Merging, 2021"
            }
            Self::Ytl22 => {
                "Yang, Tjuawinata, Lam: K-Means Clustering with Local d_χ-Privacy for Privacy-Preserving Data Analysis, 2022"
            }
            Self::Clz25 => {
                "Chen, Lei, Zhu, Zhu, Zhang: BPGT, a Privacy-Preserving K-Means Clustering Framework with Local d_χ-privacy, 2025"
            }
            Self::Szy19 => {
                "Sun, Zhao, Ye: Distributed Clustering in the Anonymized Space with Local Differential Privacy, 2019"
            }
            Self::Shoal => "Shoal's own comparison",
        }
    }
}

/// What is known of a figure before it is measured.
#[derive(Clone, Debug, Serialize)]
pub struct Info {
    /// The name that the command takes, such as `su16-fig1`.
    pub id: String,
    /// Whose it is.
    pub paper: Paper,
    /// What the paper calls it: `Fig. 1`, `Table III`.
    pub label: String,
    /// What it shows, in a few words.
    pub title: String,
    /// How the paper measured it: runs, starts, grids.
    pub protocol: String,
    /// What a reduced run leaves out of it.
    pub quick: String,
}

/// Whether something that a paper says was found here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It was.
    Holds,
    /// In some places, and clearly not in others.
    Partly,
    /// It was not.
    Fails,
    /// Differences are within the errors: a tie, for want of runs.
    Undecided,
    /// It could not be tried, for want of data.
    Untried,
}

/// In how many places a statement was tried, and how it went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// It held beyond errors.
    pub held: usize,
    /// Nothing could be distinguished.
    pub tied: usize,
    /// The opposite held beyond errors.
    pub against: usize,
}

impl Places {
    /// In how many places it was tried.
    #[must_use]
    pub fn tried(self) -> usize {
        self.held + self.tied + self.against
    }

    /// The one rule for statements about several places: such a statement holds when it is never contradicted beyond errors
    /// and is clear in more than half of the places; without a contradiction but clear in fewer it is undecided. Contradicted,
    /// it holds in part when it is clear in a third of the places at least, and fails otherwise.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            places if places.tried() == 0 => Verdict::Untried,
            Self { held, against: 0, .. } if 2 * held > self.tried() => Verdict::Holds,
            Self { against: 0, .. } => Verdict::Undecided,
            Self { held, .. } if 3 * held >= self.tried() => Verdict::Partly,
            _ => Verdict::Fails,
        }
    }

    /// The same for a statement about most places, which exceptions do not contradict: it holds when it is clear in more
    /// than `share` of them, and is undecided when ties could make it so.
    #[must_use]
    pub fn in_most(self, share: f64) -> Verdict {
        let enough = |count: usize| count as f64 > share * self.tried() as f64;
        match self {
            places if places.tried() == 0 => Verdict::Untried,
            Self { held, .. } if enough(held) => Verdict::Holds,
            Self { held, tied, .. } if enough(held + tied) => Verdict::Undecided,
            Self { held, .. } if 3 * held >= self.tried() => Verdict::Partly,
            _ => Verdict::Fails,
        }
    }
}

impl std::ops::AddAssign for Places {
    fn add_assign(&mut self, other: Self) {
        self.held += other.held;
        self.tied += other.tied;
        self.against += other.against;
    }
}

impl std::iter::Sum for Places {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, places| {
            sum += places;
            sum
        })
    }
}

impl std::fmt::Display for Places {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { held, tied, against } = self;
        write!(f, "clear in {held} of {}, contradicted in {against}, {tied} within the errors", self.tried())
    }
}

/// Something that a paper says about a figure, and what was found.
#[derive(Clone, Debug, Serialize)]
pub struct Statement {
    /// What the paper says, in our words.
    pub says: String,
    /// Whether it holds here.
    pub verdict: Verdict,
    /// What was measured, with figures.
    pub found: String,
    /// Whether it is a remark of ours rather than the paper's: shown, and no reason for or against the figure.
    pub ours: bool,
    /// Whether it is what the figure is there for.
    pub headline: bool,
    /// Whether it is about the privacy guarantee. It is judged apart from utility.
    pub privacy: bool,
}

impl Statement {
    /// A statement with its verdict.
    #[must_use]
    pub fn judged(says: impl Into<String>, verdict: Verdict, found: impl Into<String>) -> Self {
        Self { says: says.into(), verdict, found: found.into(), ours: false, headline: false, privacy: false }
    }

    /// The same as a remark of ours, which is no reason for or against the figure.
    #[must_use]
    pub fn ours(self) -> Self {
        Self { ours: true, ..self }
    }

    /// The same as what the figure is there for. Without one it is the first statement about utility.
    #[must_use]
    pub fn headline(self) -> Self {
        Self { headline: true, ..self }
    }

    /// The same as a statement about the privacy guarantee.
    #[must_use]
    pub fn privacy(self) -> Self {
        Self { privacy: true, ..self }
    }

    /// A statement that was tried in several places.
    #[must_use]
    pub fn over(says: impl Into<String>, places: Places, found: impl Into<String>) -> Self {
        Self::judged(says, places.verdict(), found)
    }

    /// A statement that was tried in several places where nothing is a tie.
    #[must_use]
    pub fn counted(says: impl Into<String>, held: usize, tried: usize, found: impl Into<String>) -> Self {
        Self::over(says, Places { held, tied: 0, against: tried.saturating_sub(held) }, found)
    }

    /// True for what counts for or against the paper's figure.
    #[must_use]
    pub fn is_of_paper(&self) -> bool {
        !self.ours && !self.privacy
    }
}

/// What the error about a data set that is not there says after its name.
pub(crate) const MISSING: &str = " is missing: ";

/// A figure that was measured.
pub struct Drawing {
    /// The picture.
    pub chart: Chart,
    /// What the paper says of it, and what was found.
    pub statements: Vec<Statement>,
    /// One honest paragraph: whether the paper's message holds here.
    pub paragraph: String,
    /// What is not in it for want of data, and which data sets are substitutes.
    pub caveats: Vec<String>,
}

impl Drawing {
    /// The data sets that are missing.
    #[must_use]
    pub fn missing(&self) -> Vec<&str> {
        self.caveats.iter().filter_map(|caveat| caveat.split_once(MISSING).map(|(title, _)| title)).collect()
    }
}

/// A figure or table.
pub trait Figure: Send + Sync {
    /// What is known of it beforehand.
    fn info(&self) -> Info;

    /// The cells that it needs. Data that are not there are left out, and named by [`Self::draw`]; an error if none are.
    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure>;

    /// The picture, and what it says.
    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure>;

    /// How near data are that come from no data set: those that the figure makes itself. As the paper made them, unless a
    /// figure says that the paper does not tell how.
    fn generated(&self) -> Grade {
        Grade::Exact
    }

    /// What is known of the privacy claim of the methods in it, from proof and audit (the paper's page in `papers/`), where no
    /// statement of the figure measures it.
    fn privacy(&self) -> Privacy {
        match self.info().paper {
            Paper::Scl16 | Paper::Nqc21 | Paper::Ytl22 => Privacy::True,
            Paper::Clz25 | Paper::Szy19 => Privacy::False,
            Paper::Shoal => Privacy::NoClaim,
        }
    }
}
