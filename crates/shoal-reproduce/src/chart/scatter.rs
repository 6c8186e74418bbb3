//! Points in the colours of their classes.

use shoal_page::svg::Fragment;
use shoal_page::svg::palette::{self, NOISE};
use shoal_page::text::compact;

use super::axis::Ruler;
use super::model::{Scale, Scatter};
use super::place::Place;

/// Draws points in their frame.
pub(super) fn draw(scatter: &Scatter, place: &Place<'_>) -> Fragment {
    let x = Ruler::new(scatter.points.iter().map(|p| p.x), Scale::Linear, place.left, place.right);
    let y = Ruler::new(scatter.points.iter().map(|p| p.y), Scale::Linear, place.bottom, place.top);
    let mut out = place.across(&y, &y.ticks(None, 5));
    let labels: Vec<_> = x.ticks(None, 5).into_iter().map(|tick| (x.place(tick), compact(tick))).collect();
    out.add(place.below(&labels));
    for point in &scatter.points {
        let (at, up) = (x.place(point.x), y.place(point.y));
        out.add(match point.class {
            Some(class) => palette::mark(class, at, up, 2.0).fill(palette::colour(class)),
            None => palette::mark(0, at, up, 1.3).fill(NOISE),
        });
    }
    out.add(place.frame(&scatter.x, &scatter.y));
    out
}
