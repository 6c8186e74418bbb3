//! Drawings: elements with escaped text and numbers that are always numbers, paths, colours, and scales for axes.

mod element;
pub mod palette;
mod path;
pub mod scale;
pub mod text;

pub use element::{Element, Fragment, Share, Value, circle, ellipse, group, line, rect, text, view};
pub use path::Path;
