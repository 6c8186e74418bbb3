//! Tables: whatever bytes they hold, cut into whatever chunks, and what is refused.

mod any_bytes;
mod bad_input;
mod chunking;
mod data_support;
mod persons;
mod text_care;
mod workbooks;
mod written;
