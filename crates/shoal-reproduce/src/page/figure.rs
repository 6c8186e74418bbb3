//! The page of a figure.

use super::{page, status_chip, verdict_chip};
use crate::chart::{Body, Chart, Hover, Scale, Scales, escape, nice_number, svg};
use crate::lab::Effort;
use crate::outcome::Outcome;
use crate::printed::{Comparison, Relation};

const SCRIPT: &str = include_str!("script.js");

/// The page: the picture with its values at hand, what the paper says and prints, and how all was measured.
#[must_use]
pub fn figure(outcome: &Outcome, command: &str) -> String {
    let info = &outcome.info;
    let told = outcome.told();
    let id = &info.id;
    let heading = format!("{} {}: {}", info.paper.key(), info.label, info.title);
    let quick = match outcome.effort {
        Effort::Quick => format!(
            r#"<p class="banner">Quick look, not the paper’s protocol: {} Without <code>--quick</code> the command below measures all of it.</p>"#,
            escape(&info.quick)
        ),
        Effort::Paper => String::new(),
    };
    let body = format!(
        r#"<header>
<p class="facts"><a href="index.html">All figures</a></p>
<h1>{heading}</h1>
<p class="facts">{citation}</p>
</header>
<main>
{quick}
<div class="card">{chip}<p>{paragraph}</p></div>
{chart}
<p class="facts">Click a name in the legend to hide or show its series; point at a mark for its value. Bands and error bars are two standard errors to both sides. <a href="{id}.csv">Numbers</a>, <a href="{id}.svg">SVG</a>, <a href="{id}.png">PNG</a>.</p>
{statements}
{printed}
{caveats}
<section><h2>How it was measured</h2>
<dl><div><dt>Protocol</dt><dd>{protocol}</dd></div>
<div><dt>Quick look</dt><dd>{short}</dd></div>
<div><dt>Seed</dt><dd>{seed}: the same numbers each time, but for times</dd></div></dl>
<code class="command">{command}</code></section>
</main>"#,
        heading = escape(&heading),
        citation = escape(info.paper.citation()),
        chip = status_chip(told.status),
        paragraph = escape(&outcome.drawing.paragraph),
        chart = pictures(outcome),
        statements = statements(outcome),
        printed = printed(&outcome.comparisons),
        caveats = caveats(outcome),
        protocol = escape(&info.protocol),
        short = escape(&info.quick),
        seed = outcome.seed,
        command = escape(command),
    );
    page(&heading, &body, SCRIPT)
}

/// The picture in the scales that make sense, one shown at a time.
fn pictures(outcome: &Outcome) -> String {
    let chart = &outcome.drawing.chart;
    let (x, y) = axes(chart);
    let choices = |own: Option<Scale>| match own {
        None => vec![None],
        Some(Scale::Linear) => vec![None, Some(Scale::Log)],
        Some(Scale::Log) => vec![None, Some(Scale::Linear)],
    };
    let mut out = String::from(r#"<figure class="chart">"#);
    let button = |axis: &str, own: Option<Scale>, words: &str| match own {
        None => String::new(),
        Some(own) => format!(
            r#"<label><input type="checkbox" data-axis="{axis}"{}> {words}</label>"#,
            if own == Scale::Log { " checked" } else { "" }
        ),
    };
    if x.is_some() || y.is_some() {
        let (across, up) = (button("x", x, "log scale across"), button("y", y, "log scale up"));
        out += &format!(r#"<div class="controls">{across}{up}</div>"#);
    }
    let is_log = |own: Option<Scale>, other: Option<Scale>| other.or(own) == Some(Scale::Log);
    for across in choices(x) {
        for up in choices(y) {
            let first = across.is_none() && up.is_none();
            let picture = svg(chart, &outcome.heading(), Scales { x: across, y: up }, Hover::Attributes);
            out += &format!(
                r#"<div class="picture" data-x="{}" data-y="{}"{}>{picture}</div>"#,
                is_log(x, across),
                is_log(y, up),
                if first { "" } else { " hidden" }
            );
        }
    }
    out + "</figure>"
}

/// The scale of the axes, where readers may change it: values that a log scale can show.
fn axes(chart: &Chart) -> (Option<Scale>, Option<Scale>) {
    let mut x = Vec::new();
    let mut y = Vec::new();
    for panel in &chart.panels {
        match &panel.body {
            Body::Lines(lines) => {
                let positive = |of: fn(&crate::chart::Point) -> f64| {
                    lines.series.iter().flat_map(|series| &series.points).all(|point| of(point) > 0.0)
                };
                x.push(positive(|point| point.x).then_some(lines.x.scale));
                y.push(positive(|point| point.y).then_some(lines.y.scale));
            }
            Body::Bars(bars) => {
                let values = bars.series.iter().flat_map(|(_, values)| values.iter().flatten());
                y.push(values.map(|point| point.y).all(|y| y > 0.0).then_some(bars.y.scale));
            }
            Body::Boxes(boxes) => {
                let values = boxes.groups.iter().flat_map(|group| &group.boxes).flat_map(|(_, runs)| runs);
                y.push(values.copied().all(|y| y > 0.0).then_some(boxes.y.scale));
            }
            Body::HeatMap(_) | Body::Scatter(_) => {}
        }
    }
    let common = |scales: Vec<Option<Scale>>| {
        scales.iter().all(Option::is_some).then(|| scales.first().copied().flatten()).flatten()
    };
    (common(x), common(y))
}

fn statements(outcome: &Outcome) -> String {
    if outcome.drawing.statements.is_empty() {
        return String::new();
    }
    let row = |statement: &crate::Statement| {
        format!(
            "<tr><td>{}{}</td><td>{}</td><td>{}</td></tr>",
            escape(&statement.says),
            if statement.ours { " <span class=\"source\">(our remark)</span>" } else { "" },
            verdict_chip(statement.verdict),
            escape(&statement.found)
        )
    };
    let rows: String = outcome.drawing.statements.iter().map(row).collect();
    format!(
        r#"<section><h2>What the paper says of it</h2><div class="scroll"><table class="words"><thead><tr><th>the paper</th><th>here</th><th>measured</th></tr></thead><tbody>{rows}</tbody></table></div></section>"#
    )
}

fn printed(comparisons: &[Comparison]) -> String {
    if comparisons.is_empty() {
        return "<section><h2>Printed and measured</h2><p>The paper prints no value of this figure in its text or tables.</p></section>".into();
    }
    let row = |comparison: &Comparison| {
        let printed = &comparison.printed;
        let sign = match printed.relation {
            Relation::Equal => "",
            Relation::Above => "above ",
            Relation::Below => "below ",
            Relation::About => "about ",
        };
        let measured = comparison.measured.map_or("–".to_string(), |(mean, error)| {
            if error > 0.0 { format!("{} ± {}", nice_number(mean), nice_number(error)) } else { nice_number(mean) }
        });
        let verdict = match comparison.agrees {
            Some(true) => r#"<span class="chip good">agrees</span>"#,
            Some(false) => r#"<span class="chip bad">differs</span>"#,
            None if comparison.measured.is_some() => r#"<span class="chip none">too few runs</span>"#,
            None => r#"<span class="chip none">not measured</span>"#,
        };
        format!(
            r#"<tr><td>{}<br><span class="source">{}</span></td><td class="n">{sign}{}</td><td class="n">{measured}</td><td class="n">{}</td><td>{verdict}</td><td>{}</td></tr>"#,
            escape(&printed.what),
            escape(&printed.source),
            escape(&printed.value),
            comparison.tolerance.map_or("–".into(), nice_number),
            escape(&printed.why),
        )
    };
    let rows: String = comparisons.iter().map(row).collect();
    format!(
        r#"<section><h2>Printed and measured</h2><div class="scroll"><table class="words"><thead><tr><th>value</th><th class="n">printed</th><th class="n">measured ± standard error</th><th class="n">may differ by</th><th>verdict</th><th>remark</th></tr></thead><tbody>{rows}</tbody></table></div><p class="facts">What may differ: four standard deviations of the difference, from the spread over runs (more where there are few), and half of the last printed digit.</p></section>"#
    )
}

fn caveats(outcome: &Outcome) -> String {
    if outcome.drawing.caveats.is_empty() {
        return String::new();
    }
    let items: String = outcome.drawing.caveats.iter().map(|text| format!("<li>{}</li>", escape(text))).collect();
    format!("<section><h2>What is not as in the paper</h2><ul>{items}</ul></section>")
}
