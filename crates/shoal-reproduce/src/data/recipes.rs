//! Where each data set is in what the public offers for download.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::Failure;

/// How the fields of a line are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Commas.
    Commas,
    /// Blanks or tabs, any number of them.
    Blanks,
}

/// What the class is in the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// There is none.
    None,
    /// A number in this field.
    Number(usize),
    /// 1 where this field begins with these letters, and 0 elsewhere.
    Begins(usize, &'static str),
}

/// How a data set is converted.
pub struct Recipe {
    /// The table that it becomes.
    pub file: &'static str,
    /// The originals, one after the other, by the names under which the public has them.
    pub originals: &'static [&'static str],
    /// How fields are separated.
    pub between: Between,
    /// The fields that are attributes, and their names.
    pub columns: &'static [(usize, &'static str)],
    /// The class.
    pub class: Class,
    /// Whether each column is scaled to [−1, 1] between its own limits.
    pub scaled: bool,
    /// How many rows, from the first.
    pub most: usize,
}

/// Every data set that is converted from a download.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        file: "seeds.csv",
        originals: &["seeds_dataset.txt"],
        between: Between::Blanks,
        columns: &[
            (0, "area"),
            (1, "perimeter"),
            (2, "compactness"),
            (3, "kernel_length"),
            (4, "kernel_width"),
            (5, "asymmetry"),
            (6, "groove_length"),
        ],
        class: Class::Number(7),
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "travel_reviews.csv",
        originals: &["tripadvisor_review.csv"],
        between: Between::Commas,
        columns: &[
            (1, "art_galleries"),
            (2, "dance_clubs"),
            (3, "juice_bars"),
            (4, "restaurants"),
            (5, "museums"),
            (6, "resorts"),
            (7, "parks_picnic"),
            (8, "beaches"),
            (9, "theaters"),
            (10, "religious"),
        ],
        class: Class::None,
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "adult_num.csv",
        originals: &["adult.data", "adult.test"],
        between: Between::Commas,
        columns: &[
            (0, "age"),
            (2, "fnlwgt"),
            (4, "education_num"),
            (10, "capital_gain"),
            (11, "capital_loss"),
            (12, "hours_per_week"),
        ],
        class: Class::Begins(14, ">50K"),
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "blood_transfusion.csv",
        originals: &["transfusion.data"],
        between: Between::Commas,
        columns: &[(0, "recency"), (1, "frequency"), (2, "monetary"), (3, "time")],
        class: Class::Number(4),
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "electrical_grid.csv",
        originals: &["Data_for_UCI_named.csv"],
        between: Between::Commas,
        columns: &[
            (0, "tau1"),
            (1, "tau2"),
            (2, "tau3"),
            (3, "tau4"),
            (4, "p1"),
            (5, "p2"),
            (6, "p3"),
            (7, "p4"),
            (8, "g1"),
            (9, "g2"),
            (10, "g3"),
            (11, "g4"),
            (12, "stab"),
        ],
        class: Class::Begins(13, "unstable"),
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "aggregation.csv",
        originals: &["Aggregation.txt"],
        between: Between::Blanks,
        columns: &[(0, "x"), (1, "y")],
        class: Class::Number(2),
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "pathbased.csv",
        originals: &["pathbased.txt"],
        between: Between::Blanks,
        columns: &[(0, "x"), (1, "y")],
        class: Class::Number(2),
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "s1_su_processed.csv",
        originals: &["s1.txt"],
        between: Between::Blanks,
        columns: &[(0, "x"), (1, "y")],
        class: Class::None,
        scaled: true,
        most: usize::MAX,
    },
    Recipe {
        file: "lifesci.csv",
        originals: &["ds1.10.csv"],
        between: Between::Commas,
        columns: &[
            (0, "pc1"),
            (1, "pc2"),
            (2, "pc3"),
            (3, "pc4"),
            (4, "pc5"),
            (5, "pc6"),
            (6, "pc7"),
            (7, "pc8"),
            (8, "pc9"),
            (9, "pc10"),
        ],
        class: Class::Number(10),
        scaled: false,
        most: usize::MAX,
    },
    // Two users of the original have a field that is no number.
    Recipe {
        file: "google_review_ratings.csv",
        originals: &["google_review_ratings.original.csv"],
        between: Between::Commas,
        columns: &[
            (1, "churches"),
            (2, "resorts"),
            (3, "beaches"),
            (4, "parks"),
            (5, "theatres"),
            (6, "museums"),
            (7, "malls"),
            (8, "zoo"),
            (9, "restaurants"),
            (10, "pubs_bars"),
            (11, "local_services"),
            (12, "burger_pizza"),
            (13, "hotels"),
            (14, "juice_bars"),
            (15, "art_galleries"),
            (16, "dance_clubs"),
            (17, "swimming_pools"),
            (18, "gyms"),
            (19, "bakeries"),
            (20, "beauty_spas"),
            (21, "cafes"),
            (22, "view_points"),
            (23, "monuments"),
            (24, "gardens"),
        ],
        class: Class::None,
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "credit_card_default.csv.gz",
        originals: &["default of credit card clients.csv"],
        between: Between::Commas,
        columns: &[
            (1, "LIMIT_BAL"),
            (2, "SEX"),
            (3, "EDUCATION"),
            (4, "MARRIAGE"),
            (5, "AGE"),
            (6, "PAY_0"),
            (7, "PAY_2"),
            (8, "PAY_3"),
            (9, "PAY_4"),
            (10, "PAY_5"),
            (11, "PAY_6"),
            (12, "BILL_AMT1"),
            (13, "BILL_AMT2"),
            (14, "BILL_AMT3"),
            (15, "BILL_AMT4"),
            (16, "BILL_AMT5"),
            (17, "BILL_AMT6"),
            (18, "PAY_AMT1"),
            (19, "PAY_AMT2"),
            (20, "PAY_AMT3"),
            (21, "PAY_AMT4"),
            (22, "PAY_AMT5"),
            (23, "PAY_AMT6"),
        ],
        class: Class::Number(24),
        scaled: false,
        most: usize::MAX,
    },
    Recipe {
        file: "road3d_first5000.csv",
        originals: &["3D_spatial_network.txt"],
        between: Between::Commas,
        columns: &[(1, "longitude"), (2, "latitude"), (3, "altitude")],
        class: Class::None,
        scaled: false,
        most: 5000,
    },
];

impl Recipe {
    /// The table, from the originals in a folder. Lines without the fields of a record, such as headers and remarks, are left
    /// out.
    pub fn converted(&self, folder: &Path) -> Result<String, Failure> {
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for name in self.originals {
            let path = folder.join(name);
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let left = self.most.saturating_sub(rows.len());
            rows.extend(text.lines().filter_map(|line| self.record(line)).take(left));
        }
        if self.scaled {
            for column in 0..self.columns.len() {
                let values = rows.iter().map(|row| row[column]);
                let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
                rows.iter_mut().for_each(|row| row[column] = 2.0 * (row[column] - low) / (high - low) - 1.0);
            }
        }
        let mut names: Vec<&str> = self.columns.iter().map(|(_, name)| *name).collect();
        if self.class != Class::None {
            names.push("label");
        }
        let mut out = names.join(",") + "\n";
        for row in rows {
            let fields: Vec<String> = row.iter().map(f64::to_string).collect();
            let _ = writeln!(out, "{}", fields.join(","));
        }
        Ok(out)
    }

    fn record(&self, line: &str) -> Option<Vec<f64>> {
        let fields: Vec<&str> = match self.between {
            Between::Commas => line.split(',').map(|field| field.trim().trim_matches('"')).collect(),
            Between::Blanks => line.split_whitespace().collect(),
        };
        let number = |at: usize| fields.get(at)?.parse::<f64>().ok();
        let mut row = self.columns.iter().map(|(at, _)| number(*at)).collect::<Option<Vec<f64>>>()?;
        match self.class {
            Class::None => {}
            Class::Number(at) => row.push(number(at)?),
            Class::Begins(at, letters) => row.push(f64::from(u8::from(fields.get(at)?.starts_with(letters)))),
        }
        Some(row)
    }
}
