//! How a table is written, where it does not show. The comments here are the help texts.

use clap::Args;
use shoal_files::{DateOrder, DecimalMark, TableFormat};

use super::names::Names;
use super::parse::parse_size;

const DATES: Names<DateOrder> = Names(&[
    ("dmy", DateOrder::DayFirst, "The day comes first: 31/12/1985"),
    ("mdy", DateOrder::MonthFirst, "The month comes first: 12/31/1985"),
]);

const DECIMAL: Names<DecimalMark> =
    Names(&[(".", DecimalMark::Point, "1,234.5"), (",", DecimalMark::Comma, "1.234,5")]);

/// How a table is written; the same for every command that reads one.
#[derive(Args, Clone, Default)]
pub struct WrittenArgs {
    /// The character between columns of a text table; `tab` for a tab [default: found in the header line]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    pub delimiter: Option<u8>,
    /// The mark before decimals [default: a point where commas separate columns; otherwise each cell has to show it]
    #[arg(long, value_name = "MARK", value_parser = DECIMAL, hide_possible_values = true)]
    pub decimal: Option<DecimalMark>,
    /// What comes first in dates such as 4/5/1985, which are refused without this
    #[arg(long, value_name = "ORDER", value_parser = DATES)]
    pub dates: Option<DateOrder>,
    /// The sheet of a workbook that has several
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// The most bytes that a gzip or zstd file or a workbook may unpack to. A public number: that there is a result shows
    /// that the table is no longer
    #[arg(long, value_name = "SIZE", default_value = "1T", value_parser = parse_size)]
    pub unpacked_limit: Option<usize>,
}

impl WrittenArgs {
    /// The same for the library.
    pub fn to_library(&self) -> TableFormat {
        let usual = TableFormat::default();
        TableFormat {
            delimiter: self.delimiter,
            decimal: self.decimal,
            dates: self.dates,
            sheet: self.sheet.clone(),
            unpacked_limit: self.unpacked_limit.map_or(usual.unpacked_limit, |limit| limit as u64),
        }
    }

    /// What was given of it, by name and value as on a command line.
    pub fn repeated(&self) -> Vec<(&'static str, String)> {
        let mut given = Vec::new();
        if let Some(byte) = self.delimiter {
            given.push(("delimiter", if byte == b'\t' { "tab".into() } else { char::from(byte).to_string() }));
        }
        if let Some((name, ..)) = DECIMAL.0.iter().find(|(_, mark, _)| Some(*mark) == self.decimal) {
            given.push(("decimal", (*name).into()));
        }
        if let Some((name, ..)) = DATES.0.iter().find(|(_, order, _)| Some(*order) == self.dates) {
            given.push(("dates", (*name).into()));
        }
        if let Some(sheet) = &self.sheet {
            given.push(("sheet", sheet.clone()));
        }
        if let Some(limit) = self.unpacked_limit.filter(|&limit| limit as u64 != TableFormat::default().unpacked_limit)
        {
            given.push(("unpacked-limit", limit.to_string()));
        }
        given
    }
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text.eq_ignore_ascii_case("tab") || text == "\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii_punctuation() && *byte != b'"' || *byte == b'\t' || *byte == b' ' => Ok(*byte),
        _ => Err("give one character such as ; or |, or `tab`".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters() {
        assert_eq!(parse_delimiter(";"), Ok(b';'));
        assert_eq!(parse_delimiter("tab"), Ok(b'\t'));
        assert_eq!(parse_delimiter("\\t"), Ok(b'\t'));
        for text in ["", ";;", "a", "\"", "é", "\n"] {
            assert!(parse_delimiter(text).is_err(), "{text:?}");
        }
    }
}
