//! Writing codes as they come, however many there are.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::io::{self, Write};

use crate::codes_file::description::Description;
use crate::codes_file::{About, check, seal_row};
use shoal_files::sealed::{Described, ParquetLayout, SealedColumn, SealedWriter, Sealing, invalid, missing_column};

/// Bytes of codes in a row group, which are held until it is full.
const GROUP_BYTES: usize = 8 << 20;

/// A file of codes that is being written.
pub struct CodesWriter<W: Write + Send> {
    file: SealedWriter<W>,
    sealing: Sealing,
    about: Description,
    /// Words of a code, its bytes in the file, and codes of a row.
    words: usize,
    bytes: usize,
    dims: usize,
    /// Codes for the next row group, column by column, and the names that go with them.
    waiting: Vec<Vec<u8>>,
    names: Vec<ByteArray>,
    waiting_rows: usize,
    group_rows: usize,
}

impl<W: Write + Send> CodesWriter<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// A file that cannot be written, and [`io::ErrorKind::InvalidInput`] for a description that could not be read again.
    pub fn new(out: W, about: &About) -> io::Result<Self> {
        let described = Described::to_write(Description::new(about))?;
        check::promise(&described.about).map_err(invalid)?;
        let terms = &described.layout;
        let (words, bytes, dims) = (terms.words(), terms.bits().div_ceil(8) as usize, terms.dims());
        let id = described.about.id.iter().map(|id| (id.clone(), SealedColumn::Texts));
        let codes = terms.attributes().iter().map(|a| (a.name.clone(), SealedColumn::Bytes(bytes as i32)));
        // Noisy bits do not compress, and the smallest and largest of them are of no use.
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::PLAIN)
            .set_statistics_enabled(EnabledStatistics::None);
        let (columns, shoal) = (id.chain(codes).collect(), described.about.shoal.clone());
        let layout = ParquetLayout { root: "codes", columns, properties, shoal };
        let file = SealedWriter::start(out, &described, layout, None)?;
        Ok(Self {
            file,
            sealing: described.sealing(),
            about: described.about,
            words,
            bytes,
            dims,
            waiting: vec![Vec::new(); dims],
            names: Vec::new(),
            waiting_rows: 0,
            group_rows: (GROUP_BYTES / (bytes * dims)).max(1),
        })
    }

    /// Words of a row.
    pub fn record_words(&self) -> usize {
        self.words * self.dims
    }

    /// Adds rows, each as the words of all its codes, with their names if the file has a column of them.
    ///
    /// # Panics
    /// When the words do not make whole rows, or there is not a name for each exactly if the file has names.
    pub fn append(&mut self, rows: &[u64], ids: Option<&[String]>) -> io::Result<()> {
        assert_eq!(rows.len() % self.record_words(), 0, "whole rows");
        assert_eq!(self.about.id.is_some(), ids.is_some(), "names for a column of names");
        assert!(ids.is_none_or(|ids| ids.len() == rows.len() / self.record_words()), "a name for each row");
        for (i, record) in rows.chunks_exact(self.record_words()).enumerate() {
            let id = ids.map(|ids| ids[i].as_str());
            seal_row(&mut self.sealing, id, record, (self.words, self.bytes));
            self.names.extend(id.map(ByteArray::from));
            for (column, code) in self.waiting.iter_mut().zip(record.chunks_exact(self.words)) {
                let end = column.len() + self.bytes;
                column.extend(code.iter().flat_map(|word| word.to_le_bytes()));
                column.truncate(end);
            }
            self.waiting_rows += 1;
            if self.waiting_rows == self.group_rows {
                self.write_group()?;
            }
        }
        Ok(())
    }

    /// Ends the file and returns the number of rows in it.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] when there are none, or not as many as were announced: such a file could not be
    /// read again.
    pub fn finish(mut self) -> io::Result<u64> {
        if self.waiting_rows > 0 {
            self.write_group()?;
        }
        let seal = self.sealing.finish();
        if seal.rows == 0 {
            return Err(invalid("there are no records"));
        }
        check::rows(&self.about, seal.rows).map_err(invalid)?;
        self.file.finish_with(&seal)?;
        Ok(seal.rows)
    }

    fn write_group(&mut self) -> io::Result<()> {
        let Self { file, about, bytes, waiting, names, waiting_rows, .. } = self;
        let length = *bytes;
        file.group(|group| {
            if about.id.is_some() {
                let mut writer = group.next_column()?.ok_or_else(missing_column)?;
                writer.typed::<ByteArrayType>().write_batch(names, None, None)?;
                writer.close()?;
                names.clear();
            }
            for column in waiting {
                let all = Bytes::from(std::mem::take(column));
                let value =
                    |i: usize| FixedLenByteArray::from(ByteArray::from(all.slice(i * length..(i + 1) * length)));
                let values: Vec<FixedLenByteArray> = (0..*waiting_rows).map(value).collect();
                let mut writer = group.next_column()?.ok_or_else(missing_column)?;
                writer.typed::<FixedLenByteArrayType>().write_batch(&values, None, None)?;
                writer.close()?;
            }
            Ok(())
        })?;
        self.waiting_rows = 0;
        Ok(())
    }
}
