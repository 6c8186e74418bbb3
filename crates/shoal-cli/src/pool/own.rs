//! The aggregator's own columns of the same people (a vertical partition).

use std::collections::HashMap;

use shoal_consortium::aggregator::vertical;
use shoal_consortium::codes_file::Kind;
use shoal_consortium::{Attribute, Flips, Terms};
use shoal_files::{BoundsSpec, DataError, Missing, Source};

use super::codes::Pool;
use crate::arguments::Shown;
use crate::failure::Failure;
use crate::show::progress::Bar;
use crate::table::{self, Wanted};

/// How one of the own columns is left out.
const OUT_OF_OWN: &str = "out of --own-bounds";

/// The aggregator's own attributes of the same records, in the order of the codes.
pub(super) struct Own {
    terms: Terms,
    values: Vec<f64>,
}

impl Pool {
    pub(super) fn read_own(
        &self,
        source: Source,
        bounds: &str,
        id: Option<&str>,
        shown: &Shown,
    ) -> Result<Own, Failure> {
        if id.is_none() && self.file.parts.iter().any(|part| part.ids.is_some()) {
            return Err(Failure::usage(
                "the codes have names, so their rows need not be in the order of yours: say which of your columns has the names with --id COLUMN",
            ));
        }
        let spec = BoundsSpec::parse(bounds).map_err(Failure::usage)?;
        let columns = match &spec {
            BoundsSpec::Named(pairs) => Some(pairs.iter().map(|(name, _)| name.clone()).collect()),
            BoundsSpec::All(_) => None,
        };
        let wanted = Wanted {
            columns,
            label: id.map(Into::into),
            missing: Missing::Refuse,
            no_header: false,
            memory: self.memory as usize,
        };
        let unreadable = |error: Failure| without_columns(error, OUT_OF_OWN);
        let table = table::open(source, wanted).map_err(unreadable)?;
        let bounds = spec.resolve(table.columns(), table.all_columns()).map_err(|e| unreadable(e.into()))?;
        let attribute =
            |(name, range): (&String, &shoal_lattice::Interval)| Attribute::new(name, *range, range.width() / 2.0);
        let attributes = bounds.columns().iter().zip(bounds.intervals()).map(attribute).collect::<Result<_, _>>()?;
        let terms = Terms::new(attributes, 1, Flips::None, self.file.terms.scale())?;
        let (mut values, mut ids) = (Vec::new(), Vec::new());
        let bar = Bar::reading("reading", shown);
        table
            .for_each_batch(4096, &bar, |batch| {
                let mut row = vec![0.0; batch.dims()];
                for i in 0..batch.rows() {
                    batch.copy_row(i, &mut row);
                    values.extend_from_slice(&row);
                }
                ids.extend(batch.labels().into_iter().flatten().cloned());
                Ok::<(), DataError>(())
            })
            .map_err(|error| unreadable(error.into()))?;
        bar.finish();
        let (dims, given) = (terms.dims(), values.len() / terms.dims());
        if given != self.len() {
            return Err(Failure::refused(format!(
                "{} has {given} rows and the codes are of {} records; both must be of the same people",
                table.name(),
                self.len()
            )));
        }
        if id.is_some() {
            let order = self.match_ids(&ids)?;
            values = order.iter().flat_map(|&row| values[row * dims..(row + 1) * dims].to_vec()).collect();
        }
        Ok(Own { terms, values })
    }

    /// For each record, the row of the own table with the same name.
    fn match_ids(&self, ids: &[String]) -> Result<Vec<usize>, Failure> {
        if self.file.kind == Kind::Pairs {
            return Err(Failure::usage(
                "codes of pairs have no names; leave --id out, rows are matched by their order",
            ));
        }
        let mut rows = HashMap::new();
        for (row, id) in ids.iter().enumerate() {
            if rows.insert(id.as_str(), row).is_some() {
                return Err(Failure::refused(
                    "two of your rows have the same name in the column of --id; each must have its own",
                ));
            }
        }
        let find = |&row: &usize| {
            let id = self.file.id(row).ok_or_else(|| {
                Failure::refused("the codes have no names to match; encode them with --id, or leave it out here")
            })?;
            rows.remove(id).ok_or_else(|| {
                let (part, row) = self.file.place(row);
                let (name, row) = (&self.names[part], row + 1);
                Failure::refused(format!("row {row} of {name} has a name that none of your rows has, or has twice; both must be of the same people"))
            })
        };
        self.rows.iter().map(find).collect()
    }
}

impl Own {
    pub(super) fn squared(&self, i: usize, j: usize) -> f64 {
        let record = |i: usize| &self.values[i * self.terms.dims()..(i + 1) * self.terms.dims()];
        vertical::exact_squared(record(i), record(j), &self.terms)
    }
}

/// An error about a table whose columns are named elsewhere than by --columns: how one is left `out` instead.
pub fn without_columns(error: Failure, out: &str) -> Failure {
    let text = error.to_string();
    let text = if out == OUT_OF_OWN {
        text.replace("Drop rows with missing values (--missing drop), leave", "Leave")
    } else {
        text.replace("(--missing drop)", "(--missing drop with --id)")
    };
    let text = text
        .replace(
            "Leave out columns that are often empty with --columns",
            &format!("Leave columns that are often empty {out}"),
        )
        .replace("select others with --columns", &format!("leave it {out}"))
        .replace("out with --columns", out);
    let text = match text.split_once(" Select columns of numbers") {
        Some((before, _)) => format!("{before} Turn it into numbers first, or leave the column {out}"),
        None => text,
    };
    Failure::refused(text)
}
