//! How far the numbers can be trusted, in plain words.

use shoal::model::{Kind, Model};
use shoal_curator::SWAMPED;

use super::promise;
use super::tables::chip;
use super::text::{escape, listed, percent};
use crate::show::quality;
use crate::show::summary::fewer_words;

/// Above this part of the range a centre is blurred; above [`SWAMPED`] it is mostly noise.
const BLURRED: f64 = 0.05;
/// Right end of the gauge.
const GAUGE: f64 = 0.30;
/// Pairs of clusters that are named before the rest is only counted.
const PAIRS: usize = 5;

/// The whole section.
pub fn trust(model: &Model) -> String {
    let error = model.expected_error.center_rmse;
    let mut points = vec![format!("<li>{}</li>", sentence(model))];
    if let Some(found) = &model.nicv_estimate {
        let words = escape(&quality::sentence(found, model.columns.len()));
        points.push(format!("<li><strong>How well the clusters fit was measured, privately:</strong> {words}</li>"));
    }
    if let Some(fewer) = fewer_words(model) {
        points.push(format!("<li><strong>There are fewer clusters than asked for:</strong> {}</li>", escape(&fewer)));
    }
    if let Some(least) = least_certain(model) {
        points.push(format!("<li>{least}</li>"));
    }
    if let Some(pairs) = not_told_apart(model) {
        points.push(format!("<li>{pairs}</li>"));
    }
    if !model.sizes.is_empty() {
        points.push(format!(
            "<li><strong>Sizes are noisy too.</strong> The number of {} of a cluster, and with it its share, is not exact; small clusters suffer most.</li>",
            model.units()
        ));
    }
    points.push(
        "<li><strong>Noise is not the only doubt.</strong> Another number of clusters or another start may divide the same people differently, as with any clustering.</li>"
            .into(),
    );
    let warning = if model.drowned() {
        // The page begins with it.
        String::new()
    } else if model.expected_error.swamps() {
        format!(
            r#"<div class="card warning" role="note"><p class="tag"><span aria-hidden="true">▲</span> Mostly noise</p><p>These centres are mostly noise: use more {}, fewer clusters or columns, or a larger ε.</p></div>"#,
            model.units()
        )
    } else {
        String::new()
    };
    format!("{warning}{}<ul class=\"points\">{}</ul>", gauge(error), points.concat())
}

fn sentence(model: &Model) -> String {
    let error = model.expected_error.center_rmse;
    if !(error.is_finite() && error > 0.0) {
        return "<strong>No noise is stated for these centres.</strong> They are shown as they were computed.".into();
    }
    let private = promise::verdict(model).is_ok();
    let verdict = if error > SWAMPED {
        "Where they lie says little about the data."
    } else if error > BLURRED {
        "The rough picture holds; fine differences do not."
    } else {
        "Differences between centres that are several times larger are hardly noise."
    };
    format!(
        "<strong>{} by about {} of each column’s range.</strong> {verdict}{}",
        if model.kind == Kind::Crowd { "A centre is off" } else { "Privacy noise moves a centre" },
        percent(error),
        if private && model.kind == Kind::Curator {
            " By how much each one was really moved, nobody knows: the noise was not kept."
        } else {
            ""
        }
    )
}

/// A scale from no noise to far too much, with the clustering's place on it.
fn gauge(error: f64) -> String {
    if !error.is_finite() {
        return String::new();
    }
    let place = |share: f64| share.clamp(0.0, GAUGE) / GAUGE * 100.0;
    format!(
        r#"<div class="gauge" role="img" aria-label="Expected error {shown} of the range. Up to 5 % is clear, up to 15 % blurred, above that mostly noise.">
<div class="gauge-bar"><i style="width:{clear:.1}%"></i><i style="width:{blurred:.1}%"></i><i></i><b style="left:{at:.1}%"></b></div>
<div class="gauge-words" aria-hidden="true"><span style="width:{clear:.1}%">clear</span><span style="width:{blurred:.1}%">blurred</span><span>mostly noise</span></div>
</div>"#,
        shown = percent(error),
        clear = place(BLURRED),
        blurred = place(SWAMPED) - place(BLURRED),
        at = place(error),
    )
}

/// Root mean square noise of one centre, in fractions of the ranges.
fn noise_of(model: &Model, c: usize) -> f64 {
    let squares = model.centre_sd[c].iter().zip(&model.bounds).map(|(sd, interval)| (sd / interval.width()).powi(2));
    (squares.sum::<f64>() / model.columns.len().max(1) as f64).sqrt()
}

fn least_certain(model: &Model) -> Option<String> {
    let noise: Vec<_> = (0..model.k()).map(|c| noise_of(model, c)).collect();
    let worst = (0..model.k()).max_by(|a, b| noise[*a].total_cmp(&noise[*b]))?;
    let clearly_worse = noise[worst].is_finite() && noise[worst] > 1.5 * model.expected_error.center_rmse.max(1e-12);
    let typical = percent(noise[worst]);
    (model.k() > 1 && clearly_worse).then(|| {
        format!(
            "<strong>Least certain is cluster {}:</strong> noise moves it by about {typical}. The fewer {} a cluster has, the less is known of it.",
            chip(worst),
            model.units()
        )
    })
}

/// Clusters whose centres differ by less than their noise in every attribute.
fn not_told_apart(model: &Model) -> Option<String> {
    let apart = |a: usize, b: usize| {
        (0..model.columns.len()).any(|i| {
            let noise = 2.0 * model.centre_sd[a][i].hypot(model.centre_sd[b][i]);
            (model.centres[a][i] - model.centres[b][i]).abs() > noise
        })
    };
    let pairs: Vec<_> =
        (0..model.k()).flat_map(|a| (a + 1..model.k()).map(move |b| (a, b))).filter(|(a, b)| !apart(*a, *b)).collect();
    if pairs.is_empty() {
        return None;
    }
    let named: Vec<_> = pairs.iter().take(PAIRS).map(|(a, b)| format!("{}–{}", chip(*a), chip(*b))).collect();
    let shown = if pairs.len() > PAIRS {
        format!("{} and {} more pairs", named.join(", "), pairs.len() - PAIRS)
    } else {
        listed(&named)
    };
    Some(format!(
        "<strong>Some clusters may be one and the same.</strong> Noise alone could explain the difference between {shown}."
    ))
}

/// The box at the top of a page whose centres mean nothing.
pub fn drowned(model: &Model) -> String {
    if !model.drowned() {
        return String::new();
    }
    r#"<div class="card warning" role="note"><p class="tag"><span aria-hidden="true">▲</span> Nothing to see</p><p>The error of these centres is as large as the distances between them: these reports do not tell clusters apart. Collect more reports, ask for fewer clusters, use fewer columns, or a larger ε.</p></div>"#.into()
}
