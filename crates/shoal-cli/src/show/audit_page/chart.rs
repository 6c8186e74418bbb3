//! The measured curve against the claimed one: ε over δ.

use maud::{Markup, html};
use shoal_audit::allowed::short;
use shoal_audit::statistical::Point;
use shoal_audit::{Line, Measure};
use shoal_page::svg::scale::round_step;
use shoal_page::svg::{Element, Path, circle, line, rect, text, view};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 44.0;

/// A picture, where there is more than one point to show.
pub fn curve(line: &Line) -> Markup {
    let Measure::Events(finding) = &line.measure else { return html! {} };
    let mut points: Vec<&Point> = finding.curve.iter().collect();
    points.sort_by(|a, b| a.delta.total_cmp(&b.delta));
    if points.len() < 2 {
        return html! {};
    }
    html! { figure.curve { figcaption { "Lower bound on the loss, against the guarantee" } (drawing(&points)) } }
}

/// Where values lie in the frame.
struct Frame {
    points: usize,
    /// ε at the upper edge, a whole number of steps.
    top: f64,
    step: f64,
}

impl Frame {
    fn of(points: &[&Point]) -> Self {
        let most = points.iter().flat_map(|point| [point.at_least, point.allowed.unwrap_or(0.0)]).fold(0.0, f64::max);
        let step = round_step((most / 4.0).max(1e-6), false).unwrap_or(1.0);
        Self { points: points.len(), top: (most / step).ceil().max(1.0) * step, step }
    }

    /// δ = 0 has no place on a logarithmic axis, so the points are in order at equal steps, each with its δ.
    fn x(&self, i: usize) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (i as f64 + 0.5) / self.points as f64
    }

    fn y(&self, epsilon: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * epsilon / self.top
    }
}

fn drawing(points: &[&Point]) -> Element {
    let frame = Frame::of(points);
    let allowed = |(i, point): (usize, &&Point)| point.allowed.map(|epsilon| (frame.x(i), frame.y(epsilon)));
    let promised: Vec<(f64, f64)> = points.iter().enumerate().filter_map(allowed).collect();
    let lost: Vec<(f64, f64)> =
        points.iter().enumerate().map(|(i, point)| (frame.x(i), frame.y(point.at_least))).collect();
    let mut svg = axes(view(WIDTH, HEIGHT, "Measured and guaranteed ε at each δ"), &frame, points)
        .with(Path::through(promised.iter().copied()).draw().class("promised"))
        .with(Path::through(lost.iter().copied()).draw().class("lost"));
    for (x, y) in promised {
        svg = svg.with(rect(x - 3.0, y - 3.0, 6.0, 6.0).class("promised-dot"));
    }
    for (point, (x, y)) in points.iter().zip(lost) {
        let class = if point.is_broken() { "broken" } else { "lost-dot" };
        let allowed = point.allowed.map_or("nothing".into(), short);
        let title = format!("δ = {}: ε ≥ {} is lost, {allowed} is allowed", short(point.delta), short(point.at_least));
        svg = svg.with(circle(x, y, 4.5).class(class).title(&title));
    }
    legend(svg)
}

fn axes(mut svg: Element, frame: &Frame, points: &[&Point]) -> Element {
    let label = |x: f64, y: f64, words: &str, anchor: &str| text(x, y, words).set("text-anchor", anchor);
    for i in 0..=(frame.top / frame.step).round() as usize {
        let value = i as f64 * frame.step;
        let y = frame.y(value);
        svg = svg.with(line(LEFT, y, WIDTH - RIGHT, y).class("grid")).with(label(
            LEFT - 8.0,
            y + 4.0,
            &short(value),
            "end",
        ));
    }
    for (i, point) in points.iter().enumerate() {
        svg = svg.with(label(frame.x(i), HEIGHT - BOTTOM + 18.0, &short(point.delta), "middle"));
    }
    svg.with(label((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6.0, "δ", "middle")).with(label(LEFT - 8.0, 14.0, "ε", "end"))
}

fn legend(svg: Element) -> Element {
    let sample = |x: f64, class: &str| line(x, 10.0, x + 30.0, 10.0).class(class);
    svg.with(sample(WIDTH - 250.0, "promised"))
        .with(text(WIDTH - 214.0, 14.0, "guaranteed"))
        .with(sample(WIDTH - 125.0, "lost"))
        .with(text(WIDTH - 89.0, 14.0, "lower bound"))
}
