//! How well the predictions rank the methods: Spearman's rank correlation of predicted with measured mean NICV across
//! methods, for each table and budget.
//!
//! `plan_ranks [FILE]`, by default `bench/results/methods.csv`, from the repository's root. `allocation-nk` is `kccm` under
//! another name and counts once. A cell is printed with the number of methods that were
//! measured in it: the slow ones were left out on large tables.

use std::collections::BTreeMap;

use shoal_bench::{Failure, Measured, measured};
use shoal_curator::predictions;
use shoal_privacy::Delta;

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "bench/results/methods.csv".into());
    let lines = measured(&path)?;
    let mut cells: BTreeMap<(&str, &str), Vec<&Measured>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.method != "allocation-nk") {
        cells.entry((&line.data, &line.epsilon)).or_default().push(line);
    }
    println!("data,epsilon,methods,correlation,best_predicted,best_measured");
    let mut all = Vec::new();
    for ((data, epsilon), lines) in &cells {
        let (rows, dims, k) = (lines[0].rows, lines[0].dims, lines[0].k);
        let budget = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
        let predicted = predictions(rows, dims, k, &budget, &Delta::ZERO);
        let stated: Result<Vec<f64>, Failure> = lines
            .iter()
            .map(|line| {
                let found = predicted.iter().find(|prediction| prediction.method == line.method);
                Ok(found.ok_or_else(|| format!("there is no method {}", line.method))?.nicv)
            })
            .collect();
        let stated = stated?;
        let seen: Vec<f64> = lines.iter().map(|line| line.nicv).collect();
        let Some(correlation) = spearman(&stated, &seen) else { continue };
        let least = |values: &[f64]| {
            (0..values.len()).min_by(|&a, &b| values[a].total_cmp(&values[b])).map_or("", |i| &lines[i].method)
        };
        println!("{data},{epsilon},{},{correlation:.3},{},{}", lines.len(), least(&stated), least(&seen));
        all.push(correlation);
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let worst = all.iter().copied().fold(f64::INFINITY, f64::min);
    println!("\n{} cells: mean {mean:.3}, worst {worst:.3}", all.len());
    Ok(())
}

/// Spearman's correlation; nothing when one side is all alike.
fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(a), ranks(b));
    let middle = (a.len() as f64 - 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum::<f64>();
    let scale = (product(&a, &a) * product(&b, &b)).sqrt();
    (scale > 0.0).then(|| product(&a, &b) / scale)
}

/// Ranks from zero; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |x: f64| values.iter().filter(|&&y| y < x).count() as f64;
    let alike = |x: f64| values.iter().filter(|&&y| y == x).count() as f64;
    values.iter().map(|&x| below(x) + (alike(x) - 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_as_in_a_textbook() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 7.0]), [1.5, 0.0, 1.5, 3.0]);
        assert_eq!(spearman(&[1.0, 2.0, 9.0], &[0.1, 5.0, 6.0]), Some(1.0));
        assert_eq!(spearman(&[1.0, 2.0, 9.0], &[3.0, 2.0, 1.0]), Some(-1.0));
        // 1 − 6·Σd²/(n(n² − 1)) with d = 0, 1, −1, 0.
        let four = spearman(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0]);
        assert!((four.unwrap() - 0.8).abs() < 1e-12);
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
    }
}
