//! The figures kept in CSV files: what methods were measured to reach, and what the best other software reaches.

use crate::Failure;

/// A line of `results/methods.csv`.
pub struct Measured {
    /// The method of Shoal.
    pub method: String,
    /// The table.
    pub data: String,
    /// The budget, as written.
    pub epsilon: String,
    /// Rows.
    pub rows: f64,
    /// Attributes.
    pub dims: usize,
    /// Clusters.
    pub k: usize,
    /// Mean NICV.
    pub nicv: f64,
    /// Its standard error.
    pub nicv_se: f64,
}

/// A line of `peers.csv`.
pub struct Peer {
    /// The table.
    pub data: String,
    /// Clusters.
    pub k: usize,
    /// The best k-means found without privacy.
    pub optimum: f64,
    /// One centre in the middle of the box, which needs no data.
    pub no_data: f64,
    /// The budget, as written.
    pub epsilon: String,
    /// Mean NICV of the best.
    pub nicv: f64,
    /// Its standard error.
    pub nicv_se: f64,
    /// Who it is.
    pub name: String,
    /// Whether it keeps a pure ε.
    pub pure: bool,
}

/// Reads what methods were measured to reach: `method,data,epsilon,n,d,k,mean,se,runs`.
pub fn measured(path: &str) -> Result<Vec<Measured>, Failure> {
    lines(path, 9, |fields| {
        Ok(Measured {
            method: fields[0].into(),
            data: fields[1].into(),
            epsilon: fields[2].into(),
            rows: fields[3].parse()?,
            dims: fields[4].parse()?,
            k: fields[5].parse()?,
            nicv: fields[6].parse()?,
            nicv_se: fields[7].parse()?,
        })
    })
}

/// Reads the bar: `data,n,d,k,optimum,no_data,epsilon,nicv,nicv_se,runs,peer,pure`, and the same for the best with a
/// pure guarantee, which is not read here.
pub fn peers(path: &str) -> Result<Vec<Peer>, Failure> {
    lines(path, 16, |fields| {
        Ok(Peer {
            data: fields[0].into(),
            k: fields[3].parse()?,
            optimum: fields[4].parse()?,
            no_data: fields[5].parse()?,
            epsilon: fields[6].into(),
            nicv: fields[7].parse()?,
            nicv_se: fields[8].parse()?,
            name: fields[10].into(),
            pure: fields[11].parse()?,
        })
    })
}

/// The lines after the first, in fields. No field has a comma or a quote in it.
fn lines<T>(path: &str, width: usize, parse: impl Fn(&[&str]) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let parsed = text.lines().enumerate().skip(1).map(|(number, line)| {
        let fields: Vec<&str> = line.split(',').collect();
        let named = |error: Failure| -> Failure { format!("{path}, line {}: {error}", number + 1).into() };
        if fields.len() == width {
            parse(&fields).map_err(named)
        } else {
            Err(named(format!("{} fields instead of {width}", fields.len()).into()))
        }
    });
    parsed.collect()
}
