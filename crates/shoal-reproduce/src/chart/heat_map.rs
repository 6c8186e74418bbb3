//! A table of colours.

use super::axis::nice_number;
use super::model::{HeatMap, Scale};
use super::palette;
use super::svg::Place;
use super::text::{cut, escape, width};

/// Strips of colour in the ruler, and how wide each is.
const STRIPS: usize = 20;
const STRIP: f64 = 4.0;
/// Size of small letters.
const SMALL: f64 = 10.5;

/// Room for the labels of the rows.
pub(super) fn label_width(map: &HeatMap) -> f64 {
    map.rows.iter().map(|row| width(row, 11.0)).fold(0.0, f64::max).clamp(24.0, 190.0)
}

/// Draws a table of colours, with a ruler of colours at the top.
pub(super) fn draw(map: &HeatMap, place: &Place<'_>) -> String {
    let shown = |x: &f64| x.is_finite() && (map.scale == Scale::Linear || *x > 0.0);
    let (low, high) = map.range.unwrap_or_else(|| {
        map.values
            .iter()
            .flatten()
            .copied()
            .filter(|x| shown(x))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    });
    let share = |x: f64| match map.scale {
        Scale::Linear => (x - low) / (high - low).max(f64::MIN_POSITIVE),
        Scale::Log => (x / low).ln() / (high / low).ln().max(f64::MIN_POSITIVE),
    };
    // Shares and scores have two decimals throughout; small numbers have two digits.
    let plain = map.scale == Scale::Linear && (0.2..=1.0).contains(&high) && low > -10.0;
    let whole = map.values.iter().flatten().all(|x| x.fract() == 0.0);
    let top = place.top + ruler_height(map, place, low, high);
    let wide = (place.right - place.left) / map.columns.len().max(1) as f64;
    let high_each = (place.bottom - top) / map.rows.len().max(1) as f64;
    let mut out = ruler(map, place, low, high);
    for (r, row) in map.rows.iter().enumerate() {
        let y = top + r as f64 * high_each;
        out += &format!(
            r##"<text x="{:.1}" y="{:.1}" text-anchor="end" font-size="11" fill="#54636d">{}</text>"##,
            place.left - 6.0,
            y + high_each / 2.0 + 4.0,
            escape(&cut(row, 11.0, 195.0))
        );
        for (c, column) in map.columns.iter().enumerate() {
            let value = map.values[r][c];
            if value.is_nan() {
                continue;
            }
            let (colour, dark) = palette::shade(if shown(&value) { share(value) } else { 0.0 });
            let told = format!("{}: {row}\n{}: {column}\n{}: {}", map.y, map.x, map.value, nice_number(value));
            let (attributes, content) = place.tip(&told);
            let x = place.left + c as f64 * wide;
            out += &format!(
                r##"<rect x="{x:.1}" y="{y:.1}" width="{wide:.1}" height="{high_each:.1}" fill="{colour}" stroke="#ffffff" stroke-width="0.6"{attributes}>{content}</rect>"##
            );
            let label = match () {
                () if whole => nice_number(value),
                () if plain => format!("{value:.2}"),
                () => short(value),
            };
            let size = 9.5;
            if width(&label, size) <= wide - 2.0 && high_each >= 13.0 {
                out += &format!(
                    r#"<text x="{:.1}" y="{:.1}" text-anchor="middle" font-size="{size}" fill="{}" pointer-events="none">{label}</text>"#,
                    x + wide / 2.0,
                    y + high_each / 2.0 + 3.5,
                    if dark { "#ffffff" } else { "#1c2a33" }
                );
            }
        }
    }
    let labels: Vec<_> =
        map.columns.iter().enumerate().map(|(i, l)| (place.left + (i as f64 + 0.5) * wide, l.clone())).collect();
    out += &place.below(&labels);
    let (middle, centre) = ((place.left + place.right) / 2.0, (top + place.bottom) / 2.0);
    let up = place.left - label_width(map) - 14.0;
    out + &format!(
        r#"<text x="{middle:.1}" y="{:.1}" text-anchor="middle" font-size="12">{}</text><text x="{up:.1}" y="{centre:.1}" text-anchor="middle" font-size="12" transform="rotate(-90 {up:.1} {centre:.1})">{}</text>"#,
        place.bottom + 36.0,
        escape(&map.x),
        escape(&map.y)
    )
}

/// Room above the colours: for what they mean and their ends, in one line or two.
fn ruler_height(map: &HeatMap, place: &Place<'_>, low: f64, high: f64) -> f64 {
    let ends = width(&nice_number(low), SMALL) + width(&nice_number(high), SMALL) + STRIPS as f64 * STRIP + 20.0;
    if width(&map.value, SMALL) + ends <= place.right - place.left { 26.0 } else { 40.0 }
}

/// What the colours mean: a strip from the smallest to the largest value.
fn ruler(map: &HeatMap, place: &Place<'_>, low: f64, high: f64) -> String {
    let text = |x: f64, y: f64, text: &str| {
        format!(r#"<text x="{x:.1}" y="{:.1}" font-size="{SMALL}">{}</text>"#, y + 10.0, escape(text))
    };
    let (mut x, mut y) = (place.left, place.top + 1.0);
    let mut out = text(x, y, &cut(&map.value, SMALL, place.right - place.left));
    if ruler_height(map, place, low, high) > 30.0 {
        y += 15.0;
    } else {
        x += width(&map.value, SMALL) + 8.0;
    }
    out += &text(x, y, &nice_number(low));
    x += width(&nice_number(low), SMALL) + 4.0;
    for i in 0..STRIPS {
        let (colour, _) = palette::shade(i as f64 / (STRIPS - 1) as f64);
        let at = x + i as f64 * STRIP;
        out += &format!(r#"<rect x="{at:.1}" y="{y:.1}" width="{STRIP}" height="12" fill="{colour}"/>"#);
    }
    let end = x + STRIPS as f64 * STRIP;
    out += &format!(
        r##"<rect x="{x:.1}" y="{y:.1}" width="{:.1}" height="12" fill="none" stroke="#9aa6ad" stroke-width="0.6"/>"##,
        end - x
    );
    out + &text(end + 5.0, y, &nice_number(high))
}

/// Two digits, to fit in a cell.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    match value.abs() {
        x if x >= 100.0 => nice_number(value.round()),
        x if x >= 10.0 => nice_number((value * 10.0).round() / 10.0),
        x if x >= 0.095 => format!("{value:.2}"),
        x if x >= 0.00095 => format!("{value:.4}").trim_end_matches('0').to_string(),
        _ => format!("{value:.0e}"),
    }
}
