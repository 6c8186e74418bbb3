//! A custodian's own limit, and what to do about an agreement beyond it.

use std::path::Path;

use shoal::consortium::DEFAULT_DELTA;
use shoal_consortium::{Limit, Partition, Promise, Terms};
use shoal_page::text::shell_word as quoted;
use shoal_privacy::{Epsilon, Loss};

use crate::failure::Failure;
use crate::show::consortium::promised;

/// Columns that are named in a command that is proposed.
const MOST_NAMED: usize = 12;

/// A limit is missing: what the codes of the agreement give away, so that one can be stated.
pub fn needed(promise: &Promise) -> Failure {
    let pure = promise.pure.as_ref().map_or("none".into(), ToString::to_string);
    Failure::usage(format!(
        "state your own limit with --max-epsilon: the most that a row's code may give away. {}\nBy this agreement it gives away ε = {pure}; to accept that, say --max-epsilon {pure}. A δ may make it less: --max-epsilon E --delta {DEFAULT_DELTA}",
        promise.guarantee.sentence()
    ))
    .with_code("limit-needed")
}

/// Codes that give away more than is allowed.
pub struct Beyond<'a> {
    pub promise: &'a Promise,
    pub limit: &'a Limit,
    pub partition: Partition,
    /// The ε at the usual δ, where that would be within the limit.
    pub with_delta: Option<Epsilon>,
}

impl Beyond<'_> {
    /// What the codes give away, what is allowed, and commands that show how to come within it.
    pub fn failure(&self, path: &Path, terms: &Terms) -> Failure {
        let Self { promise, limit, partition, with_delta } = self;
        let loss = promise.loss_at(limit.delta.as_ref()).map_or("everything".into(), |loss| symbols(&loss));
        let mut text = format!(
            "the codes of a record give away {loss}, and the limit is {}; agree on fewer bits or a smaller ε per bit.",
            limit.loss().symbols()
        );
        if let Some(epsilon) = with_delta {
            let epsilon = promised::short(epsilon.to_f64_up());
            text.push_str(&format!(" With --delta {DEFAULT_DELTA} it is {epsilon}, within your limit."));
        }
        let coded = match partition {
            Partition::Records => String::new(),
            Partition::Pairs { records } => format!(" --partition decomposed --records {records}"),
        };
        text.push_str(&format!(
            "\nWhat this agreement costs: shoal consortium price --agreement {}{coded}",
            quoted(&path.to_string_lossy())
        ));
        if let Some(bounds) = bounds(terms) {
            let delta = limit.delta.as_ref().map_or("0".into(), ToString::to_string);
            text.push_str(&format!(
            "\nWhat your limit affords: shoal consortium price --bounds {bounds} --afford {} --delta {delta}{coded}",
            limit.epsilon
        ));
        }
        Failure::refused(text).with_code("over-limit")
    }
}

fn symbols(loss: &Loss) -> String {
    match loss {
        Loss::Approximate { epsilon, delta } => {
            format!("ε = {} with δ = {delta}", promised::short(epsilon.to_f64_up()))
        }
        loss => loss.symbols(),
    }
}

/// The ranges and windows as options of `price`, unless there are too many, or windows that it has no option for.
fn bounds(terms: &Terms) -> Option<String> {
    let attributes = terms.attributes();
    let share = |i: usize| (attributes[i].t() / attributes[i].range.width() * 1e4).round() / 1e4;
    if attributes.len() > MOST_NAMED || (1..attributes.len()).any(|i| share(i) != share(0)) {
        return None;
    }
    let one = |a: &shoal_consortium::Attribute| format!("{}={}:{}", a.name, a.range.lo(), a.range.hi());
    let bounds = quoted(&attributes.iter().map(one).collect::<Vec<_>>().join(","));
    Some(if share(0) == 0.5 { bounds } else { format!("{bounds} --window {}", share(0)) })
}
