//! The measured curve against the promised one: ε over δ.

use std::fmt::Write;

use shoal_audit::allowed::short;
use shoal_audit::statistical::Point;
use shoal_audit::{Line, Measure};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 44.0;

/// A picture, where there is more than one point to show.
pub fn curve(line: &Line) -> String {
    let Measure::Events(finding) = &line.measure else { return String::new() };
    let mut points: Vec<&Point> = finding.curve.iter().collect();
    points.sort_by(|a, b| a.delta.total_cmp(&b.delta));
    if points.len() < 2 {
        return String::new();
    }
    let most = points.iter().flat_map(|point| [point.at_least, point.allowed.unwrap_or(0.0)]).fold(0.0, f64::max);
    let step = round_step(most);
    let top = (most / step).ceil().max(1.0) * step;
    // δ = 0 has no place on a logarithmic axis, so the points stand in order at equal steps, each with its δ.
    let x = |i: usize| LEFT + (WIDTH - LEFT - RIGHT) * (i as f64 + 0.5) / points.len() as f64;
    let y = |epsilon: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * epsilon / top;
    let mut svg = format!(
        "<figure class=\"curve\"><figcaption>Lost at least, against promised</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Measured and promised ε at each δ\">"
    );
    // Writing into a string does not fail.
    for i in 0..=(top / step).round() as usize {
        let value = i as f64 * step;
        let at = y(value);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0,
            short(value)
        );
    }
    for (i, point) in points.iter().enumerate() {
        let label = short(point.delta);
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            x(i),
            HEIGHT - BOTTOM + 18.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">δ</text><text x=\"{}\" y=\"14\" text-anchor=\"end\">ε</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 6.0,
        LEFT - 8.0
    );
    let promised: Vec<(f64, f64)> =
        points.iter().enumerate().filter_map(|(i, point)| point.allowed.map(|epsilon| (x(i), y(epsilon)))).collect();
    let lost: Vec<(f64, f64)> = points.iter().enumerate().map(|(i, point)| (x(i), y(point.at_least))).collect();
    let path =
        |points: &[(f64, f64)]| points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ");
    let _ = write!(svg, "<polyline class=\"promised\" points=\"{}\"/>", path(&promised));
    let _ = write!(svg, "<polyline class=\"lost\" points=\"{}\"/>", path(&lost));
    for (x, y) in &promised {
        let _ = write!(
            svg,
            "<rect class=\"promised-dot\" x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\"/>",
            x - 3.0,
            y - 3.0
        );
    }
    for (point, (x, y)) in points.iter().zip(&lost) {
        let class = if point.is_broken() { "broken" } else { "lost-dot" };
        let told = point.allowed.map_or("nothing".into(), short);
        let _ = write!(
            svg,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"><title>δ = {}: ε ≥ {} is lost, {told} is promised</title></circle>",
            short(point.delta),
            short(point.at_least)
        );
    }
    let _ = write!(
        svg,
        "<line class=\"promised\" x1=\"{0}\" x2=\"{1}\" y1=\"10\" y2=\"10\"/><text x=\"{2}\" y=\"14\">promised</text><line class=\"lost\" x1=\"{3}\" x2=\"{4}\" y1=\"10\" y2=\"10\"/><text x=\"{5}\" y=\"14\">lost at least</text>",
        WIDTH - 250.0,
        WIDTH - 220.0,
        WIDTH - 214.0,
        WIDTH - 130.0,
        WIDTH - 100.0,
        WIDTH - 94.0
    );
    svg.push_str("</svg></figure>");
    svg
}

/// A step of 1, 2 or 5 times a power of ten that makes about four of the whole.
fn round_step(most: f64) -> f64 {
    let rough = (most / 4.0).max(1e-6);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|step| *step >= rough).unwrap_or(power)
}
