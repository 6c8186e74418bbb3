//! From a download of a public data set to the table that the figures read, and a check that it is the right one.
//!
//! A converted table is checked by its numbers, whatever their spelling: the first bytes of the SHA-256 of all values as
//! little-endian doubles, row by row, the class last.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use shoal_files::{DataError, ReadOptions, Silent, Source, Table};

use super::all;
use super::recipes::RECIPES;
use crate::Failure;

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
                    let bytes = packed(set.file, recipe.converted(folder)?)?;
                    fs::write(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))?;
                    judged(set.file, bytes, State::Converted)
                }
                None => State::Absent(originals),
            }
        };
        checked.push(Checked { file: set.file, title: set.title, state });
    }
    Ok(checked)
}

/// Packed where the name of the file says so.
fn packed(file: &str, text: String) -> Result<Vec<u8>, Failure> {
    if !file.ends_with(".gz") {
        return Ok(text.into_bytes());
    }
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes())?;
    Ok(packer.finish()?)
}

/// What the numbers of a file on record come to.
#[must_use]
pub fn on_record(file: &str) -> Option<&'static str> {
    DIGESTS.iter().find(|(name, _)| *name == file).map(|(_, digest)| *digest)
}

fn judged(file: &str, bytes: Vec<u8>, right: State) -> State {
    let wanted = on_record(file);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DataRoom;

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
        let roads: String = (0..5003).map(|at| format!("144552912,9.{at},56.7408757,17.05\n")).collect();
        fs::write(folder.path().join("3D_spatial_network.txt"), roads).unwrap();
        let user = |name: &str, last: &str| format!("User {name},{}{last},\n", "1.5,".repeat(23));
        let users = format!("User,Category 1\n{}{}{}", user("1", "2"), user("2", "2\t2."), user("3", ""));
        fs::write(folder.path().join("google_review_ratings.original.csv"), users).unwrap();
        let client = format!("ID,LIMIT_BAL\n1,{}7,1\n", "20,".repeat(22));
        fs::write(folder.path().join("default of credit card clients.csv"), client).unwrap();
        let found = super::folder(folder.path()).unwrap();
        let state = |file: &str| found.iter().find(|checked| checked.file == file).unwrap().state.clone();
        // Converted, and not the whole table.
        assert!(matches!(state("blood_transfusion.csv"), State::Other(_)));
        let text = fs::read_to_string(folder.path().join("blood_transfusion.csv")).unwrap();
        assert_eq!(text, "recency,frequency,monetary,time,label\n2,50,12500,98,1\n0,13,3250,28,1\n");
        let text = fs::read_to_string(folder.path().join("adult_num.csv")).unwrap();
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), ["39,77516,13,2174,0,40,0", "50,83311,13,0,0,13,1"]);
        assert!(matches!(state("seeds.csv"), State::Other(_)));
        let text = fs::read_to_string(folder.path().join("road3d_first5000.csv")).unwrap();
        assert_eq!((text.lines().count(), text.lines().nth(1)), (5001, Some("9,56.7408757,17.05")), "the first rows");
        let text = fs::read_to_string(folder.path().join("google_review_ratings.csv")).unwrap();
        assert_eq!(text.lines().count(), 2, "without the two users that have no number somewhere: {text}");
        let room = DataRoom::new(Some(folder.path().into()));
        let card = room.get("credit-card-class").unwrap();
        assert_eq!((card.rows(), card.values[22], card.values[23]), (1, 7.0, 1.0), "packed, and read again");
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
