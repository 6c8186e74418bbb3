//! Two attributes as a map of the centres.
//!
//! Coordinates are percentages of the frame, so that the drawing follows the width of the page and its text does not
//! shrink. The axes of every attribute are drawn once and hidden but for two; the script shows others and moves the
//! centres. Without a script the first two attributes stay.

use serde_json::json;
use shoal::model::Model;

use super::geometry::{COLOURS, Spot, badge_offsets, pc, radii, ticks};
use super::text::{escape, rows};

/// The figure; nothing when there is only one attribute.
pub fn scatter(model: &Model) -> String {
    if model.columns.len() < 2 {
        return String::new();
    }
    let (x, y) = (&model.columns[0], &model.columns[1]);
    let (bubbles, badges) = centres(model);
    format!(
        r#"<figure class="scatter">
<figcaption>The centres, two attributes at a time</figcaption>
{chooser}
<p class="axis-title up"><span aria-hidden="true">↑</span> <bdi id="name-y">{y_name}</bdi></p>
<div class="frame" style="--gutter:{gutter:.1}px"><svg id="map" role="img" aria-label="{label}">
<g aria-hidden="true">{axes}</g>
<g aria-hidden="true">{bubbles}</g>
<svg class="noise" width="100%" height="100%" aria-hidden="true">{bands}</svg>
<g aria-hidden="true">{badges}</g>
</svg></div>
<p class="axis-title across"><bdi id="name-x">{x_name}</bdi> <span aria-hidden="true">→</span></p>
<p class="legend">Each numbered circle is the centre of a cluster; {areas} The cross and the ellipse show how far privacy noise may have moved the centre (two standard deviations each way). The inner frame marks the public bounds.</p>
</figure>
<script type="application/json" id="places">{places}</script>"#,
        chooser = chooser(model),
        areas = if model.sizes.is_empty() {
            "numbers of rows are not released.".to_string()
        } else {
            format!("its area shows how many {} the cluster has.", model.units())
        },
        x_name = escape(x),
        y_name = escape(y),
        label = escape(&format!(
            "Map of {} cluster centres: {x} across, {y} up. The table below has the values.",
            model.k()
        )),
        axes = (0..model.columns.len()).map(|a| axes(model, a)).collect::<String>(),
        bands = bands(model),
        gutter = gutter(model),
        places = places(model),
    )
}

/// Two lists to choose attributes from, shown by the script.
fn chooser(model: &Model) -> String {
    if model.columns.len() < 3 {
        return String::new();
    }
    let list = |chosen: usize| -> String {
        let option = |(a, column): (usize, &String)| {
            let selected = if a == chosen { " selected" } else { "" };
            format!(r#"<option value="{a}"{selected}>{}</option>"#, escape(column))
        };
        model.columns.iter().enumerate().map(option).collect()
    };
    format!(
        r#"<div class="chooser" hidden><label>Across <select id="pick-x" autocomplete="off">{}</select></label><label>Up <select id="pick-y" autocomplete="off">{}</select></label></div>"#,
        list(0),
        list(1)
    )
}

fn axes(model: &Model, attribute: usize) -> String {
    let hidden = |shown: usize| if attribute == shown { "" } else { r#" style="display:none""# };
    let (mut across, mut up) = (String::new(), String::new());
    for (at, label) in ticks(&model.bounds[attribute], 5.0) {
        let (x, y, label) = (pc(at), pc(1.0 - at), escape(&label));
        across += &format!(r#"<line x1="{x}" x2="{x}" y2="100%"/><text x="{x}" y="100%" dy="40">{label}</text>"#);
        up += &format!(r#"<line y1="{y}" y2="{y}" x2="100%"/><text y="{y}" dx="-30" dy=".35em">{label}</text>"#);
    }
    format!(
        r#"<g class="ticks across" data-axis="x{attribute}"{}>{across}</g><g class="ticks up" data-axis="y{attribute}"{}>{up}</g>"#,
        hidden(0),
        hidden(1)
    )
}

/// Room for the longest label of an axis that goes up, in pixels.
fn gutter(model: &Model) -> f64 {
    let labels = model.bounds.iter().flat_map(|interval| ticks(interval, 5.0));
    7.0 * labels.map(|(_, label)| label.chars().count()).max().unwrap_or(0) as f64 + 34.0
}

fn bands(model: &Model) -> String {
    let band = |c: usize| {
        let (x, y) = (Spot::of(model, c, 0), Spot::of(model, c, 1));
        let (cx, cy, rx, ry) = (pc(x.at), pc(1.0 - y.at), pc(x.reach), pc(y.reach));
        format!(
            r#"<g class="c{colour}" data-band="{c}"><ellipse cx="{cx}" cy="{cy}" rx="{rx}" ry="{ry}"/><line x1="{}" x2="{}" y1="{cy}" y2="{cy}"/><line x1="{cx}" x2="{cx}" y1="{}" y2="{}"/></g>"#,
            pc(x.at - x.reach),
            pc(x.at + x.reach),
            pc(1.0 - y.at - y.reach),
            pc(1.0 - y.at + y.reach),
            colour = c % COLOURS,
        )
    };
    by_size(model).into_iter().map(band).collect()
}

/// Bubbles and badges apart: the noise is drawn over the ones, and nothing over the others.
fn centres(model: &Model) -> (String, String) {
    let spots: Vec<_> = (0..model.k()).map(|c| (Spot::of(model, c, 0).at, Spot::of(model, c, 1).at)).collect();
    let radii = radii(&sizes(model));
    let offsets = badge_offsets(&spots, &radii);
    let order = by_size(model);
    let place = |c: usize| (pc(spots[c].0), pc(1.0 - spots[c].1), c % COLOURS);
    let bubble = |&c: &usize| {
        let (x, y, colour) = place(c);
        let about =
            model.sizes.get(c).map_or_else(String::new, |size| format!(": about {} {}", rows(*size), model.units()));
        let title = escape(&format!("Cluster {}{about}", c + 1));
        format!(
            r#"<svg class="bubble c{colour}" data-at="{c}" x="{x}" y="{y}"><title>{title}</title><circle r="{:.1}"/></svg>"#,
            radii[c]
        )
    };
    let badge = |&c: &usize| {
        let ((x, y, colour), (dx, dy)) = (place(c), offsets[c]);
        // A badge that had to move away from its bubble is tied to it.
        let (tx, ty) = if dx.hypot(dy) > radii[c].max(15.0) + 1.0 { (dx, dy) } else { (0.0, 0.0) };
        format!(
            r#"<svg class="badge c{colour}" data-at="{c}" x="{x}" y="{y}"><line x2="{tx:.1}" y2="{ty:.1}"/><g transform="translate({dx:.1} {dy:.1})"><circle r="9.5"/><text dy=".35em">{}</text></g></svg>"#,
            c + 1
        )
    };
    (order.iter().map(bubble).collect(), order.iter().map(badge).collect())
}

/// What the circles' areas show: the sizes, or the same for all where there are none.
fn sizes(model: &Model) -> Vec<f64> {
    if model.sizes.is_empty() { vec![1.0; model.k()] } else { model.sizes.clone() }
}

/// Largest first: small ones are drawn over them.
fn by_size(model: &Model) -> Vec<usize> {
    let (mut order, sizes) = ((0..model.k()).collect::<Vec<_>>(), sizes(model));
    order.sort_by(|a, b| sizes[*b].total_cmp(&sizes[*a]));
    order
}

/// What the script needs: for each attribute its name and, for each centre, place and reach; and the radii.
fn places(model: &Model) -> String {
    let rounded = |x: f64| (x * 1e5).round() / 1e5;
    let attribute = |(a, column): (usize, &String)| {
        let spots: Vec<_> =
            (0..model.k()).map(|c| Spot::of(model, c, a)).map(|s| [rounded(s.at), rounded(s.reach)]).collect();
        json!({ "name": column, "spots": spots })
    };
    let attributes: Vec<_> = model.columns.iter().enumerate().map(attribute).collect();
    let text = json!({ "attributes": attributes, "radii": radii(&sizes(model)) }).to_string();
    // Inside a script element only `<` could end it; the others are for older readers.
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
