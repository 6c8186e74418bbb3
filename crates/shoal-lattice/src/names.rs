//! Column names in messages: the nearest known name, and short lists.
//!
//! A table without a header row has a record where its names should be. Lists of names are therefore only shown when
//! none of them is a number, so that a message does not repeat what may be somebody's record.

/// At most this many names go into one message.
const SHOWN: usize = 20;

/// At most this many characters of a name are compared.
const COMPARED: usize = 64;

/// The known name closest to `wanted`, if it is close enough for a typing error, or else one that begins with `wanted`.
pub fn nearest<'a>(wanted: &str, known: &'a [String]) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let longer = || known.iter().find(|name| wanted.len() >= 3 && name.to_lowercase().starts_with(&wanted));
    known
        .iter()
        .map(|name| (distance(&wanted, &name.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 4)
        .map(|(_, name)| name)
        .or_else(longer)
        .map(String::as_str)
}

/// ` Did you mean ...?` or nothing, and the columns there are.
pub fn known_names(wanted: &str, known: &[String]) -> String {
    if known.iter().any(|name| looks_numeric(name)) {
        return " The first row of the table holds numbers, so it may not be a header; its text is not repeated here."
            .into();
    }
    match nearest(wanted, known) {
        Some(name) => format!(" Did you mean `{name}`? The columns are: {}.", listed(known)),
        None => format!(" The columns are: {}.", listed(known)),
    }
}

/// Names separated by commas, cut off after a screenful.
pub fn listed(names: &[String]) -> String {
    let mut text = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// Whether a name reads as a number, which a record's value does and a column's name rarely does.
pub fn looks_numeric(name: &str) -> bool {
    name.trim().parse::<f64>().is_ok()
}

/// Edit distance (insertions, deletions, substitutions) of the first characters, so that hostile names cost nothing.
fn distance(a: &str, b: &str) -> usize {
    let start = |text: &str| text.chars().take(COMPARED).collect::<String>();
    strsim::levenshtein(&start(a), &start(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn a_slip_finds_its_column() {
        let known = names(&["age", "hours", "capital_gain"]);
        assert_eq!(nearest("Age", &known), Some("age"));
        assert_eq!(nearest("capitalgain", &known), Some("capital_gain"));
        assert_eq!(nearest("zebra", &known), None);
        assert_eq!(nearest("age", &[]), None);
    }

    #[test]
    fn long_names_are_compared_by_their_beginning() {
        let (a, b) = ("x".repeat(64) + "a", "x".repeat(64) + "bcd");
        assert_eq!(distance(&a, &b), 0);
        assert_eq!(distance("größe", "grösse"), 2);
    }

    #[test]
    fn what_may_be_a_record_is_not_listed() {
        let text = known_names("age", &names(&["Alice", "34"]));
        assert!(!text.contains("Alice") && !text.contains("34"), "{text}");
    }

    #[test]
    fn long_lists_are_cut() {
        let many: Vec<String> = (0..50).map(|i| format!("c{i}")).collect();
        assert!(listed(&many).ends_with("c19 and 30 more"));
    }
}
