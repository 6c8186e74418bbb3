//! Two models side by side: which cluster is which, and what changed beyond the intervals.
//!
//! Both models are released, so comparing them is post-processing and costs nothing. For whoever is in the data of both,
//! their losses add up.

use serde::Serialize;
use shoal_privacy::{Claim, Guarantee};

use crate::facts::{Facts, Margins, Measured, Reliance};
use crate::model::{Kind, Model, OtherColumns, matching};

/// Two models side by side.
///
/// ```
/// use shoal::{Compare, Fit};
/// use shoal_files::Matrix;
///
/// let fit = Fit::new(2, "2")?.bounds("x=0:100")?;
/// let model = |shift: f64| {
///     let rows: Vec<f64> = (0..4000).map(|i| if i % 2 == 0 { 10.0 } else { 80.0 + shift }).collect();
///     fit.run(Matrix::from_rows(&["x"], &rows).unwrap())
/// };
/// let comparison = Compare::of(&model(0.0)?, &model(5.0)?)?;
/// assert_eq!(comparison.pairs.len(), 2);
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compare {
    /// The columns, in the order of the first model.
    pub columns: Vec<String>,
    /// Clusters of both models that match, by the number in the first; then those of only one.
    pub pairs: Vec<Pair>,
    /// Sizes are compared as shares of all: the models count different things.
    pub sizes_as_shares: bool,
    /// What to know about the comparison.
    pub notes: Vec<String>,
    /// What both models together guarantee to whoever is in both, in a sentence.
    pub together: String,
}

/// A cluster in both models, or in one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Its number in the first model.
    pub first: Option<usize>,
    /// Its number in the second model.
    pub second: Option<usize>,
    /// Its size, where both release sizes; a share of all where [`Compare::sizes_as_shares`].
    pub size: Option<Change>,
    /// Its coordinates, column by column.
    pub columns: Vec<Change>,
}

/// A number in both models, or in one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// In the first model.
    pub first: Option<f64>,
    /// In the second model.
    pub second: Option<f64>,
    /// Second minus first.
    pub difference: Option<f64>,
    /// How large a difference noise alone explains (95 %); nothing where that is not known.
    pub explained_by_noise: Option<f64>,
    /// What follows.
    pub verdict: Verdict,
}

/// Whether a number changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// More than the noise of both explains.
    Changed,
    /// Noise alone explains the difference.
    WithinNoise,
    /// The error of one of them is not known, or one of the clusters is not reproducible.
    CannotTell,
    /// The cluster is in one of the models only.
    OneSided,
}

impl Compare {
    /// Compares two models of the same columns, which may be in another order.
    pub fn of(first: &Model, second: &Model) -> Result<Self, OtherColumns> {
        let place = matching::columns(first, second)?;
        let partners = matching::partners(first, second)?;
        let sides = [Side { model: first, facts: first.facts() }, Side { model: second, facts: second.facts() }];
        let sizes_as_shares = first.kind != second.kind;
        let pair = |a: Option<usize>, b: Option<usize>| {
            let of = |i: usize| {
                let x = a.map(|a| sides[0].facts.clusters[a].values[i]);
                let y = b.map(|b| sides[1].facts.clusters[b].values[place[i]]);
                change(x, y, &sides, a, b)
            };
            let size = |side: &Side<'_>, j: Option<usize>| {
                let size = side.facts.clusters[j?].size?;
                Some(if sizes_as_shares { side.as_share(size) } else { size })
            };
            let sizes = (size(&sides[0], a), size(&sides[1], b));
            Pair {
                first: a.map(|a| first.number(a)),
                second: b.map(|b| second.number(b)),
                size: (!first.sizes.is_empty() && !second.sizes.is_empty())
                    .then(|| change(sizes.0, sizes.1, &sides, a, b)),
                columns: (0..first.columns.len()).map(of).collect(),
            }
        };
        let in_second = |a: usize| partners.iter().position(|partner| *partner == Some(a));
        let mut pairs: Vec<Pair> = (0..first.k()).map(|a| pair(Some(a), in_second(a))).collect();
        pairs.sort_by_key(|pair| (pair.second.is_none(), pair.first));
        pairs.extend((0..second.k()).filter(|b| partners[*b].is_none()).map(|b| pair(None, Some(b))));
        Ok(Self {
            columns: first.columns.clone(),
            pairs,
            sizes_as_shares,
            notes: notes(&sides, &place),
            together: together(first, second),
        })
    }

    /// Whether anything changed beyond the intervals, or a cluster came or went.
    pub fn has_changes(&self) -> bool {
        let all = self.pairs.iter().flat_map(|pair| pair.columns.iter().chain(&pair.size));
        all.map(|change| change.verdict).any(|verdict| matches!(verdict, Verdict::Changed | Verdict::OneSided))
    }
}

struct Side<'a> {
    model: &'a Model,
    facts: Facts,
}

impl Side<'_> {
    /// A size and its error as shares of all.
    fn as_share(&self, size: Measured) -> Measured {
        use crate::facts::Margin;
        let total: f64 = self.model.sizes.iter().filter(|size| **size > 0.0).sum();
        let of = |value: f64| if total > 0.0 { value / total } else { f64::NAN };
        let margin = match size.margin {
            Margin::Interval([low, high]) => Margin::Interval([of(low), of(high)]),
            Margin::StandardErrors(two) => Margin::StandardErrors(of(two)),
            Margin::LastStep(two) => Margin::LastStep(of(two)),
            Margin::NotReproducible => Margin::NotReproducible,
        };
        Measured { value: of(size.value), margin }
    }

    fn is_doubtful(&self, j: Option<usize>) -> bool {
        let at_least = self.facts.margins == Margins::Intervals { at_least: true };
        at_least || j.is_some_and(|j| self.facts.clusters[j].reliance > Reliance::Unstable)
    }
}

/// The noise of two releases is independent, so the half widths of their intervals add as squares.
fn change(
    first: Option<Measured>,
    second: Option<Measured>,
    sides: &[Side<'_>; 2],
    a: Option<usize>,
    b: Option<usize>,
) -> Change {
    let (x, y) = (first.map(|it| it.value), second.map(|it| it.value));
    let difference = x.zip(y).map(|(x, y)| y - x);
    let half = |measured: Option<Measured>| measured.and_then(|it| it.interval().and_then(|_| it.half_width()));
    let explained_by_noise = half(first).zip(half(second)).map(|(x, y)| x.hypot(y));
    let verdict = match (difference, explained_by_noise) {
        (None, _) => Verdict::OneSided,
        // What exceeds a bound that is too small may still be noise; what is within it is noise for certain.
        (Some(difference), Some(noise)) if difference.abs() <= noise => Verdict::WithinNoise,
        (Some(_), Some(_)) if !sides[0].is_doubtful(a) && !sides[1].is_doubtful(b) => Verdict::Changed,
        _ => Verdict::CannotTell,
    };
    Change { first: x, second: y, difference, explained_by_noise, verdict }
}

fn notes(sides: &[Side<'_>; 2], place: &[usize]) -> Vec<String> {
    let (first, second) = (sides[0].model, sides[1].model);
    let mut notes = Vec::new();
    let unknown = |side: &Side<'_>| matches!(side.facts.margins, Margins::LastStep(_));
    if sides.iter().any(unknown) {
        let which = match (unknown(&sides[0]), unknown(&sides[1])) {
            (true, true) => "these models",
            (true, false) => "the first model",
            _ => "the second model",
        };
        notes.push(format!(
            "The error of {which} is not known (noise of the last step only), so a difference may come from noise."
        ));
    }
    let other = |(i, there): (usize, &usize)| (first.bounds[i] != second.bounds[*there]).then(|| &first.columns[i]);
    let bounds: Vec<String> = place.iter().enumerate().filter_map(other).map(|name| format!("`{name}`")).collect();
    if !bounds.is_empty() {
        notes.push(format!(
            "The bounds differ in {}: values beyond them were moved to the nearest limit, and columns weigh by their range. Check that the units are the same.",
            bounds.join(", ")
        ));
    }
    let scaled = |(i, there): (usize, &usize)| {
        let (one, other) = (first.scale(i), second.scale(*there));
        (one != other).then(|| format!("`{}` ({} and {})", first.columns[i], one.mean(), other.mean()))
    };
    let scales: Vec<String> = place.iter().enumerate().filter_map(scaled).collect();
    if !scales.is_empty() {
        notes.push(format!(
            "The models stretch columns differently, so their centres are different kinds of mean: {}.",
            scales.join(", ")
        ));
    }
    let weight = |model: &Model, i: usize| model.weights.get(i).copied().unwrap_or(1.0);
    if place.iter().enumerate().any(|(i, there)| weight(first, i) != weight(second, *there)) {
        notes.push("The models weigh columns differently, so their clusters are about different things.".into());
    }
    if first.kind != second.kind {
        notes.push("One model counts rows and the other reports, so sizes are compared as shares.".into());
    }
    if first.k() != second.k() {
        notes.push(format!("The models have {} and {} clusters.", first.k(), second.k()));
    }
    notes.push(
        "A change beyond noise is a change in the data: it may come from other people in it as well as from change in the same people."
            .into(),
    );
    notes
}

/// The guarantee of both releases for someone who is in both.
fn together(first: &Model, second: &Model) -> String {
    let claim = |model: &Model| match &model.guarantee {
        Guarantee::Holds(claim) if !model.seeded => Some(claim.clone()),
        _ => None,
    };
    let reports = first.kind == Kind::Crowd || second.kind == Kind::Crowd;
    match claim(first).zip(claim(second)) {
        None => "At least one of the models has no privacy guarantee, so neither have both together.".into(),
        Some((a, b)) => match a.then(&b) {
            Ok(Claim { loss, .. }) if !reports => {
                format!("For someone who is in the data of both, the losses add up: {} together.", loss.symbols())
            }
            Ok(Claim { loss, .. }) => {
                format!("For someone who sent a report to both, the losses add up: {} together.", loss.symbols())
            }
            Err(_) => "For someone who is in the data of both, the losses add up.".into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::example;

    #[test]
    fn a_model_did_not_change_compared_with_itself() {
        let comparison = Compare::of(&example(), &example()).unwrap();
        assert!(!comparison.has_changes());
        assert!(comparison.pairs.iter().all(|pair| pair.first == pair.second));
        assert_eq!(comparison.together, "For someone who is in the data of both, the losses add up: ε = 2 together.");
    }

    #[test]
    fn only_what_exceeds_both_intervals_changed() {
        let (first, mut second) = (example(), example());
        // √(1² + 1²) = 1.41: a change of 1.4 is noise, one of 1.5 is not.
        second.centres[0][0] += 1.4;
        second.centres[1][1] += 1.5;
        let shift = |interval: &mut [f64; 2], by: f64| interval.iter_mut().for_each(|end| *end += by);
        let certainty = second.certainty.as_mut().unwrap();
        shift(&mut certainty.intervals[0][0], 1.4);
        shift(&mut certainty.intervals[1][1], 1.5);
        let comparison = Compare::of(&first, &second).unwrap();
        let verdicts: Vec<Verdict> =
            comparison.pairs.iter().flat_map(|pair| pair.columns.iter().map(|change| change.verdict)).collect();
        use Verdict::{Changed, WithinNoise};
        assert_eq!(verdicts, [WithinNoise, WithinNoise, WithinNoise, Changed, WithinNoise, WithinNoise]);
        assert!(comparison.has_changes());
        // The same difference where the error is not known, or the cluster not reproducible, is no finding.
        for spoil in [0, 1] {
            let mut doubtful = second.clone();
            match spoil {
                0 => doubtful.certainty = None,
                _ => doubtful.certainty.as_mut().unwrap().stability = vec![0.2; 3],
            }
            let comparison = Compare::of(&first, &doubtful).unwrap();
            assert_eq!(comparison.pairs[1].columns[1].verdict, Verdict::CannotTell);
        }
    }

    #[test]
    fn columns_may_be_in_another_order_and_clusters_come_and_go() {
        let (first, mut second) = (example(), example());
        second.columns.reverse();
        second.bounds.reverse();
        second.centres = vec![vec![10.0, 30.0], vec![30.0, 70.0], vec![1.0, 99.0]];
        for row in &mut second.certainty.as_mut().unwrap().intervals {
            row.clear();
        }
        let centres = second.centres.clone();
        let certainty = second.certainty.as_mut().unwrap();
        certainty.intervals = centres.iter().map(|c| c.iter().map(|x| [x - 1.0, x + 1.0]).collect()).collect();
        let comparison = Compare::of(&first, &second).unwrap();
        let numbers: Vec<_> = comparison.pairs.iter().map(|pair| (pair.first, pair.second)).collect();
        assert_eq!(numbers, [(Some(1), Some(1)), (Some(3), Some(2)), (Some(2), None), (None, Some(3))]);
        assert_eq!(comparison.pairs[1].columns[0].second, Some(70.0));
        assert_eq!(comparison.pairs[3].columns[0].verdict, Verdict::OneSided);
        second.columns[1] = "years".into();
        let error = Compare::of(&first, &second).unwrap_err().to_string();
        assert!(
            error.contains("`age`") && error.contains("`years`") && error.contains("fit one of them again"),
            "{error}"
        );
    }
}
