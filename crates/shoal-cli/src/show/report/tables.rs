//! The clusters and the bounds as tables.

use shoal::model::{Kind, Model};

use super::geometry::{BAND, COLOURS};
use super::text::{escape, name, number, percent, rows, with_noise};

/// The badge of a cluster in running text and tables.
pub fn chip(c: usize) -> String {
    format!(r#"<span class="chip c{}">{}</span>"#, c % COLOURS, c + 1)
}

/// Share of each cluster in all that are above zero; none when none is.
pub fn shares(sizes: &[f64]) -> Vec<Option<f64>> {
    let counted = |size: f64| if size.is_finite() { size.max(0.0) } else { 0.0 };
    let total: f64 = sizes.iter().map(|size| counted(*size)).sum();
    sizes.iter().map(|size| (total > 0.0 && total.is_finite()).then(|| counted(*size) / total)).collect()
}

/// A name that may be broken after an underscore rather than anywhere.
fn breakable(column: &str) -> String {
    name(column).replace('_', "_<wbr>")
}

/// One row per cluster: size, share, and each attribute with its noise.
pub fn clusters(model: &Model) -> String {
    let heads: String =
        model.columns.iter().map(|column| format!(r#"<th scope="col" class="n">{}</th>"#, breakable(column))).collect();
    let shares = shares(&model.sizes);
    // Columns for sizes only where there are sizes.
    let sized = !model.sizes.is_empty();
    let units = match model.kind {
        Kind::Curator => "Rows",
        Kind::Crowd => "Reports",
    };
    let size_heads = if sized {
        format!(r#"<th scope="col" class="n">{units}</th><th scope="col" class="n">Share</th>"#)
    } else {
        String::new()
    };
    let size_cells = |c: usize| {
        let share = shares[c].map_or_else(
            || "<td class=\"n\">–</td>".into(),
            |share| {
                format!(
                    r#"<td class="n"><i class="share" style="--share:{:.1}%"></i><span>{}</span></td>"#,
                    share * 100.0,
                    percent(share)
                )
            },
        );
        format!("<td class=\"n\">{}</td>{share}", rows(model.sizes[c]))
    };
    let row = |c: usize| {
        let sizes = if sized { size_cells(c) } else { String::new() };
        let cells: String = (0..model.columns.len())
            .map(|a| match with_noise(model.centres[c][a], BAND * model.centre_sd[c][a]) {
                (value, Some(band)) => format!(r#"<td class="n">{value} <span class="band">±&nbsp;{band}</span></td>"#),
                (value, None) => format!(r#"<td class="n">{value}</td>"#),
            })
            .collect();
        format!("<tr><th scope=\"row\"><span class=\"aside\">Cluster </span>{}</th>{sizes}{cells}</tr>\n", chip(c))
    };
    let sizes = if model.kind == Kind::Crowd {
        " Numbers of reports are estimates too."
    } else if model.sizes.is_empty() {
        " This method releases no numbers of rows."
    } else if model.sizes.iter().any(|size| *size < 0.0) {
        " Numbers of rows carry noise of their own. A size below zero is the work of noise: read it as few rows, or none."
    } else {
        " Numbers of rows carry noise of their own."
    };
    format!(
        r#"<div class="scroll" role="region" aria-label="Table of clusters" tabindex="0"><table>
<thead><tr><th scope="col">Cluster</th>{size_heads}{heads}</tr></thead>
<tbody>
{}</tbody></table></div>
<p class="legend">Values are in the units of the data. The number after ± is {meaning}.{sizes}</p>"#,
        (0..model.k()).map(row).collect::<String>(),
        meaning = model.plus_minus(),
    )
}

/// One row per attribute: its public interval.
pub fn bounds(model: &Model) -> String {
    let row = |(column, interval): (&String, &shoal_lattice::Interval)| {
        format!(
            r#"<tr><th scope="row">{}</th><td class="n">{}</td><td class="n">{}</td></tr>"#,
            name(column),
            escape(&number(interval.lo())),
            escape(&number(interval.hi()))
        )
    };
    format!(
        r#"<div class="scroll" role="region" aria-label="Table of public bounds" tabindex="0"><table class="bounds">
<thead><tr><th scope="col">Attribute</th><th scope="col" class="n">Lowest</th><th scope="col" class="n">Highest</th></tr></thead>
<tbody>{}</tbody></table></div>"#,
        model.columns.iter().zip(&model.bounds).map(row).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_survive_noise() {
        assert_eq!(shares(&[30.0, 10.0, -4.0]), [Some(0.75), Some(0.25), Some(0.0)]);
        assert_eq!(shares(&[0.0, -1.0]), [None, None]);
    }
}
