//! Names of data sets: what is allowed, and which one was probably meant.

use shoal_privacy::is_unprintable;

use crate::error::LedgerError;

/// Characters that a data set's name may have at most.
pub const LONGEST_NAME: usize = 200;

/// How many names an error message offers.
const MOST_OFFERED: usize = 3;

/// Refuses names that no ledger can hold.
pub(crate) fn check(name: &str) -> Result<(), LedgerError> {
    match name.chars().count() {
        0 => Err(LedgerError::NoName),
        length if length > LONGEST_NAME => Err(LedgerError::LongName { length }),
        _ => Ok(()),
    }
}

/// The error for a name that is not in the ledger, with the names that resemble it or, if none does, a few others.
pub(crate) fn unknown(name: &str, known: &[String]) -> LedgerError {
    let wanted = folded(name);
    let mut close: Vec<(usize, &String)> = known
        .iter()
        .map(|candidate| (distance(&wanted, &folded(candidate)), candidate))
        .filter(|(edits, _)| *edits <= (wanted.len() / 3).max(1))
        .collect();
    close.sort();
    let close = close.into_iter().take(MOST_OFFERED).map(|(_, name)| name.clone()).collect();
    let known = known.iter().take(MOST_OFFERED).cloned().collect();
    LedgerError::UnknownDataset { dataset: name.into(), close, known }
}

/// A name in quotation marks, with control characters and marks of direction made visible so that it cannot play tricks on a terminal.
pub(crate) fn quoted(name: &str) -> String {
    let mut text = String::from("“");
    for character in name.chars() {
        if is_unprintable(character) { text.extend(character.escape_default()) } else { text.push(character) }
    }
    text + "”"
}

fn folded(name: &str) -> Vec<char> {
    name.to_lowercase().chars().filter(|c| !matches!(c, ' ' | '-' | '_' | '.')).collect()
}

/// Levenshtein's distance: letters inserted, deleted or replaced.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn distances() {
        for (a, b, edits) in [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("é", "e", 1)]
        {
            assert_eq!(distance(&letters(a), &letters(b)), edits, "{a} {b}");
            assert_eq!(distance(&letters(b), &letters(a)), edits, "{b} {a}");
        }
    }

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let known = ["patients-2024".to_string(), "patients-2025".into(), "visits".into()];
        let message = unknown("Patients 2024", &known).to_string();
        assert!(message.contains("did you mean “patients-2024”"), "{message}");
        let message = unknown("vists", &known).to_string();
        assert!(message.contains("did you mean “visits”?"), "{message}");
        let message = unknown("roads", &known).to_string();
        assert!(message.contains("it has “patients-2024”"), "{message}");
        let message = unknown("roads", &[]).to_string();
        assert!(message.contains("no data set yet"), "{message}");
    }

    #[test]
    fn names_have_one_to_two_hundred_characters() {
        assert!(matches!(check(""), Err(LedgerError::NoName)));
        assert!(check(&"ü".repeat(LONGEST_NAME)).is_ok());
        assert!(matches!(check(&"ü".repeat(LONGEST_NAME + 1)), Err(LedgerError::LongName { length: 201 })));
        assert!(check("\0").is_ok());
        assert_eq!(quoted("a\u{1b}[2J\n"), "“a\\u{1b}[2J\\n”");
    }
}
