//! Words around numbers and names.

/// A count with its noun: `1 row`, `2 rows`.
#[must_use]
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `1, 2 and 3`.
#[must_use]
pub fn listed<S: AsRef<str>>(items: &[S]) -> String {
    let joined = |items: &[S]| items.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {}", joined(rest), last.as_ref()),
        Some((last, _)) => last.as_ref().into(),
        None => String::new(),
    }
}

/// The first `most` names of many, separated by commas: `a, b and 7 more`. Control characters are replaced.
#[must_use]
pub fn first_few<S: AsRef<str>>(items: &[S], most: usize) -> String {
    let named = items.iter().take(most).map(|name| printable(name.as_ref())).collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Text without control characters, which could do anything to a terminal, and without marks that turn the direction of
/// writing, which show other text than there is.
#[must_use]
pub fn printable(text: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_a_line = |c: char| matches!(c, '\u{2028}' | '\u{2029}');
    text.chars().map(|c| if c.is_control() || turns(c) || ends_a_line(c) { '\u{fffd}' } else { c }).collect()
}

/// The beginning of a long text: at most `most` characters and an ellipsis.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// A word of a command line, in quotation marks where a shell needs them.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// A text as a cell of a CSV file, in quotation marks where it needs them.
#[must_use]
pub fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { csv_quoted(text) } else { text.into() }
}

/// The same, always in quotation marks.
#[must_use]
pub fn csv_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sentences() {
        assert_eq!(listed(&["1", "2", "3"]), "1, 2 and 3");
        assert_eq!((listed(&["1"]), listed::<&str>(&[])), ("1".into(), String::new()));
        assert_eq!(first_few(&["a", "b\u{7}", "c"], 2), "a, b\u{fffd} and 1 more");
        assert_eq!(plural(1, "row") + ", " + &plural(0, "column"), "1 row, 0 columns");
    }

    #[test]
    fn words_survive_a_shell_and_a_table() {
        assert_eq!(shell_word("age=17:90,hours=1:99"), "age=17:90,hours=1:99");
        assert_eq!(shell_word("it's mine"), "'it'\\''s mine'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_cell("plain"), "plain");
    }

    #[test]
    fn long_texts_end_with_a_sign() {
        assert_eq!(shortened("several words", 8), "several…");
        assert_eq!(shortened("some", 4), "some");
    }
}
