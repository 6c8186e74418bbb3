//! Writing reports as they come, however many there are.

use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::io::{self, Write};

use crate::report_file::description::Description;
use crate::report_file::{Form, check};
use shoal_device::{Design, Promises};
use shoal_files::sealed::{Described, IntegerLayout, IntegerWriter, invalid};

/// A file of reports that is being written.
pub struct ReportWriter<W: Write + Send>(IntegerWriter<W>);

impl<W: Write + Send> ReportWriter<W> {
    /// Starts a file. `promises` are those of the reports: `with_seeded_noise` when `seeded`.
    ///
    /// # Errors
    /// A file that cannot be written, and [`io::ErrorKind::InvalidInput`] for a design or a guarantee that could not be
    /// read again.
    pub fn new(out: W, design: &Design, promises: &Promises, seeded: bool, form: Form) -> io::Result<Self> {
        let described = Described::to_write(Description::new(design, promises, seeded))?;
        check::promises(&described.about, design).map_err(invalid)?;
        // Noise does not compress; packing small numbers into few bits is all that can be saved.
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::DELTA_BINARY_PACKED)
            .set_statistics_enabled(EnabledStatistics::Chunk);
        let layout = IntegerLayout { root: "reports", properties, shoal: described.about.shoal.clone() };
        Ok(Self(IntegerWriter::start(out, &described, layout, form)?))
    }

    /// Adds reports, given as one list of values for each attribute.
    ///
    /// # Errors
    /// A file that cannot be written.
    ///
    /// # Panics
    /// When there is not one list for each attribute, or the lists differ in length.
    pub fn append(&mut self, columns: &[Vec<i64>]) -> io::Result<()> {
        self.0.append(columns)
    }

    /// Ends the file and returns the number of reports in it.
    ///
    /// # Errors
    /// A file that cannot be written, and [`io::ErrorKind::InvalidInput`] when there are no reports: such a file could not
    /// be read again.
    pub fn finish(self) -> io::Result<u64> {
        self.0.finish()
    }
}
