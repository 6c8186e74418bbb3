//! A pair of records as two scalars (eqs 21 and 22): Σ(p²+q²) and Σ2pq, whose difference is the squared distance.

/// The scalars of a pair, given attribute by attribute, in one unit and counted from the lower ends of the ranges.
pub(super) fn pair_scalars(attributes: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    attributes.fold((0.0, 0.0), |(squares, products), (p, q)| (squares + (p * p + q * q), products + 2.0 * p * q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scalars_differ_by_the_squared_distance() {
        let (squares, products) = pair_scalars([(1.0, 4.0), (2.5, 0.5), (0.0, 3.0)].into_iter());
        assert_eq!(squares - products, 9.0 + 4.0 + 9.0);
    }
}
