//! Characters that have no place in a name on a screen.

/// Whether a character can make a screen show something other than the text it belongs to: control characters, which
/// terminals obey, and marks that turn the direction of writing, which show the letters after them in another order.
///
/// ```
/// use shoal_privacy::is_unprintable;
/// assert!("a\u{1b}[2J".chars().any(is_unprintable) && "a\u{202e}b".chars().any(is_unprintable));
/// assert!(!"Größe (שנה)".chars().any(is_unprintable));
/// ```
#[must_use]
pub fn is_unprintable(character: char) -> bool {
    let turns = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    // Some programs take these two for ends of lines.
    character.is_control() || turns || matches!(character, '\u{2028}' | '\u{2029}')
}
