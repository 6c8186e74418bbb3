//! Minimum-cost assignment: which released centre belongs to which true one.
//!
//! Shortest augmenting paths with dual potentials (the Hungarian method as Jonker and Volgenant 1987 run it), rows
//! added one after the other: `O(r² c)` for `r ≤ c`.
//!
//! By hand, because it is forty lines and the crates ask for more: `pathfinding` for integer costs, `lapjv` for square
//! `ndarray` matrices.

/// A matching of rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The column of each row; nothing for rows left over when there are more rows than columns.
    pub column_of: Vec<Option<usize>>,
    /// Sum of the costs of the pairs.
    pub cost: f64,
}

/// Matches as many rows and columns of a matrix (row after row) as possible, at the lowest total cost.
///
/// # Panics
/// When the length is not `rows · columns` or a cost is not finite.
pub fn assign_min_cost(rows: usize, columns: usize, costs: &[f64]) -> Assignment {
    assert_eq!(costs.len(), rows * columns, "one cost for each row and column");
    assert!(costs.iter().all(|c| c.is_finite()), "costs are finite");
    let row_of = if rows <= columns {
        augment(rows, columns, |r, c| costs[r * columns + c])
    } else {
        // More rows than columns: the same problem on its side.
        let column_of = augment(columns, rows, |c, r| costs[r * columns + c]);
        let mut row_of = vec![None; columns];
        for (r, c) in column_of.into_iter().enumerate() {
            if let Some(c) = c {
                row_of[c] = Some(r);
            }
        }
        row_of
    };
    let mut column_of = vec![None; rows];
    let mut cost = 0.0;
    for (c, r) in row_of.into_iter().enumerate() {
        if let Some(r) = r {
            column_of[r] = Some(c);
            cost += costs[r * columns + c];
        }
    }
    Assignment { column_of, cost }
}

/// The row matched to each column, all `rows ≤ columns` of them matched.
fn augment(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<Option<usize>> {
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    let (mut row_potential, mut column_potential) = (vec![0.0; rows], vec![0.0; columns]);
    for new_row in 0..rows {
        // Shortest reduced-cost paths from `new_row` to each column, over matched columns, as in Dijkstra's algorithm.
        let mut distance = vec![f64::INFINITY; columns];
        let mut came_from: Vec<Option<usize>> = vec![None; columns];
        let mut done = vec![false; columns];
        let (mut row, mut via, mut travelled) = (new_row, None, 0.0);
        let end = loop {
            let mut nearest: Option<usize> = None;
            for c in 0..columns {
                if done[c] {
                    continue;
                }
                let through = travelled + cost(row, c) - row_potential[row] - column_potential[c];
                if through < distance[c] {
                    distance[c] = through;
                    came_from[c] = via;
                }
                if nearest.is_none_or(|n| distance[c] < distance[n]) {
                    nearest = Some(c);
                }
            }
            // Unwrap safety: fewer rows are matched than there are columns, so one column is not done.
            let c = nearest.unwrap();
            done[c] = true;
            travelled = distance[c];
            via = Some(c);
            match row_of[c] {
                Some(next) => row = next,
                None => break c,
            }
        };
        // Keep reduced costs non-negative, and zero along the path.
        row_potential[new_row] += travelled;
        for c in 0..columns {
            if let (true, Some(r)) = (done[c], row_of[c]) {
                row_potential[r] += travelled - distance[c];
                column_potential[c] -= travelled - distance[c];
            }
        }
        let mut column = end;
        while let Some(previous) = came_from[column] {
            row_of[column] = row_of[previous];
            column = previous;
        }
        row_of[column] = Some(new_row);
    }
    row_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least cost by trying everything.
    fn brute_force(rows: usize, columns: usize, costs: &[f64], taken: &mut Vec<bool>, row: usize, left: usize) -> f64 {
        if left == 0 {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        if rows - row > left {
            best = brute_force(rows, columns, costs, taken, row + 1, left);
        }
        for c in 0..columns {
            if !taken[c] {
                taken[c] = true;
                let rest = brute_force(rows, columns, costs, taken, row + 1, left - 1);
                best = best.min(costs[row * columns + c] + rest);
                taken[c] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn nothing_is_cheaper(
            (rows, columns, costs) in (0usize..=7, 0usize..=7).prop_flat_map(|(r, c)| {
                let cost = prop_oneof![-1e3..1e3f64, (0i32..4).prop_map(f64::from)];
                (Just(r), Just(c), prop::collection::vec(cost, r * c))
            })
        ) {
            let found = assign_min_cost(rows, columns, &costs);
            let mut used: Vec<usize> = found.column_of.iter().flatten().copied().collect();
            prop_assert_eq!(used.len(), rows.min(columns));
            used.sort_unstable();
            used.dedup();
            prop_assert_eq!(used.len(), rows.min(columns));
            let best = brute_force(rows, columns, &costs, &mut vec![false; columns], 0, rows.min(columns));
            prop_assert!((found.cost - best).abs() <= 1e-9 * (1.0 + best.abs()), "{} against {}", found.cost, best);
        }
    }

    #[test]
    fn a_shuffled_set_finds_itself() {
        let n = 200;
        let shuffled = |i: usize| (i * 77 + 13) % n;
        let costs: Vec<f64> = (0..n * n).map(|at| (shuffled(at / n) as f64 - (at % n) as f64).powi(2)).collect();
        let found = assign_min_cost(n, n, &costs);
        assert_eq!(found.cost, 0.0);
        assert!((0..n).all(|i| found.column_of[i] == Some(shuffled(i))));
    }
}
