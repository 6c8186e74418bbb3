//! Rows of persons: one row, or a few, for each person, from a table in which a person may have any number.
//!
//! A person is named by one or more columns. Their rows are found by a *keyed hash* of that name, so that the name itself goes
//! nowhere: not to the lattice, not to a file, not to a message. What becomes of a person's rows ([`PerPerson`]) follows from
//! these rows and the key alone, and from no other row of the table. So two tables that differ in all rows of one person
//! differ, after grouping, in the rows of that person: one for [`PerPerson::Mean`], [`PerPerson::First`] and
//! [`PerPerson::Last`], at most M for [`PerPerson::UpTo`]. Every promise about persons rests on this.
//!
//! | file | what it does |
//! |---|---|
//! | [`per_person`](PerPerson) | the four ways, as text and as values |
//! | `names` | the names of a batch's persons, and when their rows were made |
//! | `moment` | a date, a time or a number, in an order |
//! | `keyed_hash` | a name without the name |
//! | `cell` | what a value is while rows are grouped: a lattice coordinate, or a number before there are bounds |
//! | `roster` | the persons that fit in memory, with what is known of each |
//! | `spill` | rows of the others, on disk, parted by their hash |
//! | `grouping` | all together: rows in, persons out, in the order of their hashes |
//! | `spooled` | rows of persons, kept in memory or in a file without a name |
//! | `person_rows` | persons of a table, on the lattice or as they are |
//! | `key_names` | names of columns that look like a person's |

pub(crate) mod cell;
pub(crate) mod grouping;
pub(crate) mod key_names;
pub(crate) mod keyed_hash;
pub(crate) mod moment;
pub(crate) mod names;
pub(crate) mod parquet_names;
mod per_person;
pub(crate) mod person_rows;
pub(crate) mod roster;
pub(crate) mod spill;
pub(crate) mod spooled;

pub use key_names::looks_like_a_key;
pub use keyed_hash::PersonKey;
pub use per_person::{PerPerson, PerPersonError};
pub use person_rows::{PersonRows, load_persons};
