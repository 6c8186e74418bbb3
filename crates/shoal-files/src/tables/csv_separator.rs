//! The character between the columns of a text table, found in its header line and nowhere else; and the one by which its
//! lines are counted, for messages.

/// The characters that are looked for; of those that occur equally often, the first is meant.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The first line of a text that is not blank, as far as it is there. An end of line inside quotes does not count.
pub(crate) fn first_line(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let start = text.iter().position(|byte| !matches!(byte, b'\n' | b'\r'))?;
    let mut quoted = false;
    let end = text[start..].iter().position(|&byte| {
        quoted ^= byte == b'"';
        !quoted && matches!(byte, b'\n' | b'\r')
    });
    end.map(|end| &text[start..start + end])
}

/// The separator that occurs most often in a header line outside of quotes; a comma where there is none.
pub(crate) fn separator(header: &[u8]) -> u8 {
    let (mut counts, mut quoted) = ([0usize; SEPARATORS.len()], false);
    for &byte in header {
        quoted ^= byte == b'"';
        if let Some(at) = SEPARATORS.iter().position(|&separator| separator == byte && !quoted) {
            counts[at] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    SEPARATORS[counts.iter().position(|&count| count == most).unwrap_or(0)]
}

/// The character that ends lines, by the start of a text: a carriage return where there is no other end.
pub(crate) fn line_end(start: &[u8]) -> u8 {
    // The last character may be the first half of an end.
    let inside = &start[..start.len().saturating_sub(1)];
    let returns_only = memchr::memchr(b'\n', start).is_none() && memchr::memchr(b'\r', inside).is_some();
    if returns_only { b'\r' } else { b'\n' }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_decides() {
        for (header, found) in [
            ("a,b,c", b','),
            ("a;b;c", b';'),
            ("a\tb", b'\t'),
            ("a|b", b'|'),
            ("a", b','),
            ("", b','),
            ("\"a;b;c;d\",e", b','),
            ("size (m, kg);b;c", b';'),
            ("a,b;c", b','),
        ] {
            assert_eq!(separator(header.as_bytes()), found, "{header}");
        }
    }

    #[test]
    fn carriage_returns_end_lines_where_nothing_else_does() {
        for (start, end) in [("a\rb\r", b'\r'), ("a\nb\r", b'\n'), ("a\r\nb", b'\n'), ("a\r", b'\n'), ("", b'\n')] {
            assert_eq!(line_end(start.as_bytes()), end, "{start:?}");
        }
    }

    #[test]
    fn blank_lines_and_a_mark_of_utf8_come_before_the_header() {
        assert_eq!(first_line(b"\xef\xbb\xbf\r\n\na;b\n1;2\n"), Some(&b"a;b"[..]));
        assert_eq!(first_line(b"\"a\nb\";c\r1"), Some(&b"\"a\nb\";c"[..]));
        assert_eq!(first_line(b"a;b"), None);
        assert_eq!(first_line(b""), None);
    }
}
