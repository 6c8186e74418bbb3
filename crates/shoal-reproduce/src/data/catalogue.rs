//! Which data sets there are, and how near each is to the paper's.

/// How near a file is to what the paper used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The same rows.
    Exact,
    /// The same source with a small difference, told here.
    Near(&'static str),
    /// Some of the rows, told here which.
    Partial(&'static str),
    /// Something else that stands in, told here what.
    Surrogate(&'static str),
}

impl Standing {
    /// What a plot must say about it.
    #[must_use]
    pub fn note(self) -> Option<&'static str> {
        match self {
            Self::Exact => None,
            Self::Near(note) | Self::Partial(note) | Self::Surrogate(note) => Some(note),
        }
    }

    /// Whether results can be held against the paper's numbers.
    #[must_use]
    pub fn is_comparable(self) -> bool {
        matches!(self, Self::Exact | Self::Near(_))
    }
}

/// A data set of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSet {
    /// Its name in keys and tables.
    pub name: &'static str,
    /// Its name on plots.
    pub title: &'static str,
    /// Its file.
    pub file: &'static str,
    /// How many of the file's rows, from the first; all if none.
    pub rows: Option<usize>,
    /// How near it is to the paper's.
    pub standing: Standing,
    /// The file itself, where it is part of the program.
    pub(super) built_in: Option<&'static [u8]>,
}

const fn set(name: &'static str, title: &'static str, file: &'static str) -> DataSet {
    DataSet { name, title, file, rows: None, standing: Standing::Exact, built_in: None }
}

const ALL: [DataSet; 26] = [
    DataSet { built_in: Some(include_bytes!("../../../../data/iris.csv")), ..set("iris", "Iris", "iris.csv") },
    DataSet { built_in: Some(include_bytes!("../../../../data/wine.csv")), ..set("wine", "Wine", "wine.csv") },
    DataSet { built_in: Some(include_bytes!("../../../../data/wdbc.csv")), ..set("wdbc", "Wdbc", "wdbc.csv") },
    DataSet { built_in: Some(include_bytes!("../../../../data/digits.csv")), ..set("digits", "Digits", "digits.csv") },
    set("s1", "S1", "s1_su_processed.csv"),
    DataSet {
        standing: Standing::Surrogate(
            "stand-in for Gowalla: 107,091 points drawn from a published histogram of check-ins, not the paper's unique places",
        ),
        ..set("gowalla", "Gowalla", "gowalla_surrogate_107091.csv.gz")
    },
    DataSet {
        standing: Standing::Surrogate(
            "stand-in for TIGER: 4,024 zip codes, shops and parks of the same two states, not 16,281 road crossings",
        ),
        ..set("tiger", "TIGER", "tiger_surrogate_wa_nm.csv")
    },
    DataSet {
        standing: Standing::Near("another scan of the same picture: 33,925 colours instead of 34,112"),
        ..set("image", "Image", "house_rgb_sipi_unique.csv")
    },
    DataSet {
        standing: Standing::Near("48,842 rows, where the paper counts 48,841"),
        ..set("adult", "Adult-num", "adult_num.csv")
    },
    DataSet { rows: Some(32_561), ..set("adult-train", "Adult", "adult_num.csv") },
    set("lifesci", "Lifesci", "lifesci.csv"),
    DataSet {
        standing: Standing::Near("4 attributes, without the class; the paper counts 5"),
        ..set("blood", "Blood", "blood_transfusion.csv")
    },
    set("tripadvisor", "Tripadvisor-review", "travel_reviews.csv"),
    set("electrical", "Electrical", "electrical_grid.csv"),
    set("review-ratings", "Review-ratings", "google_review_ratings.csv"),
    DataSet {
        standing: Standing::Near("23 attributes, without the class; the paper counts 24"),
        ..set("credit-card", "Credit-card", "credit_card_default.csv.gz")
    },
    set("seeds", "Seeds", "seeds.csv"),
    set("travel", "Travel Review", "travel_reviews.csv"),
    DataSet {
        standing: Standing::Partial(
            "the first 5,000 of 434,874 rows, in file order: whole roads, not a sample of the area",
        ),
        ..set("road", "3D Road Network", "road3d_first5000.csv")
    },
    set("aggregation", "Aggregation", "aggregation.csv"),
    set("pathbased", "Pathbased", "pathbased.csv"),
    DataSet {
        standing: Standing::Near(
            "made with 1,000 points and noise 0.05; the paper does not say how its moons were made",
        ),
        ..set("two-moons", "Two moons", "two_moons_1000.csv")
    },
    set("gauss-2", "5 Gaussians, d = 2", "gauss_d2_k5.csv.gz"),
    set("gauss-5", "5 Gaussians, d = 5", "gauss_d5_k5.csv.gz"),
    set("gauss-10", "5 Gaussians, d = 10", "gauss_d10_k5.csv.gz"),
    set("s2", "S2", "s2.csv"),
];

/// The data set of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static DataSet> {
    const CATALOGUE: &[DataSet] = &ALL;
    CATALOGUE.iter().find(|set| set.name == name)
}
