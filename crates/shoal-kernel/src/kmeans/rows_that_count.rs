//! The rows whose weight is not zero, close together.
//!
//! Most cells of a grid have no weight once their counts are lowered: they add nothing to a sum and are never drawn, and so
//! need not be looked at in every pass.

use shoal_lattice::LatticePoints;

/// Some rows of a table, in their order.
pub(crate) struct RowsThatCount {
    /// The rows.
    pub points: LatticePoints,
    /// The number that each has in the table, ascending.
    pub places: Vec<u32>,
}

impl RowsThatCount {
    /// The rows for which `counts` says yes; none when these are more than half, and copies would not pay.
    pub fn of(points: &LatticePoints, counts: impl Fn(usize) -> bool) -> Option<Self> {
        let rows = u32::try_from(points.rows()).ok()?;
        let found = (0..points.rows()).filter(|&row| counts(row)).count();
        if 2 * found > points.rows() {
            return None;
        }
        let mut places = Vec::with_capacity(found);
        places.extend((0..rows).filter(|&row| counts(row as usize)));
        let mut some = LatticePoints::with_capacity(points.dims(), found);
        let mut row = vec![0; points.dims()];
        for &place in &places {
            points.copy_row(place as usize, &mut row);
            some.push_row(&row);
        }
        Some(Self { points: some, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_order_and_most_rows_stay_where_they_are() {
        let mut points = LatticePoints::new(1);
        (0..100).for_each(|x| points.push_row(&[x]));
        let some = RowsThatCount::of(&points, |row| row % 3 == 1).unwrap();
        assert_eq!(some.places, (0..33).map(|i| 3 * i + 1).collect::<Vec<u32>>());
        assert!((0..33).all(|i| some.points.get(i, 0) == 3 * i as i16 + 1) && some.points.rows() == 33);
        assert!(RowsThatCount::of(&points, |row| row > 48).is_none());
        assert_eq!(RowsThatCount::of(&points, |_| false).unwrap().points.rows(), 0);
    }
}
