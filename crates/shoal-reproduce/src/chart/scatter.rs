//! Points in the colours of their classes.

use super::axis::{Ruler, nice_number};
use super::model::{Scale, Scatter};
use super::palette;
use super::svg::Place;

/// Draws points in their frame.
pub(super) fn draw(scatter: &Scatter, place: &Place<'_>) -> String {
    let x = Ruler::new(scatter.points.iter().map(|p| p.x), Scale::Linear, place.left, place.right);
    let y = Ruler::new(scatter.points.iter().map(|p| p.y), Scale::Linear, place.bottom, place.top);
    let mut out = place.across(&y, &y.ticks(None, 5));
    let labels: Vec<_> = x.ticks(None, 5).into_iter().map(|tick| (x.place(tick), nice_number(tick))).collect();
    out += &place.below(&labels);
    for point in &scatter.points {
        let (at, up) = (x.place(point.x), y.place(point.y));
        out += &match point.class {
            Some(class) => palette::mark(class, at, up, 2.0, &format!(r#"fill="{}""#, palette::colour(class))),
            None => palette::mark(0, at, up, 1.3, &format!(r#"fill="{}""#, palette::NOISE)),
        };
    }
    out + &place.frame(&scatter.x, &scatter.y)
}
