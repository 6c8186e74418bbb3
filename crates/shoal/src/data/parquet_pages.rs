//! Pages checked before they are decoded.
//!
//! The decoder takes for granted that a page which points into a dictionary comes after that dictionary, and stops
//! the program when it does not. A damaged file must end in an error instead.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Passes pages on, or an error for one that the decoder could not survive.
pub(super) struct CheckedPages {
    pages: Box<dyn PageReader>,
    dictionary: bool,
}

impl CheckedPages {
    pub(super) fn new(pages: Box<dyn PageReader>) -> Self {
        Self { pages, dictionary: false }
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            let points_into_dictionary =
                matches!(page.encoding(), Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
            if page.is_dictionary_page() {
                self.dictionary = true;
            } else if points_into_dictionary && !self.dictionary {
                return Err(ParquetError::General("a page refers to a dictionary that is not there".into()));
            }
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
