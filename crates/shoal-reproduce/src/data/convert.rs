//! From a download of a public data set to the table that the figures read, and a check that it is the right one.
//!
//! A converted table is checked by its numbers, whatever their spelling: the first bytes of the SHA-256 of all values as
//! little-endian doubles, row by row, the class last.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};
use shoal_files::{DataError, ReadOptions, Silent, Source, Table};

use super::all;
use crate::Failure;

/// How the fields of a line are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    /// Commas.
    Commas,
    /// Blanks or tabs, any number of them.
    Blanks,
}

/// What the class is in the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// There is none.
    None,
    /// A number in this field.
    Number(usize),
    /// 1 where this field begins with these letters, and 0 elsewhere.
    Begins(usize, &'static str),
}

/// How a data set is converted.
struct Recipe {
    /// The table that it becomes.
    file: &'static str,
    /// The originals, one after the other, by the names under which the public has them.
    originals: &'static [&'static str],
    between: Between,
    /// The fields that are attributes, and their names.
    columns: &'static [(usize, &'static str)],
    class: Class,
    /// Whether each column is scaled to [−1, 1] between its own limits.
    scaled: bool,
}

/// What the numbers of each table come to.
const DIGESTS: [(&str, &str); 20] = [
    ("s1_su_processed.csv", "8f7d84b63fb56d6e"),
    ("gowalla_surrogate_107091.csv.gz", "c34f2062a0d45587"),
    ("tiger_surrogate_wa_nm.csv", "8d5fc5dd7f419e40"),
    ("house_rgb_sipi_unique.csv", "37354bf03ad804ff"),
    ("adult_num.csv", "fc5483e4cf066961"),
    ("lifesci.csv", "53fe9c29c2ecde71"),
    ("blood_transfusion.csv", "8d3ce7c5545b8f31"),
    ("travel_reviews.csv", "607347c16e3b1226"),
    ("electrical_grid.csv", "f1f062f9ad6eb248"),
    ("google_review_ratings.csv", "7fd0cecbde2567ff"),
    ("credit_card_default.csv.gz", "9c3c9ae60f343b5f"),
    ("seeds.csv", "1df01b571e636d41"),
    ("road3d_first5000.csv", "11820b3b87eeea6e"),
    ("aggregation.csv", "c2059bf915b7ea72"),
    ("pathbased.csv", "836bb07d700a55b8"),
    ("two_moons_1000.csv", "6a9dcb3322dcfc55"),
    ("gauss_d2_k5.csv.gz", "1fcfb3c55baf2553"),
    ("gauss_d5_k5.csv.gz", "bfab4e1517cc9be6"),
    ("gauss_d10_k5.csv.gz", "bae58a554b3fa927"),
    ("s2.csv", "d760e0781f7af660"),
];

const RECIPES: &[Recipe] = &[
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
    },
    Recipe {
        file: "blood_transfusion.csv",
        originals: &["transfusion.data"],
        between: Between::Commas,
        columns: &[(0, "recency"), (1, "frequency"), (2, "monetary"), (3, "time")],
        class: Class::Number(4),
        scaled: false,
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
    },
    Recipe {
        file: "aggregation.csv",
        originals: &["Aggregation.txt"],
        between: Between::Blanks,
        columns: &[(0, "x"), (1, "y")],
        class: Class::Number(2),
        scaled: false,
    },
    Recipe {
        file: "pathbased.csv",
        originals: &["pathbased.txt"],
        between: Between::Blanks,
        columns: &[(0, "x"), (1, "y")],
        class: Class::Number(2),
        scaled: false,
    },
    Recipe {
        file: "s1_su_processed.csv",
        originals: &["s1.txt"],
        between: Between::Blanks,
        columns: &[(0, "x"), (1, "y")],
        class: Class::None,
        scaled: true,
    },
];

/// What was found or done about a data set.
pub struct Checked {
    /// Its file.
    pub file: &'static str,
    /// Its name on plots.
    pub title: &'static str,
    /// What came out.
    pub state: State,
}

/// Whether a table is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is the table on record.
    Right,
    /// It was converted just now and is the table on record.
    Converted,
    /// It is there and has other numbers.
    Other(String),
    /// It is not there; these originals would make it, if any do.
    Absent(&'static [&'static str]),
}

/// Converts what originals are in the folder and checks all tables there.
pub fn folder(folder: &Path) -> Result<Vec<Checked>, Failure> {
    let mut checked: Vec<Checked> = Vec::new();
    for set in all().iter().filter(|set| set.built_in.is_none()) {
        if checked.iter().any(|other| other.file == set.file) {
            continue;
        }
        let path = folder.join(set.file);
        let recipe = RECIPES.iter().find(|recipe| recipe.file == set.file);
        let originals = recipe.map_or(&[][..], |recipe| recipe.originals);
        let state = if path.exists() {
            judged(set.file, fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?, State::Right)
        } else {
            match recipe.filter(|recipe| recipe.originals.iter().all(|name| folder.join(name).exists())) {
                Some(recipe) => {
                    let text = recipe.converted(folder)?;
                    fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
                    judged(set.file, text.into_bytes(), State::Converted)
                }
                None => State::Absent(originals),
            }
        };
        checked.push(Checked { file: set.file, title: set.title, state });
    }
    Ok(checked)
}

fn judged(file: &str, bytes: Vec<u8>, right: State) -> State {
    let wanted = DIGESTS.iter().find(|(name, _)| *name == file).map(|(_, digest)| *digest);
    match digest_of_values(bytes) {
        Ok(found) if wanted == Some(&*found) => right,
        Ok(found) => {
            State::Other(format!("its numbers come to {found} instead of {}", wanted.unwrap_or("nothing known")))
        }
        Err(error) => State::Other(error.to_string()),
    }
}

/// The first bytes of the SHA-256 of all numbers of a table with a header, packed or not, as little-endian doubles.
pub fn digest_of_values(bytes: Vec<u8>) -> Result<String, Failure> {
    let table = Table::open(Source::Memory(bytes), &ReadOptions::default())?;
    let columns = table.columns().len();
    let mut hash = Sha256::new();
    table.for_each_batch(4096, &Silent, |batch| {
        for row in 0..batch.column(0).len() {
            (0..columns).for_each(|column| hash.update(batch.column(column)[row].to_le_bytes()));
        }
        Ok::<(), DataError>(())
    })?;
    Ok(hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Recipe {
    /// The table, from the originals in a folder. Lines without the fields of a record, such as headers and remarks, are left
    /// out.
    fn converted(&self, folder: &Path) -> Result<String, Failure> {
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for name in self.originals {
            let path = folder.join(name);
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            rows.extend(text.lines().filter_map(|line| self.record(line)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn originals_become_tables_and_other_numbers_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("transfusion.data"), "Recency,Frequency\n2,50,12500,98,1\n0,13,3250,28,1\n")
            .unwrap();
        fs::write(
            folder.path().join("adult.data"),
            "39, State-gov, 77516, Bachelors, 13, x, x, x, x, x, 2174, 0, 40, US, <=50K\n",
        )
        .unwrap();
        fs::write(
            folder.path().join("adult.test"),
            "|1x3 Cross validator\n50, x, 83311, x, 13, x, x, x, x, x, 0, 0, 13, US, >50K.\n",
        )
        .unwrap();
        fs::write(folder.path().join("seeds.csv"), "a,b\n1,2\n").unwrap();
        let found = super::folder(folder.path()).unwrap();
        let state = |file: &str| found.iter().find(|checked| checked.file == file).unwrap().state.clone();
        // Converted, and not the whole table.
        assert!(matches!(state("blood_transfusion.csv"), State::Other(_)));
        let text = fs::read_to_string(folder.path().join("blood_transfusion.csv")).unwrap();
        assert_eq!(text, "recency,frequency,monetary,time,label\n2,50,12500,98,1\n0,13,3250,28,1\n");
        let text = fs::read_to_string(folder.path().join("adult_num.csv")).unwrap();
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), ["39,77516,13,2174,0,40,0", "50,83311,13,0,0,13,1"]);
        assert!(matches!(state("seeds.csv"), State::Other(_)));
        assert_eq!(state("s1_su_processed.csv"), State::Absent(&["s1.txt"]));
        assert_eq!(state("gauss_d2_k5.csv.gz"), State::Absent(&[]));
    }

    #[test]
    fn numbers_count_and_not_their_spelling() {
        let digest = |text: &str| digest_of_values(text.as_bytes().to_vec());
        assert_eq!(digest("x\n1.0\n2\n").unwrap(), digest("y\n1\n2.00\n").unwrap());
        assert_ne!(digest("x\n1.0\n2\n").unwrap(), digest("x\n2\n1\n").unwrap());
        assert!(digest("x\nmany\n").is_err());
    }

    #[test]
    fn every_table_has_a_digest() {
        for set in all().iter().filter(|set| set.built_in.is_none()) {
            assert!(DIGESTS.iter().any(|(file, _)| *file == set.file), "{}", set.file);
        }
    }
}
