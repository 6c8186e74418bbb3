//! Reports that a collector received one by one, without a file.

use shoal_device::{Client, Design, Space};
use shoal_privacy::Assumption;

use super::read::outside;
use super::{ReportFileError, Reports};

impl Reports {
    /// Reports that were received one by one, each counted once: one list of values, in lattice steps, for each column of
    /// the design. What they guarantee is computed from the design, on the condition that devices followed it.
    ///
    /// # Errors
    /// A design that cannot be used, no column or lists of different lengths, and reports that its mechanism never makes.
    pub fn collected(design: Design, columns: Vec<Vec<i64>>) -> Result<Self, ReportFileError> {
        let client = Client::accepting_unsound(&design)?;
        let rows = columns.first().map_or(0, Vec::len);
        if columns.len() != client.dims() || columns.iter().any(|column| column.len() != rows) {
            return Err(ReportFileError::Shape { columns: client.dims() });
        }
        let outside = outside(&columns, &client);
        if outside > 0 {
            let (Space { low, high }, mechanism) = (client.space(), design.mechanism().name());
            let (name, rows) = ("the collection".into(), rows as u64);
            return Err(ReportFileError::Outside { name, outside, rows, low, high, mechanism });
        }
        // A report does not show how it was made.
        let promises = client.promises().assuming([Assumption::ReportsAsDescribed]);
        Ok(Self { design, promises, seeded: false, columns, files: 1 })
    }
}
