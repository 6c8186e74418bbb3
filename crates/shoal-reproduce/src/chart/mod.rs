//! Pictures as data: panels with axes and series. [`svg`] draws them, [`png`] turns that into pixels.

mod axis;
mod bars;
mod boxes;
mod heat_map;
mod legend;
mod lines;
mod model;
mod palette;
mod png;
mod scatter;
mod svg;
mod text;

pub use axis::nice_number;
pub use model::{
    Axis, Bars, Body, BoxGroup, Boxes, Chart, HeatMap, Lines, Panel, Point, Scale, Scatter, ScatterPoint, Series, Style,
};
pub use png::png;
pub use svg::{Heading, Hover, Scales, svg};
pub use text::escape;
