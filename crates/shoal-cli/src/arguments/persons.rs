//! Whose rows a table has. The comments here are the help texts.

use clap::Args;
use shoal_files::PerPerson;

/// Whose rows a table has; the same for every command that releases something from a table.
#[derive(Args, Default)]
pub struct PersonArgs {
    /// The columns that together say whose row it is: the guarantee is then about persons, however many rows they have
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub person: Vec<String>,
    /// Which rows of a person count: `mean` of all, `first:COLUMN` or `last:COLUMN` by a date or a number, or `up-to:M` rows at
    /// random, which share ε [default: mean]
    #[arg(long, value_name = "ROWS", value_parser = parse_per_person, requires = "person")]
    pub per_person: Option<PerPerson>,
}

pub fn parse_per_person(text: &str) -> Result<PerPerson, String> {
    text.parse().map_err(|error: shoal_files::PerPersonError| error.to_string())
}
