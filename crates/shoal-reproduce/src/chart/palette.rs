//! Colours and marks that stay apart for colour-blind readers and on paper.

/// After Okabe and Ito, without their yellow, which is too pale for lines on white.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1b1b1b", "#8c6d46"];

/// Colour of values that the paper prints.
pub const PRINTED: &str = "#1b1b1b";

/// Colour of points that belong to no class.
pub const NOISE: &str = "#b8bec2";

/// The colour of a series or class.
pub fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// Colour and dashes of a reference, such as a result without privacy: grey, so that it takes no colour from what is compared.
pub fn reference(index: usize) -> (&'static str, &'static str) {
    [("#5b6770", "5 4"), ("#5b6770", "1.5 3"), ("#8c969c", "9 3 2 3")][index % 3]
}

/// Lines of the second round of colours are broken, so that they are told from the first.
pub fn dashes(index: usize) -> &'static str {
    match index / COLOURS.len() {
        0 => "",
        1 => "6 3",
        _ => "2 2",
    }
}

/// A mark about a point: another shape for each series.
pub fn mark(index: usize, x: f64, y: f64, size: f64, attributes: &str) -> String {
    let path = |d: String| format!(r#"<path d="{d}" {attributes}/>"#);
    let s = size;
    match index % 6 {
        0 => format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{s:.1}" {attributes}/>"#),
        1 => path(format!("M{:.1} {:.1}h{:.1}v{:.1}h{:.1}z", x - s * 0.9, y - s * 0.9, s * 1.8, s * 1.8, -s * 1.8)),
        2 => path(format!("M{x:.1} {:.1}l{:.1} {:.1}h{:.1}z", y - s * 1.2, s * 1.15, s * 2.0, -s * 2.3)),
        3 => path(format!(
            "M{x:.1} {:.1}l{s2:.1} {s2:.1}l{m:.1} {s2:.1}l{m:.1} {m:.1}z",
            y - s * 1.3,
            s2 = s * 1.3,
            m = -s * 1.3
        )),
        4 => path(format!("M{x:.1} {:.1}l{:.1} {:.1}h{:.1}z", y + s * 1.2, s * 1.15, -s * 2.0, -s * 2.3)),
        _ => path(format!(
            "M{:.1} {:.1}h{a:.1}v{a:.1}h{a:.1}v{a:.1}h{b:.1}v{a:.1}h{b:.1}v{b:.1}h{b:.1}v{b:.1}h{a:.1}z",
            x - s * 0.4,
            y - s * 1.2,
            a = s * 0.8,
            b = -s * 0.8
        )),
    }
}

/// From white to dark blue, for a share from 0 to 1. One hue, so that colour-blind readers see the order.
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
