//! Text on a drawing: measured by rule of thumb, broken into lines, cut.

/// Mean width of a letter of the drawings' typeface, in parts of its size.
const LETTER: f64 = 0.6;

/// About how wide a text is.
#[must_use]
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * LETTER
}

/// Lines of at most this width, broken between words.
#[must_use]
pub fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + size * LETTER <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// The text, shortened to this width.
#[must_use]
pub fn cut(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_string();
    }
    let letters = (most / (size * LETTER)).floor().max(2.0) as usize - 1;
    crate::text::shortened(text, letters)
}
