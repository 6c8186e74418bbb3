//! Which data sets there are, and how near each is to the paper's.

/// How near a file is to what the paper used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The same rows.
    Exact,
    /// The same source with a small difference, described here.
    Near(&'static str),
    /// Some of the rows, described here.
    Partial(&'static str),
    /// A substitute data set, described here.
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
    /// Rows and attributes, without the column of classes: by these, another table under the same name is recognised.
    pub shape: (usize, usize),
    /// How many of the file's rows, from the first; all if none.
    pub rows: Option<usize>,
    /// How near it is to the paper's.
    pub standing: Standing,
    /// The file itself, where it is part of the program.
    pub(super) built_in: Option<&'static [u8]>,
}

const fn set(name: &'static str, title: &'static str, file: &'static str, shape: (usize, usize)) -> DataSet {
    DataSet { name, title, file, shape, rows: None, standing: Standing::Exact, built_in: None }
}

const ALL: [DataSet; 26] = [
    DataSet { built_in: Some(include_bytes!("../../data/iris.csv")), ..set("iris", "Iris", "iris.csv", (150, 4)) },
    DataSet { built_in: Some(include_bytes!("../../data/wine.csv")), ..set("wine", "Wine", "wine.csv", (178, 13)) },
    DataSet { built_in: Some(include_bytes!("../../data/wdbc.csv")), ..set("wdbc", "Wdbc", "wdbc.csv", (569, 30)) },
    DataSet {
        built_in: Some(include_bytes!("../../data/digits.csv")),
        ..set("digits", "Digits", "digits.csv", (1797, 64))
    },
    set("s1", "S1", "s1_su_processed.csv", (5000, 2)),
    DataSet {
        standing: Standing::Surrogate(
            "stand-in for Gowalla: 107,091 points drawn from a published histogram of check-ins, not the paper's unique places",
        ),
        ..set("gowalla", "Gowalla", "gowalla_surrogate_107091.csv.gz", (107_091, 2))
    },
    DataSet {
        standing: Standing::Surrogate(
            "stand-in for TIGER: 4,024 zip codes, shops and parks of the same two states, not 16,281 road crossings",
        ),
        ..set("tiger", "TIGER", "tiger_surrogate_wa_nm.csv", (4024, 2))
    },
    DataSet {
        standing: Standing::Near("another scan of the same picture: 33,925 colours instead of 34,112"),
        ..set("image", "Image", "house_rgb_sipi_unique.csv", (33_925, 3))
    },
    DataSet {
        standing: Standing::Near("48,842 rows, where the paper counts 48,841"),
        ..set("adult", "Adult-num", "adult_num.csv", (48_842, 6))
    },
    DataSet { rows: Some(32_561), ..set("adult-train", "Adult", "adult_num.csv", (48_842, 6)) },
    set("lifesci", "Lifesci", "lifesci.csv", (26_733, 10)),
    DataSet {
        standing: Standing::Near("4 attributes, without the class; the paper counts 5"),
        ..set("blood", "Blood", "blood_transfusion.csv", (748, 4))
    },
    set("tripadvisor", "Tripadvisor-review", "travel_reviews.csv", (980, 10)),
    set("electrical", "Electrical", "electrical_grid.csv", (10_000, 13)),
    set("review-ratings", "Review-ratings", "google_review_ratings.csv", (5454, 24)),
    DataSet {
        standing: Standing::Near("23 attributes, without the class; the paper counts 24"),
        ..set("credit-card", "Credit-card", "credit_card_default.csv.gz", (30_000, 23))
    },
    set("seeds", "Seeds", "seeds.csv", (210, 7)),
    set("travel", "Travel Review", "travel_reviews.csv", (980, 10)),
    DataSet {
        standing: Standing::Partial(
            "the first 5,000 of 434,874 rows, in file order: whole roads, not a sample of the area",
        ),
        ..set("road", "3D Road Network", "road3d_first5000.csv", (5000, 3))
    },
    set("aggregation", "Aggregation", "aggregation.csv", (788, 2)),
    set("pathbased", "Pathbased", "pathbased.csv", (300, 2)),
    DataSet {
        standing: Standing::Near(
            "made with 1,000 points and noise 0.05; the paper does not say how its moons were made",
        ),
        ..set("two-moons", "Two moons", "two_moons_1000.csv", (1000, 2))
    },
    set("gauss-2", "5 Gaussians, d = 2", "gauss_d2_k5.csv.gz", (10_000, 2)),
    set("gauss-5", "5 Gaussians, d = 5", "gauss_d5_k5.csv.gz", (10_000, 5)),
    set("gauss-10", "5 Gaussians, d = 10", "gauss_d10_k5.csv.gz", (10_000, 10)),
    set("s2", "S2", "s2.csv", (5000, 2)),
];

/// The data set of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static DataSet> {
    const CATALOGUE: &[DataSet] = &ALL;
    CATALOGUE.iter().find(|set| set.name == name)
}
