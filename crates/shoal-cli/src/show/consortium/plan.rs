//! What `shoal consortium plan` prints.

use shoal::consortium::{PlannedConsortium, PlannedWay, Way};
use shoal_curator::Found;
use shoal_page::text::{Rounding, plural, significant};

use crate::show::output::Table;

/// The comparison.
pub fn text(planned: &PlannedConsortium) -> String {
    let PlannedConsortium { rows, custodians, dims, k, epsilon, .. } = planned;
    let delta = if planned.delta.amount().is_zero() { String::new() } else { format!(", δ = {}", planned.delta) };
    let mut text = format!(
        "Expected error for {} and {} of about {rows} rows at {custodians} custodians, ε = {epsilon}{delta} for each person. Nothing is read and nothing is spent.\n\n",
        plural(*k, "cluster"),
        plural(*dims, "column"),
    );
    let mut table = Table::new(&["way", "clusters", "centres", "NICV", "in this version", "who is trusted"]);
    for way in &planned.ways {
        table.row(row(way));
    }
    text.push_str(&table.to_string());
    if let Some(columns) = planned.of(Way::Merge).map(|way| &way.columns).filter(|columns| !columns.is_empty()) {
        let of = columns.iter().map(|it| format!("{} ± {}", it.column, short(it.plus_minus)));
        text.push_str(&format!("\nBy merging: {}.\n", of.collect::<Vec<_>>().join(", ")));
    }
    text.push_str(&format!("\n{}\n\n{}\n", advice(planned), explained(planned)));
    text
}

fn row(way: &PlannedWay) -> Vec<String> {
    let built = if way.exists { "yes" } else { "no" };
    let (found, centres, nicv) = match (&way.accuracy, way.found) {
        (Some(accuracy), Some(found)) => {
            let clusters = match found {
                Found::All => "all found".into(),
                Found::Some => format!("about {} of {}", accuracy.found.round().max(1.0), accuracy.k),
                _ => "too noisy".into(),
            };
            let centres = match found {
                Found::TooNoisy => "mostly noise".into(),
                _ => format!("± {} %", short(100.0 * accuracy.centre_plus_minus().0)),
            };
            (clusters, centres, format!("× {:.2}", accuracy.nicv_ratio))
        }
        _ => match way.distance_error {
            Some(error) => ("–".into(), format!("distances: {} % of blind", short(100.0 * error)), "–".into()),
            None => ("–".into(), "no code fits".into(), "–".into()),
        },
    };
    vec![way.way.name().into(), found, centres, nicv, built.into(), way.way.trusted().into()]
}

fn advice(planned: &PlannedConsortium) -> String {
    let later = planned.better_later.map(Way::name);
    let to_try = match planned.better_later {
        Some(Way::SplitTrust) => "; `shoal consortium rehearse` tries it in one process, without a guarantee",
        _ => "",
    };
    match (planned.recommended, later) {
        (Some(_), None) => {
            "Recommended: merge (`shoal consortium merge`). It needs no helpers and no rounds, and no other way without a party that sees all rows is expected to be better by more than a tenth.".into()
        }
        (Some(_), Some(later)) => format!(
            "Recommended in this version: merge (`shoal consortium merge`). The way “{later}” is expected to be better by more than a tenth and is not in this version{to_try}."
        ),
        (None, Some(later)) => format!(
            "WARNING: the tables are too small to be clustered one by one, so merging will not find the clusters, and codes do not either. The way “{later}” would, and is not in this version{to_try}. Use a larger ε, fewer columns or clusters, or join tables whose custodians trust each other."
        ),
        (None, None) => {
            "WARNING: no way is expected to find the clusters. Use more rows, a larger ε, fewer columns or fewer clusters.".into()
        }
    }
}

fn explained(planned: &PlannedConsortium) -> String {
    let guess = &planned.assumed;
    format!(
        "centres: how far privacy moves the centre of a cluster that is found, in parts of a column's range; most move less. NICV: mean squared distance of a row from its centre, in parts of that without privacy. Codes give distances of pairs instead of centres; the error is in parts of that of answering the same distance for every pair. All ways but the first assume nothing about how rows are divided among custodians; merging is forecast for equal shares. Forecasts can be off by a factor of two if the guesses are right: within a cluster, rows spread by {} % of a column's range (--spread), {} % of the rows lie between clusters (--overlap), and the smallest cluster has {} (--smallest). If someone is in the tables of several custodians, their ε add up, whichever way.",
        short(100.0 * guess.spread.0),
        short(100.0 * guess.overlap),
        guess.smallest.map_or("half of the average".into(), |share| format!("{} % of the rows", short(100.0 * share))),
    )
}

fn short(value: f64) -> String {
    significant(value, 2, Rounding::Nearest)
}
