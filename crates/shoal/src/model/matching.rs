//! Which cluster of one model is which of another.
//!
//! Two clusters may be the same if their centres are nearer to each other than half of the way to the next cluster of
//! either model, or if their intervals overlap in every column. Among these, as many pairs as possible are chosen so that
//! the sum of their squared distances is least (the Hungarian method); a later cluster without a partner is new. Each
//! column counts in parts of the narrower of its two ranges.

use shoal_kernel::assign_min_cost;
use shoal_lattice::{Interval, LatticeMap};

use super::{Certainty, Model};

/// Two models of different columns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.words())]
pub struct OtherColumns {
    /// Columns that only the first model has.
    pub only_first: Vec<String>,
    /// Columns that only the second model has.
    pub only_second: Vec<String>,
}

impl OtherColumns {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        "other-columns"
    }

    fn words(&self) -> String {
        let named = |names: &[String]| match names {
            [] => "nothing".into(),
            names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        format!(
            "the two models have different columns, so their clusters cannot be compared (only the first has {}, only the second {}); fit one of them again with the columns of the other",
            named(&self.only_first),
            named(&self.only_second)
        )
    }
}

/// For each column of `first`, the same column's place in `second`.
pub(crate) fn columns(first: &Model, second: &Model) -> Result<Vec<usize>, OtherColumns> {
    check_columns(&first.columns, &second.columns)?;
    let place = |name: &String| second.columns.iter().position(|other| other == name);
    Ok(first.columns.iter().filter_map(place).collect())
}

/// Refuses columns that differ in more than their order.
pub(crate) fn check_columns(first: &[String], second: &[String]) -> Result<(), OtherColumns> {
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|name| !those.contains(name)).cloned().collect()
    };
    let (only_first, only_second) = (only(first, second), only(second, first));
    if only_first.is_empty() && only_second.is_empty() { Ok(()) } else { Err(OtherColumns { only_first, only_second }) }
}

/// For each cluster of `later`, the cluster of `earlier` that it is.
pub(crate) fn partners(earlier: &Model, later: &Model) -> Result<Vec<Option<usize>>, OtherColumns> {
    let place = columns(later, earlier)?;
    let scale: Vec<f64> = place.iter().zip(&later.bounds).map(|(&i, own)| narrower(own, &earlier.bounds[i])).collect();
    let bent = Bent::of(later);
    let here = |centre: &[f64]| -> Vec<f64> {
        centre.iter().zip(&scale).enumerate().map(|(i, (x, scale))| bent.place(i, *x).unwrap_or(x / scale)).collect()
    };
    let old: Vec<Vec<f64>> =
        earlier.centres.iter().map(|c| here(&place.iter().map(|&i| c[i]).collect::<Vec<_>>())).collect();
    let new: Vec<Vec<f64>> = later.centres.iter().map(|c| here(c)).collect();
    let near = |a: usize, b: usize| {
        let way = 0.5 * to_next(&new, a).min(to_next(&old, b));
        distance(&new[a], &old[b]) <= way || overlap(later, a, earlier, b, &place)
    };
    let squared = |a: usize, b: usize| near(a, b).then(|| distance(&new[a], &old[b]).powi(2)).filter(|x| x.is_finite());
    let costs: Vec<Option<f64>> =
        (0..new.len()).flat_map(|a| (0..old.len()).map(move |b| (a, b))).map(|(a, b)| squared(a, b)).collect();
    // Pairs that are too far apart all cost the same, more than all others together: a cluster that is new must not
    // push others away from their partners.
    let far = 1.0 + costs.iter().flatten().sum::<f64>();
    let costs_of_all: Vec<f64> = costs.iter().map(|cost| cost.unwrap_or(far)).collect();
    let pairs = assign_min_cost(new.len(), old.len(), &costs_of_all).column_of;
    let kept = |a: usize, b: &usize| costs[a * old.len() + b].is_some();
    Ok(pairs.into_iter().enumerate().map(|(a, pair)| pair.filter(|b| kept(a, b))).collect())
}

/// The columns that the later model stretches or weighs: there, clusters of both models are as near to each other as they are
/// in its box.
struct Bent(Option<LatticeMap>);

impl Bent {
    fn of(model: &Model) -> Self {
        Self(model.stretched_map())
    }

    /// A value in widths of the box; nothing in a model that does not stretch its columns.
    fn place(&self, column: usize, x: f64) -> Option<f64> {
        Some(self.0.as_ref()?.to_box(column, x).in_unit().0)
    }
}

/// The width of the narrower interval, never zero.
fn narrower(a: &Interval, b: &Interval) -> f64 {
    a.width().min(b.width()).max(f64::MIN_POSITIVE)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// How far the next centre of the same model is; endless where there is none.
fn to_next(centres: &[Vec<f64>], j: usize) -> f64 {
    let others = centres.iter().enumerate().filter(|(i, _)| *i != j);
    others.map(|(_, other)| distance(&centres[j], other)).fold(f64::INFINITY, f64::min)
}

/// Whether the intervals of two clusters overlap in every column.
fn overlap(later: &Model, a: usize, earlier: &Model, b: usize, place: &[usize]) -> bool {
    let intervals = |model: &Model| model.certainty.as_ref().map(|it: &Certainty| it.intervals.clone());
    let (Some(new), Some(old)) = (intervals(later), intervals(earlier)) else { return false };
    place.iter().enumerate().all(|(i, &there)| new[a][i][0] <= old[b][there][1] && old[b][there][0] <= new[a][i][1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::example;

    #[test]
    fn columns_are_found_by_name_and_others_are_refused() {
        let (first, mut second) = (example(), example());
        second.columns.reverse();
        second.bounds.reverse();
        for rows in [&mut second.centres, &mut second.centre_sd] {
            rows.iter_mut().for_each(|row| row.reverse());
        }
        second.certainty = None;
        second.centres.rotate_left(1);
        assert_eq!(partners(&first, &second).unwrap(), [Some(1), Some(2), Some(0)]);
        second.columns[0] = "weight".into();
        let error = partners(&first, &second).unwrap_err();
        assert_eq!((error.only_first, error.only_second), (vec!["weight".into()], vec!["hours".into()]));
    }

    #[test]
    fn other_bounds_do_not_hide_a_column() {
        let (first, mut second) = (example(), example());
        // Bounds a thousand times as wide: the first column must still separate clusters.
        second.bounds[0] = Interval::new(0.0, 100_000.0).unwrap();
        second.centres.rotate_left(1);
        second.certainty = None;
        assert_eq!(partners(&first, &second).unwrap(), [Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn more_clusters_than_before_are_new_ones() {
        let (first, mut second) = (example(), example());
        second.certainty = None;
        second.centres.insert(0, vec![99.0, 1.0]);
        assert_eq!(partners(&first, &second).unwrap(), [None, Some(0), Some(1), Some(2)]);
        assert_eq!(partners(&second, &first).unwrap(), [Some(1), Some(2), Some(3)]);
    }
}
