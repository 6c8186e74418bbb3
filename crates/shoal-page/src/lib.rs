//! What people read: numbers and words, HTML pages, and drawings.
//!
//! Three rooms, each the only one of its kind in the project:
//!
//! - [`text`]: numbers with as many digits as they deserve, plurals, lists, names that cannot harm a terminal;
//! - [`html`]: pages that are complete in themselves. Text is escaped by its type: a `&str` put into a page is always
//!   text, and only [`maud::Markup`] is markup;
//! - [`svg`]: drawings, with the same rule, and the scales and round steps that their axes need.
//!
//! ```
//! use maud::html;
//! use shoal_page::html::Page;
//! use shoal_page::svg::{Share, circle, line};
//! use shoal_page::text::plural;
//!
//! let column = "<age>";
//! let drawing = line(0.0, 5.0, Share(1.0), 5.0).with(circle(Share(0.25), 5.0, 3.0).title("cluster 1"));
//! let body = html! {
//!     h1 { (plural(2, "cluster")) " by " (column) }
//!     svg width="100%" height="10" { (drawing) }
//! };
//! let page = Page::new("Two clusters", body).style("h1 { color: teal }").render();
//! assert!(page.contains("2 clusters by &lt;age&gt;"));
//! ```

pub mod html;
pub mod svg;
pub mod text;
