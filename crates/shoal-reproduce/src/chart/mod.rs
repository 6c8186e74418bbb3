//! Pictures as data: panels with axes and series.

mod model;

pub use model::{
    Axis, Bars, Body, BoxGroup, Boxes, Chart, HeatMap, Lines, Panel, Point, Scale, Scatter, ScatterPoint, Series, Style,
};
