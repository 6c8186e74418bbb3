//! Pages checked before they are decoded.
//!
//! The decoder takes for granted that a page which points into a dictionary comes after that dictionary, and that the
//! marks for nulls at the start of a page are as long as they say; it stops the program when they are not. A damaged
//! file must end in an error instead.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Passes pages on, or an error for one that the decoder could not survive.
pub(crate) struct CheckedPages {
    pages: Box<dyn PageReader>,
    nullable: bool,
    dictionary: bool,
}

impl CheckedPages {
    pub(crate) fn new(pages: Box<dyn PageReader>, nullable: bool) -> Self {
        Self { pages, nullable, dictionary: false }
    }

    fn sound(&mut self, page: &Page) -> bool {
        let level_bytes = match page {
            Page::DictionaryPage { .. } => {
                self.dictionary = true;
                return true;
            }
            Page::DataPage { .. } if !self.nullable => Some(0),
            // A nullable column that is not nested has one bit a row, or a length of four bytes and that many bytes.
            Page::DataPage { buf, num_values, def_level_encoding, .. } => match (def_level_encoding, buf.get(..4)) {
                (Encoding::RLE, Some(length)) => {
                    // Unwrap safety: the slice was taken with four bytes.
                    usize::try_from(i32::from_le_bytes(length.try_into().unwrap())).ok().map(|length| length + 4)
                }
                (Encoding::RLE, None) => None,
                _ => Some((*num_values as usize).div_ceil(8)),
            },
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                def_levels_byte_len.checked_add(*rep_levels_byte_len).map(|length| length as usize)
            }
        };
        let into_dictionary = matches!(page.encoding(), Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        level_bytes.is_some_and(|length| length <= page.buffer().len()) && (self.dictionary || !into_dictionary)
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if page.as_ref().is_some_and(|page| !self.sound(page)) {
            return Err(ParquetError::General("a page contradicts itself".into()));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// Runs the decoder; should it panic after all, that is one more way for a file to be damaged.
pub(crate) fn guarded<T>(decode: impl FnOnce() -> Result<T>) -> Result<T> {
    // What the decoder leaves half done is dropped with the reader: an error ends the pass.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(ParquetError::General("the decoder gave up".into())))
}
