//! How long runs take, as measured on one core of a small machine: for the time left, and for what a first look can afford.

use super::tables::Table;

/// A run of a method on a data set, in milliseconds.
pub fn milliseconds(table: &Table, method: &str, epsilon: &str) -> f64 {
    let records = &table.data.records;
    of_size(records.rows() as f64, records.dims(), table.k, method, epsilon.parse().unwrap_or(1.0), 10.0)
}

/// The same for a table of this size, with θ of eq. (4).
pub fn of_size(rows: f64, dims: usize, k: usize, method: &str, epsilon: f64, theta: f64) -> f64 {
    let (d, k) = (dims as f64, k as f64);
    let pass = 0.2 + rows * (3e-5 + 5e-6 * d);
    // k-means on M cells of eq. (4) rarely settles before its last round.
    let cells = |epsilon: f64| pass + 2e-4 * d * d * (rows * epsilon / theta).powf(2.0 * d / (2.0 + d));
    match method {
        "eugkm" => cells(epsilon),
        // It refines from about this ε on where cells are many, and has half of it for them then.
        "hybrid" => cells(if epsilon < 0.07 { epsilon } else { 0.5 * epsilon }),
        "gkm" | "gkm-3k" => 2.0 + rows * k * d * 1e-4,
        "pgkm" => (1.25e-4 * rows * epsilon).round().clamp(8.0, 200.0) * rows * 1.2e-3,
        _ => pass,
    }
}
