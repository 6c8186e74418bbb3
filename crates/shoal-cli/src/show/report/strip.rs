//! Every attribute as a strip: its public interval, and on it the centres with their noise.

use shoal::model::Model;

use super::geometry::{BAND, COLOURS, Spot, pc};
use super::text::{escape, listed, name, number, with_noise};

/// Fraction of a strip that a badge takes on a narrow screen.
const BADGE: f64 = 0.055;
/// Lanes a strip may have; beyond, badges share one.
const LANES: usize = 12;
/// Height of a lane in pixels.
const LANE: f64 = 21.0;

/// The figure.
pub fn strips(model: &Model) -> String {
    let rows: String = (0..model.columns.len()).map(|attribute| strip(model, attribute)).collect();
    format!(
        r#"<figure class="strips">
<figcaption>{caption}</figcaption>
{rows}
<p class="legend">Each band runs from the lowest to the highest value that the public bounds allow. A numbered dot is a cluster’s centre; its line reaches two standard deviations of privacy noise each way, and where none is seen it is shorter than the dot.{cut}</p>
</figure>"#,
        caption = if model.columns.len() == 1 { "Where the centres lie" } else { "Every attribute on its own" },
        cut = cut_note(model)
    )
}

fn strip(model: &Model, attribute: usize) -> String {
    let spots: Vec<_> = (0..model.k()).map(|c| Spot::of(model, c, attribute)).collect();
    let lanes = lanes(&spots);
    let height = LANE * (lanes.iter().max().copied().unwrap_or(0) + 1) as f64 + 9.0;
    let height_of = |c: usize| LANE * (lanes[c] as f64 + 0.5) + 4.5;
    let band = |(c, spot): (usize, &Spot)| {
        let y = height_of(c);
        let (from, to) = ((spot.at - spot.reach).max(0.0), (spot.at + spot.reach).min(1.0));
        let cap = |at: f64, cut: bool| {
            let x = pc(at);
            if cut { String::new() } else { format!(r#"<line x1="{x}" x2="{x}" y1="{}" y2="{}"/>"#, y - 4.0, y + 4.0) }
        };
        format!(
            r#"<g class="c{}"><line x1="{}" x2="{}" y1="{y}" y2="{y}"/>{}{}</g>"#,
            c % COLOURS,
            pc(from),
            pc(to),
            cap(from, spot.at - spot.reach < 0.0),
            cap(to, spot.at + spot.reach > 1.0),
        )
    };
    let badge = |(c, spot): (usize, &Spot)| {
        let (x, y) = (pc(spot.at), height_of(c));
        format!(
            r#"<g class="c{}"><circle cx="{x}" cy="{y}" r="9.5"/><text x="{x}" y="{y}" dy=".35em">{}</text></g>"#,
            c % COLOURS,
            c + 1
        )
    };
    let (lo, hi) = (model.bounds[attribute].lo(), model.bounds[attribute].hi());
    let values: Vec<_> = (0..model.k())
        .map(|c| {
            let (value, band) = with_noise(model.centres[c][attribute], BAND * model.centre_sd[c][attribute]);
            let band = band.map_or_else(String::new, |band| format!(" give or take {band}"));
            format!("cluster {} at {value}{band}", c + 1)
        })
        .collect();
    let label = format!("{}, from {} to {}: {}.", model.columns[attribute], number(lo), number(hi), values.join("; "));
    format!(
        r#"<div class="strip"><p class="strip-name">{name}</p><div><svg role="img" aria-label="{label}" height="{height}"><rect class="track" width="100%" height="100%" rx="6"/>{bands}{badges}</svg><p class="ends" aria-hidden="true"><span>{lo}</span><span>{hi}</span></p></div></div>
"#,
        name = name(&model.columns[attribute]),
        label = escape(&label),
        bands = spots.iter().enumerate().map(band).collect::<String>(),
        badges = spots.iter().enumerate().map(badge).collect::<String>(),
        lo = number(lo),
        hi = number(hi),
    )
}

/// A lane for each centre, so that no band runs through another's badge; where that takes too many lanes, so that at
/// least few badges cover each other.
fn lanes(spots: &[Spot]) -> Vec<usize> {
    let whole = packed(spots, |spot| spot.reach.max(BADGE / 2.0));
    if whole.iter().all(|lane| *lane < LANES) {
        return whole;
    }
    packed(spots, |_| BADGE / 2.0).into_iter().map(|lane| lane % LANES).collect()
}

/// From left to right, each in the first lane that is free; `half` is half of what one takes.
fn packed(spots: &[Spot], half: impl Fn(&Spot) -> f64) -> Vec<usize> {
    let start = |c: &usize| spots[*c].at - half(&spots[*c]);
    let mut order: Vec<_> = (0..spots.len()).collect();
    order.sort_by(|a, b| start(a).total_cmp(&start(b)));
    let mut ends: Vec<f64> = Vec::new();
    let mut lanes = vec![0; spots.len()];
    for c in order {
        let end = spots[c].at + half(&spots[c]);
        lanes[c] = ends.iter().position(|taken| *taken <= start(&c)).unwrap_or(ends.len());
        match ends.get_mut(lanes[c]) {
            Some(taken) => *taken = end,
            None => ends.push(end),
        }
    }
    lanes
}

/// A sentence on bands that do not fit into the picture, if there are any.
fn cut_note(model: &Model) -> String {
    let cut: Vec<_> = (0..model.k())
        .filter(|c| (0..model.columns.len()).any(|a| Spot::of(model, *c, a).is_cut()))
        .map(|c| (c + 1).to_string())
        .collect();
    match cut.len() {
        0 => String::new(),
        1 => {
            format!(" The noise of cluster {} reaches past the bounds in places; it is drawn only up to them.", cut[0])
        }
        n if n == model.k() => {
            " The noise of every cluster reaches past the bounds in places; it is drawn only up to them.".into()
        }
        _ => format!(
            " The noise of clusters {} reaches past the bounds in places; it is drawn only up to them.",
            listed(&cut)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(at: f64) -> Spot {
        Spot { at, reach: 0.01 }
    }

    #[test]
    fn near_badges_get_lanes_of_their_own() {
        assert_eq!(lanes(&[spot(0.5), spot(0.1), spot(0.51), spot(0.9)]), [0, 0, 1, 0]);
        assert_eq!(lanes(&[spot(0.5), Spot { at: 0.2, reach: 0.4 }]), [1, 0]);
        assert!(lanes(&[spot(0.5); 50]).into_iter().all(|lane| lane < LANES));
    }
}
