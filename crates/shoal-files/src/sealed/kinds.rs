//! The kinds of sealed files: their keys, their versions, and what messages call them.

use shoal_privacy::Parameter;

/// What a seal consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SealForm {
    /// JSON with the number of rows and the CRC-32 of the description, the rows and that number.
    RowsAndChecksum,
    /// The CRC-32 of the description and the rows alone, as eight hexadecimal digits.
    Checksum,
}

/// One kind of sealed file.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealedKind {
    /// The key under which a file describes itself.
    pub key: &'static str,
    /// The key under which a Parquet file has its seal.
    pub seal_key: &'static str,
    /// The first word of the last line of a text file, for kinds that have a text form.
    pub end_key: Option<&'static str>,
    /// What the seal consists of.
    pub seal: SealForm,
    /// The versions of the format that this program reads.
    pub versions: &'static [u32],
    /// A file of this kind.
    pub file: &'static str,
    /// What a row is.
    pub row: &'static str,
    /// What is in the file.
    pub things: &'static str,
    /// What is in the file and where it is used, for someone who expected something else.
    pub purpose: &'static str,
    /// The command that writes such files.
    pub made_by: &'static str,
    /// The parameter that names the file there.
    pub given_as: Parameter,
    /// What cannot be done with an empty file.
    pub nothing_to: &'static str,
}

/// Reports of a crowd, written by people's devices for a server.
pub const REPORTS: SealedKind = SealedKind {
    key: "shoal.reports",
    seal_key: "shoal.reports.crc32",
    end_key: Some("shoal.reports.end"),
    seal: SealForm::RowsAndChecksum,
    versions: &[1],
    file: "report file",
    row: "report",
    things: "reports",
    purpose: "reports of a crowd, for `shoal cluster`",
    made_by: "shoal perturb",
    given_as: Parameter::OUT,
    nothing_to: "cluster",
};

/// Codes of a consortium, written by custodians for an aggregator.
pub const CODES: SealedKind = SealedKind {
    key: "shoal.codes",
    seal_key: "shoal.codes.crc32",
    end_key: None,
    seal: SealForm::RowsAndChecksum,
    versions: &[1],
    file: "code file",
    row: "code",
    things: "codes",
    purpose: "codes of a consortium, for `shoal consortium cluster`",
    made_by: "shoal consortium encode",
    given_as: Parameter::OUT,
    nothing_to: "compare",
};

/// Noisy cells of a grid (version 1) or a tree (version 2), released by a curator.
pub const SYNOPSIS: SealedKind = SealedKind {
    key: "shoal.synopsis",
    seal_key: "shoal.synopsis.crc32",
    end_key: None,
    seal: SealForm::Checksum,
    versions: &[1, 2],
    file: "synopsis",
    row: "cell",
    things: "synopsis",
    purpose: "noisy cells, for `shoal cluster`",
    made_by: "shoal fit",
    given_as: Parameter::SYNOPSIS,
    nothing_to: "cluster",
};
