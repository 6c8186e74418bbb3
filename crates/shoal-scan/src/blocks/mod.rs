//! Random blocks of rows and k-means in each of them: the one query whose answer is not a sum over rows.
//!
//! Every other partial answer is a vector of integers that adds up. k-means in a block does not: it needs the rows of the
//! block in one place, and the rows of a block are spread over all shards, since each row draws its block independently.
//! Two ways out were weighed:
//!
//! - *A block belongs to one shard.* No row would move, but the result would depend on how the table is split, blocks
//!   would be as uneven as shards are, and a shard with fewer rows than another would weigh as much as that one.
//! - *Rows of a block are gathered.* The answer is the same for every split. Rows leave their shard.
//!
//! Shoal gathers. A partial answer to [`Question::Blocks`](crate::Question::Blocks) therefore holds rows. Inside one process it merges like any other;
//! [`Partial::to_bytes`](crate::Partial::to_bytes) refuses it, so that an engine whose rows must not leave their machine
//! fails by default, with an error that names the query, and only
//! [`Partial::to_bytes_with_rows`](crate::Partial::to_bytes_with_rows) lets rows travel. A query may ask for some of the
//! blocks, so that whoever gathers needs memory for these only.
//!
//! *Which block a row goes to* depends on a secret key and on the row's place in the whole table ([`BlockDraw`]), not on its
//! contents: equal rows must be dealt independently. The number of the shard and the place in it would be as good for
//! privacy, but the result would differ from one split to the next. A shard knows the place of its first row because
//! whoever split the table assigned it. Shards that claim the same places are found out when their answers are merged.

mod draw;
mod rows;

pub use draw::{BlockDraw, Deal};
pub(crate) use rows::BlockRows;
