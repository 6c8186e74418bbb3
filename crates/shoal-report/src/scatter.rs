//! Two columns as a map of the clusters.
//!
//! Coordinates are percentages of the frame, so that the drawing follows the width of the page and its text does not
//! shrink. The axes of every column are drawn once, zoomed to what was released and at full bounds, and hidden but for
//! two; the script shows others and moves the clusters. Without a script the first two columns stay, zoomed.

use maud::{Markup, html};
use serde_json::json;
use shoal::facts::Facts;
use shoal::model::Model;
use shoal_page::html::json_for_script;
use shoal_page::svg::{Element, Fragment, Share, circle, ellipse, group, line, rect, text};
use shoal_page::text::listed;

use super::geometry::{Spot, View, badge_offsets, colour_class};

/// Ticks of an axis, about.
const TICKS: f64 = 10.0;

/// The figure; nothing when there is only one column.
pub fn scatter(model: &Model, facts: &Facts) -> Markup {
    if model.numbers() < 2 {
        return html! {};
    }
    let map = Map::of(model, facts);
    let (x, y) = (&model.columns[0], &model.columns[1]);
    html! {
        figure.scatter {
            figcaption { "The clusters, two columns at a time" }
            (chooser(model, facts))
            p.axis-title.up { bdi id="name-y" { (y) } " " span aria-hidden="true" { "↑" } }
            div.frame style={ "--gutter:" (format!("{:.1}", map.gutter())) "px" } { (map.drawing()) }
            p.axis-title.across { bdi id="name-x" { (x) } " " span aria-hidden="true" { "→" } }
            p.legend { (legend(facts)) }
        }
        (json_for_script("places", &map.places()))
    }
}

fn legend(facts: &Facts) -> Markup {
    let spread = facts.clusters.iter().any(|cluster| cluster.spread.is_some());
    let known = facts.clusters.iter().any(|cluster| cluster.values.iter().any(|value| value.interval().is_some()));
    let left_out: Vec<String> = facts.left_out().map(|cluster| cluster.number.to_string()).collect();
    html! {
        "Each numbered dot is the centre of a cluster."
        @if spread {
            " The ellipse shows how far its people are spread: two standard deviations each way."
        } @else {
            " How far its people are spread is not known."
        }
        @if known { " The box around the dot is the centre’s interval; if you see none, it is smaller than the dot." }
        " The picture is zoomed to what was found, within the public bounds."
        @if !left_out.is_empty() {
            " Not drawn, because "
            @if left_out.len() == 1 { "it is" } @else { "they are" }
            " noise or unstable: " @if left_out.len() == 1 { "cluster " } @else { "clusters " } (listed(&left_out)) "."
        }
    }
}

/// Lists to choose columns from and switches, shown by the script.
fn chooser(model: &Model, facts: &Facts) -> Markup {
    let list = |id: &str, chosen: usize| {
        html! {
            select id=(id) autocomplete="off" {
                @for (a, column) in model.columns[..model.numbers()].iter().enumerate() {
                    option value=(a) selected[a == chosen] { (column) }
                }
            }
        }
    };
    html! {
        div.chooser hidden {
            @if model.numbers() > 2 {
                label { "Horizontal " (list("pick-x", 0)) }
                label { "Vertical " (list("pick-y", 1)) }
            }
            label { input type="checkbox" id="full" autocomplete="off"; " full bounds" }
            @if facts.left_out().next().is_some() {
                label { input type="checkbox" id="doubtful" autocomplete="off"; " clusters left out" }
            }
        }
    }
}

/// What is drawn, in both views of every column.
struct Map<'a> {
    model: &'a Model,
    facts: &'a Facts,
    /// Zoomed and full, for each column.
    views: Vec<[View; 2]>,
}

impl<'a> Map<'a> {
    fn of(model: &'a Model, facts: &'a Facts) -> Self {
        let views = (0..model.numbers()).map(|i| [View::zoomed(model, facts, i), View::full(model, i)]).collect();
        Self { model, facts, views }
    }

    fn spot(&self, c: usize, column: usize) -> Spot {
        Spot::of(&self.facts.clusters[c], column, &self.views[column][0])
    }

    /// Axes, spreads, intervals and badges, each over the one before.
    fn drawing(&self) -> Element {
        let label = format!(
            "Map of cluster centres: {} horizontal, {} vertical. The table has the values.",
            self.model.columns[0], self.model.columns[1]
        );
        let layer = || group().set("aria-hidden", "true");
        let axes: Fragment = (0..self.model.numbers()).flat_map(|column| self.axes(column)).collect();
        let clipped = Element::new("svg")
            .class("within")
            .set("width", Share(1.0))
            .set("height", Share(1.0))
            .set("aria-hidden", "true")
            .with((0..self.model.k()).map(|c| self.body(c)).collect::<Fragment>());
        Element::new("svg")
            .set("id", "map")
            .set("role", "img")
            .set("aria-label", label)
            .with(layer().with(axes))
            .with(clipped)
            .with(layer().with(self.badges()))
    }

    /// The lines and labels of a column, horizontal and vertical, in both views.
    fn axes(&self, column: usize) -> Vec<Element> {
        let mut axes = Vec::new();
        for (view, name) in self.views[column].iter().zip(['z', 'f']) {
            let axis = |way: &str, letter: char, shown: usize| {
                let hidden = (column != shown || name == 'f').then_some("display:none");
                group()
                    .class(&format!("ticks {way}"))
                    .set("data-axis", format!("{letter}{column}{name}"))
                    .set_some("style", hidden)
            };
            let (mut across, mut up) = (axis("across", 'x', 0), axis("up", 'y', 1));
            for (i, (at, label)) in view.ticks(TICKS).into_iter().enumerate() {
                let (x, y) = (Share(at), Share(1.0 - at));
                let odd = if i % 2 == 1 { "odd" } else { "even" };
                across = across
                    .with(line(x, 0.0, x, Share(1.0)))
                    .with(text(x, Share(1.0), &label).set("dy", 40.0).class(odd));
                up =
                    up.with(line(0.0, y, Share(1.0), y)).with(text(0.0, y, &label).set("dx", -30.0).set("dy", ".35em"));
            }
            axes.extend([across, up]);
        }
        axes
    }

    /// Room for the longest label of a vertical axis, in pixels.
    fn gutter(&self) -> f64 {
        let labels = self.views.iter().flatten().flat_map(|view| view.ticks(TICKS));
        7.0 * labels.map(|(_, label)| label.chars().count()).max().unwrap_or(0) as f64 + 36.0
    }

    fn class(&self, c: usize, class: &str) -> String {
        let cluster = &self.facts.clusters[c];
        let doubtful = if cluster.reliance.is_drawn() { "" } else { " doubtful" };
        format!("{class} {}{doubtful}", colour_class(cluster.number))
    }

    /// Spread, interval and centre of a cluster. The script counts on this order.
    fn body(&self, c: usize) -> Element {
        let (x, y) = (self.spot(c, 0), self.spot(c, 1));
        let half = |ends: [f64; 2]| Share((ends[1] - ends[0]) / 2.0);
        let middle = |ends: [f64; 2]| (ends[1] + ends[0]) / 2.0;
        group()
            .class(&self.class(c, "body"))
            .set("data-body", c.to_string())
            .with(ellipse(Share(middle(x.spread)), Share(1.0 - middle(y.spread)), half(x.spread), half(y.spread)))
            .with(rect(
                Share(x.interval[0]),
                Share(1.0 - y.interval[1]),
                Share(x.interval[1] - x.interval[0]),
                Share(y.interval[1] - y.interval[0]),
            ))
            .with(circle(Share(x.at), Share(1.0 - y.at), 3.5))
    }

    fn badges(&self) -> Fragment {
        let spots: Vec<_> = (0..self.model.k()).map(|c| (self.spot(c, 0).at, self.spot(c, 1).at)).collect();
        let offsets = badge_offsets(&spots);
        let badge = |c: usize| {
            let (dx, dy) = offsets[c];
            let number = self.facts.clusters[c].number.to_string();
            let number = Element::new("text").set("dy", ".35em").says(&number);
            let place = group().set("transform", format!("translate({dx:.1} {dy:.1})"));
            Element::new("svg")
                .class(&self.class(c, "badge"))
                .set("data-at", c.to_string())
                .set("x", Share(spots[c].0))
                .set("y", Share(1.0 - spots[c].1))
                .with(line(0.0, 0.0, dx, dy))
                .with(place.with(circle(0.0, 0.0, 9.5)).with(number))
        };
        (0..self.model.k()).map(badge).collect()
    }

    /// What the script needs: for each column its name and, for each view and centre, place, interval and spread.
    fn places(&self) -> String {
        let rounded = |x: f64| (x * 1e5).round() / 1e5;
        let column = |(a, column): (usize, &String)| {
            let of = |view: &View| -> Vec<[f64; 5]> {
                let spot = |cluster| {
                    let Spot { at, interval, spread } = Spot::of(cluster, a, view);
                    [at, interval[0], interval[1], spread[0], spread[1]].map(rounded)
                };
                self.facts.clusters.iter().map(spot).collect()
            };
            json!({ "name": column, "zoomed": of(&self.views[a][0]), "full": of(&self.views[a][1]) })
        };
        let columns: Vec<_> = self.model.columns[..self.model.numbers()].iter().enumerate().map(column).collect();
        json!({ "columns": columns, "clusters": self.model.k() }).to_string()
    }
}
