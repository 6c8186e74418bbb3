//! Pictures as data: panels with axes and series. [`svg`] draws them, [`png`] turns that into pixels.

mod axis;
mod bars;
mod boxes;
mod heat_map;
mod legend;
mod lines;
mod model;
mod place;
mod png;
mod scatter;
mod svg;

pub use model::{
    Axis, Bars, Body, BoxGroup, Boxes, Chart, HeatMap, Lines, Panel, Point, Scale, Scatter, ScatterPoint, Series, Style,
};
pub use place::{Hover, Scales};
pub use png::png;
pub(crate) use svg::drawing;
pub use svg::{Heading, svg};
