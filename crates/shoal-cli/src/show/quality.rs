//! How good a result is, as far as a private estimate tells, in words.

use shoal_curator::NicvEstimate;
use shoal_page::text::to_step;

/// How far rows are from their centres: as a part of each column's range, which anyone can picture, and as the NICV.
pub fn sentence(found: &NicvEstimate, dims: usize) -> String {
    // A range is two box units wide, and the squares are summed over the columns.
    let percent = |nicv: f64| 50.0 * (nicv / dims.max(1) as f64).sqrt();
    let (low, high) = (percent(found.low), percent(found.high));
    let shown = |value: f64| to_step(value, (high - low) / 2.0);
    let squared = |value: f64| to_step(value, (found.high - found.low) / 2.0);
    format!(
        "rows are about {} % of each column's range from their centre, between {} and {} % with {:.0} % confidence. Squared and in box units (NICV) that is {}, between {} and {}; squared distances beyond {} count as that.",
        shown(percent(found.nicv)),
        shown(low),
        shown(high),
        100.0 * found.confidence,
        squared(found.nicv),
        squared(found.low),
        squared(found.high),
        to_step(found.capped_at, found.capped_at)
    )
}

#[cfg(test)]
mod tests {
    use shoal_curator::Unit;

    use super::*;

    #[test]
    fn distances_are_told_as_parts_of_the_range() {
        let found =
            NicvEstimate { nicv: 0.08, low: 0.06, high: 0.1, confidence: 0.95, capped_at: 0.64, unit: Unit::Box };
        let told = sentence(&found, 2);
        // √(0.08 / 2) = 0.2 box units, which is a tenth of the range.
        assert!(told.starts_with("rows are about 10.0 % of"), "{told}");
        assert!(told.contains("between 8.7 and 11.2 % with 95 % confidence"), "{told}");
        assert!(told.contains("is 0.080, between 0.060 and 0.100; squared distances beyond 0.64"), "{told}");
    }
}
