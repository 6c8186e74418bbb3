//! What a picture says.

use crate::statistics::Summary;

/// Panels side by side, under one legend.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// How many stand beside each other.
    pub columns: usize,
}

/// One picture of several.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What it is about: a data set, a setting.
    pub title: String,
    /// What must be stated on the plot itself, such as a substitute for the paper's data.
    pub note: Option<String>,
    /// The picture.
    pub body: Body,
}

/// A kind of picture.
#[derive(Clone, Debug)]
pub enum Body {
    /// Curves with bands.
    Lines(Lines),
    /// Groups of bars.
    Bars(Bars),
    /// Groups of box plots.
    Boxes(Boxes),
    /// A table of colours.
    HeatMap(HeatMap),
    /// Points in colours.
    Scatter(Scatter),
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equal differences.
    Linear,
    /// Equal steps are equal ratios.
    Log,
}

/// An axis: its title with the unit in brackets, and its scale.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The title, such as `privacy budget ε` or `NICV (squared widths of the box)`.
    pub title: String,
    /// The scale that the paper uses. Pages let readers change it.
    pub scale: Scale,
    /// Where labels stand; chosen if none are given.
    pub ticks: Option<Vec<f64>>,
}

impl Axis {
    /// An axis in equal differences.
    #[must_use]
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Linear, ticks: None }
    }

    /// An axis in equal ratios.
    #[must_use]
    pub fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Log, ticks: None }
    }

    /// The same axis with labels at these places.
    #[must_use]
    pub fn ticks(self, ticks: &[f64]) -> Self {
        Self { ticks: Some(ticks.to_vec()), ..self }
    }
}

/// Curves.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
}

/// How a curve looks beside its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line with a mark at each point.
    Marked,
    /// A line alone, for densities and formulas.
    Plain,
    /// A broken line, for references such as a result without privacy.
    Dashed,
    /// Marks alone, for values that the paper prints.
    Printed,
}

/// A curve. Series of one name have one colour in all panels.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// How it looks.
    pub style: Style,
    /// Its points.
    pub points: Vec<Point>,
}

/// A point, with the ends of its band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Lower end of the band.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Point {
    /// A point that is known exactly.
    #[must_use]
    pub fn exact(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y }
    }

    /// A mean over runs, with a band of two standard errors.
    #[must_use]
    pub fn mean(x: f64, summary: &Summary) -> Self {
        let (low, high) = summary.band();
        Self { x, y: summary.mean, low, high }
    }
}

/// Groups of bars, one bar a series.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Title of the axis across.
    pub x: String,
    /// Up.
    pub y: Axis,
    /// The groups' labels.
    pub groups: Vec<String>,
    /// A name and a value with its band for each group.
    pub series: Vec<(String, Vec<Option<Point>>)>,
}

/// Groups of box plots, one box a series.
#[derive(Clone, Debug)]
pub struct Boxes {
    /// Title of the axis across.
    pub x: String,
    /// Up.
    pub y: Axis,
    /// The groups.
    pub groups: Vec<BoxGroup>,
}

/// The boxes above one label.
#[derive(Clone, Debug)]
pub struct BoxGroup {
    /// The label.
    pub label: String,
    /// The boxes: a series' name and all of its runs.
    pub boxes: Vec<(String, Vec<f64>)>,
}

/// A table of colours, dark for large.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// Title of the axis across.
    pub x: String,
    /// Title of the axis up.
    pub y: String,
    /// What the colours mean.
    pub value: String,
    /// Labels of the columns.
    pub columns: Vec<String>,
    /// Labels of the rows, from the top.
    pub rows: Vec<String>,
    /// The values, row by row. `NaN` is left blank.
    pub values: Vec<Vec<f64>>,
    /// The values at the ends of the colours, the same in panels that are to be compared. From the values if none.
    pub range: Option<(f64, f64)>,
    /// How colours follow values.
    pub scale: Scale,
}

/// Points in colours.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// Title of the axis across.
    pub x: String,
    /// Title of the axis up.
    pub y: String,
    /// The points.
    pub points: Vec<ScatterPoint>,
}

/// A point and its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScatterPoint {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Its class; none for noise.
    pub class: Option<usize>,
}
