//! A figure or table of a paper: what it needs, how it is drawn, and whether it was reproduced.

use serde::Serialize;

use crate::Failure;
use crate::chart::Chart;
use crate::lab::{Cell, Lab, Results};

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
    /// It did.
    Holds,
    /// In part.
    Partly,
    /// It did not.
    Fails,
    /// It could not be tried, for want of data.
    Untried,
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
}

impl Statement {
    /// A statement with its verdict.
    #[must_use]
    pub fn judged(says: impl Into<String>, verdict: Verdict, found: impl Into<String>) -> Self {
        Self { says: says.into(), verdict, found: found.into(), ours: false }
    }

    /// The same as a remark of ours, which is no reason for or against the figure.
    #[must_use]
    pub fn ours(self) -> Self {
        Self { ours: true, ..self }
    }

    /// A statement that was tried in several places: it holds where it held in all of them, and in part where it held in at
    /// least a third.
    #[must_use]
    pub fn counted(says: impl Into<String>, held: usize, tried: usize, found: impl Into<String>) -> Self {
        let verdict = match (held, tried) {
            (_, 0) => Verdict::Untried,
            (held, tried) if held == tried => Verdict::Holds,
            (held, tried) if 3 * held >= tried => Verdict::Partly,
            _ => Verdict::Fails,
        };
        Self::judged(says, verdict, found)
    }
}

/// Whether a figure was reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All that the paper says of it holds here.
    Reproduced,
    /// Some of it.
    Partly,
    /// None of it.
    Not,
}

impl Status {
    /// As a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::Not => "not",
        }
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

impl Drawing {
    /// Whether the figure was reproduced, and in a few words why not if it did not.
    #[must_use]
    pub fn status(&self) -> (Status, String) {
        let of_paper = || self.statements.iter().filter(|s| !s.ours);
        let count = |verdict: Verdict| of_paper().filter(|s| s.verdict == verdict).count();
        let (holds, partly) = (count(Verdict::Holds), count(Verdict::Partly));
        let status = if holds + partly == 0 {
            Status::Not
        } else if holds == of_paper().count() && self.caveats.is_empty() {
            Status::Reproduced
        } else {
            Status::Partly
        };
        let open = of_paper().filter(|s| s.verdict != Verdict::Holds);
        let why: Vec<&str> = open.map(|s| &*s.found).chain(self.caveats.iter().map(|s| &**s)).collect();
        (status, if status == Status::Reproduced { String::new() } else { why.join("; ") })
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
}
