//! How good the clusterings are: mean NICV of curator methods on a table, over many runs.
//!
//! Arguments: a table, k, methods (`baseline` is k-means without privacy, the best of 30 starts; `kccm:ward` merges by
//! Ward's cost), budgets, runs. The
//! bounds are the table's own minima and maxima, and the design size is its number of rows, as in the papers: right
//! for measuring, wrong for releasing. A column called `label` is left out.
//!
//! Prints a line of CSV per method and budget: mean squared NICV, its standard error, the mean of NQC21's unsquared NICV,
//! its standard error, and seconds per run on one thread.

use rayon::prelude::*;
use shoal_bench::{CuratorTable, Failure, Score, mean, read};
use shoal_curator::{Knobs, Merge};
use shoal_noise::SeededNoise;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, k, methods, budgets, runs] = args.as_slice() else {
        return Err("usage: utility TABLE K METHOD,… EPSILON,… RUNS".into());
    };
    let (k, runs): (usize, u64) = (k.parse()?, runs.parse()?);
    let table = CuratorTable::new(read(path)?);
    let name = std::path::Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    println!("data,rows,dims,k,method,epsilon,runs,nicv,nicv_se,unsquared,unsquared_se,seconds");
    let line = |method: &str, epsilon: &str, scores: &[Score]| {
        let (squared, squared_se) = mean(scores.iter().map(|s| s.squared));
        let (unsquared, unsquared_se) = mean(scores.iter().map(|s| s.unsquared));
        let (seconds, _) = mean(scores.iter().map(|s| s.seconds));
        println!(
            "{name},{},{},{k},{method},{epsilon},{},{squared:.6},{squared_se:.6},{unsquared:.6},{unsquared_se:.6},{seconds:.3}",
            table.rows(),
            table.points().dims(),
            scores.len()
        );
    };
    for method in methods.split(',') {
        if method == "baseline" {
            line(method, "", &[table.baseline(k, 30, &mut SeededNoise::new(0))?]);
            continue;
        }
        let (name, merge) = match method.split_once(':') {
            Some((name, "ward")) => (name, Some(Merge::Ward)),
            Some((_, other)) => return Err(format!("{other} is no way to merge: give ward").into()),
            None => (method, None),
        };
        let knobs = Knobs { merge, ..Knobs::default() };
        for epsilon in budgets.split(',') {
            let scores: Result<Vec<Score>, Failure> = (0..runs)
                .into_par_iter()
                .map(|seed| table.run(name, k, epsilon, knobs.clone(), &mut SeededNoise::new(seed)))
                .collect();
            line(method, epsilon, &scores?);
        }
    }
    Ok(())
}
