//! Two attributes as a map of the centres.
//!
//! Coordinates are percentages of the frame, so that the drawing follows the width of the page and its text does not
//! shrink. The axes of every attribute are drawn once and hidden but for two; the script shows others and moves the
//! centres. Without a script the first two attributes stay.

use maud::{Markup, html};
use serde_json::json;
use shoal::model::Model;
use shoal_page::html::json_for_script;
use shoal_page::svg::{Element, Fragment, Share, circle, ellipse, group, line, text};
use shoal_page::text::fixed;

use super::geometry::{Spot, badge_offsets, colour_class, radii, ticks};

/// The figure; nothing when there is only one attribute.
pub fn scatter(model: &Model) -> Markup {
    if model.columns.len() < 2 {
        return html! {};
    }
    let (x, y) = (&model.columns[0], &model.columns[1]);
    html! {
        figure.scatter {
            figcaption { "The centres, two attributes at a time" }
            (chooser(model))
            p.axis-title.up { span aria-hidden="true" { "↑" } " " bdi id="name-y" { (y) } }
            div.frame style={ "--gutter:" (format!("{:.1}", gutter(model))) "px" } { (map(model)) }
            p.axis-title.across { bdi id="name-x" { (x) } " " span aria-hidden="true" { "→" } }
            p.legend {
                "Each numbered circle is the centre of a cluster; "
                @if model.sizes.is_empty() {
                    "numbers of rows are not released."
                } @else {
                    "its area shows how many " (model.units()) " the cluster has."
                }
                " The cross and the ellipse show how far privacy noise may have moved the centre (two standard deviations each way). The inner frame marks the public bounds."
            }
        }
        (json_for_script("places", &places(model)))
    }
}

/// Axes, bubbles, noise and badges, each over the one before.
fn map(model: &Model) -> Element {
    let label = format!(
        "Map of {} cluster centres: {} across, {} up. The table below has the values.",
        model.k(),
        model.columns[0],
        model.columns[1]
    );
    let layer = || group().set("aria-hidden", "true");
    let (bubbles, badges) = centres(model);
    let axes: Fragment = (0..model.columns.len()).flat_map(|attribute| axes(model, attribute)).collect();
    let noise = Element::new("svg")
        .class("noise")
        .set("width", Share(1.0))
        .set("height", Share(1.0))
        .set("aria-hidden", "true")
        .with(bands(model));
    Element::new("svg")
        .set("id", "map")
        .set("role", "img")
        .set("aria-label", label)
        .with(layer().with(axes))
        .with(layer().with(bubbles))
        .with(noise)
        .with(layer().with(badges))
}

/// Two lists to choose attributes from, shown by the script.
fn chooser(model: &Model) -> Markup {
    if model.columns.len() < 3 {
        return html! {};
    }
    let list = |id: &str, chosen: usize| {
        html! {
            select id=(id) autocomplete="off" {
                @for (a, column) in model.columns.iter().enumerate() {
                    option value=(a) selected[a == chosen] { (column) }
                }
            }
        }
    };
    html! {
        div.chooser hidden {
            label { "Across " (list("pick-x", 0)) }
            label { "Up " (list("pick-y", 1)) }
        }
    }
}

/// The lines and labels of an attribute, across and up.
fn axes(model: &Model, attribute: usize) -> [Element; 2] {
    let hidden = |shown: usize| (attribute != shown).then_some("display:none");
    let axis = |way: &str, letter: char, shown: usize| {
        group()
            .class(&format!("ticks {way}"))
            .set("data-axis", format!("{letter}{attribute}"))
            .set_some("style", hidden(shown))
    };
    let (mut across, mut up) = (axis("across", 'x', 0), axis("up", 'y', 1));
    for (at, label) in ticks(&model.bounds[attribute], 5.0) {
        let (x, y) = (Share(at), Share(1.0 - at));
        across = across.with(line(x, 0.0, x, Share(1.0))).with(text(x, Share(1.0), &label).set("dy", 40.0));
        up = up.with(line(0.0, y, Share(1.0), y)).with(text(0.0, y, &label).set("dx", -30.0).set("dy", ".35em"));
    }
    [across, up]
}

/// Room for the longest label of an axis that goes up, in pixels.
fn gutter(model: &Model) -> f64 {
    let labels = model.bounds.iter().flat_map(|interval| ticks(interval, 5.0));
    7.0 * labels.map(|(_, label)| label.chars().count()).max().unwrap_or(0) as f64 + 34.0
}

fn bands(model: &Model) -> Fragment {
    let band = |c: usize| {
        let (x, y) = (Spot::of(model, c, 0), Spot::of(model, c, 1));
        let (cx, cy) = (Share(x.at), Share(1.0 - y.at));
        let (left, right) = (Share(x.at - x.spread), Share(x.at + x.spread));
        let (top, bottom) = (Share(1.0 - y.at - y.spread), Share(1.0 - y.at + y.spread));
        // The script counts on this order.
        group()
            .class(colour_class(c))
            .set("data-band", c.to_string())
            .with(ellipse(cx, cy, Share(x.spread), Share(y.spread)))
            .with(line(left, cy, right, cy))
            .with(line(cx, top, cx, bottom))
    };
    by_size(model).into_iter().map(band).collect()
}

/// Bubbles and badges apart: the noise is drawn over the ones, and nothing over the others.
fn centres(model: &Model) -> (Fragment, Fragment) {
    let spots: Vec<_> = (0..model.k()).map(|c| (Spot::of(model, c, 0).at, Spot::of(model, c, 1).at)).collect();
    let radii = radii(&sizes(model));
    let offsets = badge_offsets(&spots, &radii);
    let order = by_size(model);
    let at = |c: usize, class: &str| {
        Element::new("svg")
            .class(&format!("{class} {}", colour_class(c)))
            .set("data-at", c.to_string())
            .set("x", Share(spots[c].0))
            .set("y", Share(1.0 - spots[c].1))
    };
    let bubble = |&c: &usize| {
        let about = model
            .sizes
            .get(c)
            .map_or_else(String::new, |size| format!(": about {} {}", fixed(*size, 0), model.units()));
        let circle = Element::new("circle").set("r", radii[c]);
        at(c, "bubble").title(&format!("Cluster {}{about}", c + 1)).with(circle)
    };
    let badge = |&c: &usize| {
        let (dx, dy) = offsets[c];
        // A badge that had to move away from its bubble is tied to it.
        let (tx, ty) = if dx.hypot(dy) > radii[c].max(15.0) + 1.0 { (dx, dy) } else { (0.0, 0.0) };
        let number = Element::new("text").set("dy", ".35em").says(&(c + 1).to_string());
        let place = group().set("transform", format!("translate({dx:.1} {dy:.1})"));
        at(c, "badge").with(line(0.0, 0.0, tx, ty)).with(place.with(circle(0.0, 0.0, 9.5)).with(number))
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

/// What the script needs: for each attribute its name and, for each centre, place and spread; and the radii.
fn places(model: &Model) -> String {
    let rounded = |x: f64| (x * 1e5).round() / 1e5;
    let attribute = |(a, column): (usize, &String)| {
        let spots: Vec<_> =
            (0..model.k()).map(|c| Spot::of(model, c, a)).map(|s| [rounded(s.at), rounded(s.spread)]).collect();
        json!({ "name": column, "spots": spots })
    };
    let attributes: Vec<_> = model.columns.iter().enumerate().map(attribute).collect();
    json!({ "attributes": attributes, "radii": radii(&sizes(model)) }).to_string()
}
