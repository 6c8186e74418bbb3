//! The time of day as text.

use std::time::SystemTime;

use jiff::Timestamp;

/// Now, in UTC, as RFC 3339 to the second: `2026-01-31T12:00:59Z`.
pub fn now() -> String {
    // A clock beyond the year 9999 is wrong, but no reason to refuse a debit.
    rfc3339(Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::MAX))
}

/// RFC 3339 has room for the years 0 to 9999; what is earlier is held at the first moment.
fn rfc3339(time: Timestamp) -> String {
    /// 0000-01-01T00:00:00Z
    const FIRST: i64 = -62_167_219_200;
    let first = Timestamp::from_second(FIRST).unwrap_or(Timestamp::UNIX_EPOCH);
    time.max(first).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        // From `date -u -d @N +%FT%TZ`.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"),
            (-62_167_219_201, "0000-01-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(Timestamp::from_second(seconds).unwrap()), text);
        }
    }

    #[test]
    fn parts_of_a_second_are_left_out_and_the_ends_have_four_digits() {
        let late = Timestamp::new(1_700_000_000, 999_999_999).unwrap();
        assert_eq!(rfc3339(late), "2023-11-14T22:13:20Z");
        for end in [Timestamp::MIN, Timestamp::MAX] {
            assert_eq!(rfc3339(end).len(), "9999-12-31T23:59:59Z".len());
        }
    }
}
