//! What to know before the clusters are used, in words.

use shoal_curator::Decision;
use shoal_lattice::Category;
use shoal_privacy::{Assumption, Claim, Loss, Parameter, Strength};

use super::publish::listed;
use super::{ClusterFacts, Facts, Level, Margin, Margins, Note, Reliance};
use crate::model::{Kind, Model, rounded};

/// Clusters or pairs that are named before the rest is only counted.
const NAMED: usize = 12;
const PAIRS: usize = 5;

/// Columns whose error of sampling is written out.
const SAMPLED_COLUMNS: usize = 8;

/// All notes, warnings first.
pub(super) fn notes(model: &Model, facts: &Facts) -> Vec<Note> {
    let mut notes: Vec<Note> = [
        strength(facts),
        evidence(model, facts),
        fewer(model),
        mostly_noise(model, facts),
        unstable(facts, Reliance::NotReproducible),
        unstable(facts, Reliance::Unstable),
        at_least(facts),
        same(model, facts),
        left_out_rows(model, facts),
        below_zero(facts),
        scaled(model),
        weighted(model),
        categories(model),
        sampling(model, facts),
    ]
    .into_iter()
    .flatten()
    .collect();
    notes.extend(numbering(model));
    if model.sizes.is_empty() {
        notes.push(note(
            Level::Note,
            "No sizes",
            format!("This method does not release how many {} each cluster has.", model.units()),
        ));
    }
    notes.sort_by_key(|note| note.level);
    notes
}

fn note(level: Level, title: impl Into<String>, text: impl Into<String>) -> Note {
    Note { level, title: title.into(), text: text.into() }
}

/// What centres of stretched columns are.
fn scaled(model: &Model) -> Option<Note> {
    let columns = (0..model.columns.len()).filter(|&i| !model.scale(i).is_linear());
    let kind = |i: usize| {
        let (name, scale) = (&model.columns[i], model.scale(i));
        format!("{name} is clustered on the scale {}, and its value is the {}", scale.short(), scale.mean())
    };
    let kinds: Vec<String> = columns.map(kind).collect();
    (!kinds.is_empty()).then(|| {
        let kinds = kinds.join("; ");
        note(
            Level::Note,
            "Stretched columns",
            format!(
                "{kinds}. Errors and spreads of these columns hold near the centre. Distances and qualities are measured \
                 after stretching."
            ),
        )
    })
}

fn weighted(model: &Model) -> Option<Note> {
    let numbers = model.numbers();
    let weights = model.columns[..numbers].iter().zip(&model.weights).filter(|(_, weight)| **weight != 1.0);
    let weights: Vec<String> = weights.map(|(name, weight)| format!("{name} {weight}")).collect();
    (!weights.is_empty()).then(|| {
        let others = if weights.len() < numbers { "; other columns have weight 1" } else { "" };
        note(
            Level::Note,
            "Weighted columns",
            format!(
                "Distances count columns by weight: {}{others}. Noise is larger, relative to its range, in a column of lower \
                 weight.",
                weights.join(", ")
            ),
        )
    })
}

/// What the values of categories are.
fn categories(model: &Model) -> Option<Note> {
    let of = |category: &Category| {
        let mismatch = format!("a mismatch counts like {} of a column's range", percent(category.weight()));
        format!("{}: {mismatch}", category.column())
    };
    let each: Vec<String> = model.categories.iter().map(of).collect();
    (!each.is_empty()).then(|| {
        note(
            Level::Note,
            "Categories",
            format!(
                "Values of categories are shares of a cluster's rows. What the shares of the levels leave of 100 % is the share \
                 of other values; noise can make them add up to more. {}.",
                each.join("; ")
            ),
        )
    })
}

/// A part in per cent, without digits that mean nothing.
fn percent(part: f64) -> String {
    format!("{} %", (part * 1000.0).round() / 10.0)
}

fn strength(facts: &Facts) -> Option<Note> {
    let claim = facts.guarantee.claim()?;
    let (epsilon, usual) = (claim.loss.symbols(), usual(claim));
    let near =
        if matches!(claim.loss, Loss::PerDistance(_)) { ", even for records that are near each other" } else { "" };
    match claim.strength() {
        Strength::Usual => None,
        Strength::Weak => Some(note(
            Level::Caution,
            "A weak guarantee",
            format!("With {epsilon}, the guarantee is weak{near}; {usual}."),
        )),
        Strength::VeryWeak => Some(note(
            Level::Warning,
            "Almost no privacy",
            format!("With {epsilon}, the guarantee is too weak to protect anyone{near}; {usual}."),
        )),
    }
}

/// What others choose.
fn usual(claim: &Claim) -> &'static str {
    match claim.loss {
        Loss::PerDistance(_) => "1 to 10 per unit of distance is a common choice",
        Loss::Zcdp(_) => "a ρ of 0.5 or less is a common choice",
        _ => "an ε of 1 is a common choice",
    }
}

fn evidence(model: &Model, facts: &Facts) -> Option<Note> {
    let drowned = model.drowned().then(|| {
        note(
            Level::Warning,
            "The clusters cannot be told apart from noise",
            format!(
                "The error of these centres is as large as the distances between them. Collect more reports, ask for fewer clusters ({} auto shows how many there are), use fewer columns, or a larger ε.",
                Parameter::K
            ),
        )
    });
    let evidence = facts.evidence.as_ref();
    let found = evidence.and_then(|evidence| match (evidence.supported, model.k()) {
        (1, 1) => Some(note(
            Level::Note,
            "No clusters show",
            format!(
                "The {} do not divide into clusters that this release could show, so there is one centre for all.",
                model.units()
            ),
        )),
        (1, k) => Some(note(
            Level::Warning,
            "No clusters show",
            format!(
                "These {k} centres {}. Do not read them as groups of people.",
                match model.kind {
                    Kind::Curator => "divide the rows hardly better than they would divide an even spread",
                    Kind::Crowd => "explain the reports hardly better than one centre",
                }
            ),
        )),
        (shown, k) if evidence.is_undecided(k) => Some(note(
            Level::Caution,
            "The number of clusters is not certain",
            format!(
                "{} clusters fit about as well: what was released does not decide between them.",
                either(shown, &evidence.undecided)
            ),
        )),
        // Where k itself was not tried, nothing is known about it.
        (shown, k) if shown < k && evidence.tried.iter().any(|of| of.k >= k) => Some(note(
            Level::Warning,
            format!("Only {shown} clusters show"),
            format!(
                "{shown} clusters are supported by what was released; {k} centres divide some of them arbitrarily."
            ),
        )),
        (shown, k) if shown > k => Some(note(
            Level::Note,
            format!("{shown} clusters show"),
            format!(
                "What was released supports {shown} clusters; {k} were asked for, so some of these contain several."
            ),
        )),
        _ => None,
    });
    drowned.or(found)
}

/// `3 or 4`, in order.
fn either(shown: usize, others: &[usize]) -> String {
    let all: std::collections::BTreeSet<usize> = others.iter().copied().chain([shown]).collect();
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    listed(&all.iter().map(String::as_str).collect::<Vec<_>>(), "or")
}

fn fewer(model: &Model) -> Option<Note> {
    let asked = model.k_asked?;
    let centres = if model.k() == 1 { "1 centre".into() } else { format!("{} centres", model.k()) };
    Some(note(
        Level::Warning,
        "Fewer clusters than asked for",
        format!(
            "{centres} instead of {asked}: with this ε, further centres would be mostly noise. Use more {}, fewer columns, tighter bounds, or a larger ε; another {} gives {asked}, with more error.",
            model.units(),
            Parameter::METHOD
        ),
    ))
}

fn mostly_noise(model: &Model, facts: &Facts) -> Option<Note> {
    if model.drowned() {
        return None;
    }
    let noisy = numbers(facts, Reliance::MostlyNoise);
    if noisy.len() == model.k() || model.expected_error.swamps() {
        return Some(note(
            Level::Warning,
            "Mostly noise",
            format!(
                "These centres are mostly noise. Use more {}, fewer clusters or columns, tighter bounds, or a larger ε.",
                model.units()
            ),
        ));
    }
    let level = if 2 * noisy.len() >= model.k() { Level::Warning } else { Level::Caution };
    (!noisy.is_empty()).then(|| {
        note(
            level,
            "Clusters of noise",
            format!(
                "{} mostly noise: few {}, if any, belong to {}.",
                clusters_are(&noisy),
                model.units(),
                them(&noisy)
            ),
        )
    })
}

fn unstable(facts: &Facts, reliance: Reliance) -> Option<Note> {
    let found = numbers(facts, reliance);
    if found.is_empty() {
        return None;
    }
    let all = 2 * found.len() >= facts.clusters.len();
    Some(match reliance {
        Reliance::NotReproducible => note(
            if all { Level::Warning } else { Level::Caution },
            "Not reproducible",
            format!(
                "{} not reproducible: in more than half of the runs with other noise, no such cluster appears. No interval describes {}.",
                clusters_are(&found),
                them(&found)
            ),
        ),
        _ => note(
            if all { Level::Warning } else { Level::Caution },
            "Unstable clusters",
            format!("{} unstable: with other noise, {}.", clusters_are(&found), often_differs(&found)),
        ),
    })
}

fn at_least(facts: &Facts) -> Option<Note> {
    (facts.margins == Margins::Intervals { at_least: true }).then(|| {
        note(
            Level::Caution,
            "The error is at least this",
            "A part of the error cannot be estimated from this release, so the intervals are lower bounds of it.",
        )
    })
}

/// Clusters whose intervals overlap in every column.
fn same(model: &Model, facts: &Facts) -> Option<Note> {
    if matches!(facts.margins, Margins::LastStep(_)) {
        return None;
    }
    let known = |j: usize| facts.clusters[j].reliance <= Reliance::Unstable;
    let overlap = |a: usize, b: usize| {
        let pairs = facts.clusters[a].values.iter().zip(&facts.clusters[b].values);
        pairs.map(|(x, y)| (x.interval(), y.interval())).all(|pair| match pair {
            (Some(x), Some(y)) => x[0] <= y[1] && y[0] <= x[1],
            _ => false,
        })
    };
    let k = model.k();
    let pairs: Vec<String> = (0..k)
        .flat_map(|a| (a + 1..k).map(move |b| (a, b)))
        .filter(|&(a, b)| known(a) && known(b) && overlap(a, b))
        .map(|(a, b)| format!("{} and {}", model.number(a), model.number(b)))
        .collect();
    (!pairs.is_empty()).then(|| {
        let more = pairs.len().saturating_sub(PAIRS);
        let mut named = pairs[..pairs.len() - more].join("; ");
        if more > 0 {
            named.push_str(&format!("; and {more} more pairs"));
        }
        note(
            Level::Caution,
            "Some clusters may be one",
            format!("Noise alone could explain the difference between clusters {named}."),
        )
    })
}

/// A condition, not a count: how many rows lack a value is a fact about the table.
fn left_out_rows(model: &Model, facts: &Facts) -> Option<Note> {
    if model.decisions.contains(&Decision::MiddlesForGaps.into()) {
        let text = format!(
            "Where a value is missing, the middle of the column's bounds stands for it ({} middle): every row counts, and the \
             result depends on a row with gaps no more than on any other.",
            Parameter::MISSING
        );
        return Some(note(Level::Note, "Missing values", text));
    }
    let left_out = facts.guarantee.claim().is_some_and(|claim| claim.assumes.contains(&Assumption::RowsReadable));
    left_out.then(|| {
        note(
            Level::Note,
            "Rows that lack a value",
            format!("Rows that lack a value, if there are any, were left out ({} drop).", Parameter::MISSING),
        )
    })
}

/// Where it was asked for: what a sample of a population adds to the error.
fn sampling(model: &Model, facts: &Facts) -> Option<Note> {
    let distances = &model.certainty.as_ref()?.sampling_distance;
    if distances.is_empty() {
        return None;
    }
    let column = |(name, far): (&String, &f64)| format!("{name} ± {}", rounded(*far, *far));
    let cluster = |(of, row): (&ClusterFacts, &Vec<f64>)| {
        let columns: Vec<String> = model.columns.iter().zip(row).take(SAMPLED_COLUMNS).map(column).collect();
        format!("cluster {}: {}", of.number, columns.join(", "))
    };
    let clusters: Vec<String> = facts.clusters.iter().zip(distances).take(NAMED).map(cluster).collect();
    let rest = distances.len() > NAMED || model.columns.len() > SAMPLED_COLUMNS;
    Some(note(
        Level::Note,
        "Error of sampling",
        format!(
            "If the {} are a random sample of a larger population, the centres of the population are within a further 95 % margin of these: {}{}. The intervals above do not include it.",
            model.units(),
            clusters.join("; "),
            if rest { "; the rest is in the model" } else { "" }
        ),
    ))
}

fn below_zero(facts: &Facts) -> Option<Note> {
    let below = |size: f64, margin: Margin| size < 0.0 || matches!(margin, Margin::Interval([_, high]) if high <= 0.0);
    let mut found = facts.clusters.iter().filter_map(|cluster| cluster.size.as_ref());
    let any = found.any(|size| below(size.value, size.margin));
    any.then(|| {
        note(Level::Note, "Sizes below zero", "A size below zero comes from noise: read it as few rows, or none.")
    })
}

fn numbering(model: &Model) -> Option<Note> {
    let numbering = model.numbering.as_ref()?;
    let words = |numbers: &[usize]| {
        let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        named(&words)
    };
    let mut text = "Clusters have the numbers of the earlier model.".to_string();
    match numbering.new.as_slice() {
        [] => {}
        [one] => text.push_str(&format!(" Cluster {one} is new.")),
        new => text.push_str(&format!(" Clusters {} are new.", words(new))),
    }
    match numbering.gone.as_slice() {
        [] => {}
        [one] => text.push_str(&format!(" Cluster {one} of the earlier model has no counterpart.")),
        gone => text.push_str(&format!(" Clusters {} of the earlier model have no counterpart.", words(gone))),
    }
    Some(note(Level::Note, "Numbers follow an earlier model", text))
}

fn numbers(facts: &Facts, reliance: Reliance) -> Vec<String> {
    let found = facts.clusters.iter().filter(|cluster| cluster.reliance == reliance);
    found.map(|cluster| cluster.number.to_string()).collect()
}

/// `Cluster 3 is`, `Clusters 3 and 5 are`.
fn clusters_are(numbers: &[String]) -> String {
    match numbers {
        [one] => format!("Cluster {one} is"),
        many => format!("Clusters {} are", named(many)),
    }
}

fn named(numbers: &[String]) -> String {
    let shown: Vec<&str> = numbers.iter().take(NAMED).map(String::as_str).collect();
    match numbers.len().saturating_sub(NAMED) {
        0 => listed(&shown, "and"),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn them(numbers: &[String]) -> &'static str {
    if numbers.len() == 1 { "it" } else { "them" }
}

fn often_differs(numbers: &[String]) -> &'static str {
    if numbers.len() == 1 { "it often looks different" } else { "they often look different" }
}
