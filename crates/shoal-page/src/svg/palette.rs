//! Colours and marks that stay apart for colour-blind readers and on paper.

use super::element::{Element, circle};
use super::path::Path;

/// After Okabe and Ito, without their yellow, which is too pale for lines on white.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1b1b1b", "#8c6d46"];

/// Colour of letters and of what stands out.
pub const INK: &str = "#1c2a33";

/// Colour of labels.
pub const SOFT: &str = "#54636d";

/// Colour of warnings.
pub const WARNING: &str = "#a04a00";

/// Colour of values that a paper prints.
pub const PRINTED: &str = "#1b1b1b";

/// Colour of points that belong to no class.
pub const NOISE: &str = "#b8bec2";

/// The colour of a series or class.
#[must_use]
pub fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// Colour and dashes of a reference, such as a result without privacy: grey, so that it takes no colour from what is
/// compared.
#[must_use]
pub fn reference(index: usize) -> (&'static str, &'static str) {
    [("#5b6770", "5 4"), ("#5b6770", "1.5 3"), ("#8c969c", "9 3 2 3")][index % 3]
}

/// Lines of the second round of colours are broken, so that they differ from the first.
#[must_use]
pub fn dashes(index: usize) -> &'static str {
    match index / COLOURS.len() {
        0 => "",
        1 => "6 3",
        _ => "2 2",
    }
}

/// A mark about a point: another shape for each of six series.
pub fn mark(index: usize, x: f64, y: f64, size: f64) -> Element {
    let s = size;
    match index % 6 {
        0 => circle(x, y, s),
        1 => square(x, y, s * 0.9),
        2 => Path::at(x, y - s * 1.2).line_by(s * 1.15, s * 2.0).line_by(-s * 2.3, 0.0).closed().draw(),
        3 => Path::at(x, y - s * 1.3)
            .line_by(s * 1.3, s * 1.3)
            .line_by(-s * 1.3, s * 1.3)
            .line_by(-s * 1.3, -s * 1.3)
            .closed()
            .draw(),
        4 => Path::at(x, y + s * 1.2).line_by(s * 1.15, -s * 2.0).line_by(-s * 2.3, 0.0).closed().draw(),
        _ => cross(x, y, s * 0.8),
    }
}

/// A square, by half of its side.
fn square(x: f64, y: f64, half: f64) -> Element {
    Path::at(x - half, y - half)
        .line_by(2.0 * half, 0.0)
        .line_by(0.0, 2.0 * half)
        .line_by(-2.0 * half, 0.0)
        .closed()
        .draw()
}

/// An upright cross, by the width of its arms.
fn cross(x: f64, y: f64, a: f64) -> Element {
    let steps = [
        (a, 0.0),
        (0.0, a),
        (a, 0.0),
        (0.0, a),
        (-a, 0.0),
        (0.0, a),
        (-a, 0.0),
        (0.0, -a),
        (-a, 0.0),
        (0.0, -a),
        (a, 0.0),
    ];
    let start = Path::at(x - 0.5 * a, y - 1.5 * a);
    steps.into_iter().fold(start, |path, (dx, dy)| path.line_by(dx, dy)).closed().draw()
}

/// From white to dark blue, for a share from 0 to 1, and whether letters on it must be white. One hue, so that
/// colour-blind readers see the order.
#[must_use]
pub fn shade(share: f64) -> (String, bool) {
    const STOPS: [[f64; 3]; 6] = [
        [247.0, 251.0, 255.0],
        [214.0, 230.0, 244.0],
        [155.0, 201.0, 224.0],
        [83.0, 158.0, 205.0],
        [28.0, 107.0, 176.0],
        [8.0, 48.0, 107.0],
    ];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (place.floor() as usize).min(STOPS.len() - 2);
    let part = place - below as f64;
    let mix = |c: usize| (STOPS[below][c] + (STOPS[below + 1][c] - STOPS[below][c]) * part).round() as u8;
    (format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2)), share > 0.55)
}
