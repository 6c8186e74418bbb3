//! What a merged model promises: by the claims of its releases, for people who are in one of the tables and for those who
//! are in all.

use shoal_privacy::{Assumption, Claim, Guarantee, NoGuarantee, OfCustodians};

use super::releases::Releases;
use crate::Error;
use crate::consortium::ConsortiumError;

/// The guarantee of all releases together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Promise {
    /// The largest loss, on the condition that nobody is in two tables.
    pub guarantee: Guarantee,
    /// The sum of the losses, without that condition.
    pub also: Vec<Claim>,
}

impl Promise {
    /// The promise of these releases. One without a guarantee takes it from all: nothing protects its own people.
    pub fn of(releases: &Releases) -> Result<Self, Error> {
        let guarantees = releases.guarantees();
        let mut claims: Vec<Claim> = Vec::new();
        for (name, guarantee) in &guarantees {
            match guarantee {
                Guarantee::Holds(claim) => {
                    if claim.assumes.contains(&Assumption::OneCustodianPerPerson) {
                        return Err(ConsortiumError::MergedAlready { name: name.clone() }.into());
                    }
                    claims.push(claim.clone());
                }
                Guarantee::Void { .. } => {}
            }
        }
        if let Some(none) = worst(guarantees.iter().map(|(_, guarantee)| guarantee)) {
            return Ok(Self { guarantee: Guarantee::Void { none }, also: Vec::new() });
        }
        let promised = OfCustodians::of(&claims).map_err(|source| {
            let other = claims.iter().position(|claim| claim.neighbours != claims[0].neighbours);
            let name = |at: usize| guarantees[at].0.clone();
            ConsortiumError::PromisesDiffer { first: name(0), second: name(other.unwrap_or(1)), source }
        })?;
        Ok(Self { guarantee: Guarantee::Holds(promised.in_one), also: vec![promised.in_all] })
    }
}

/// Why there is no guarantee, where any release has none. A seed comes first: it is what can be repaired.
fn worst<'a>(guarantees: impl Iterator<Item = &'a Guarantee>) -> Option<NoGuarantee> {
    let reasons = guarantees.filter_map(|guarantee| match guarantee {
        Guarantee::Void { none } => Some(*none),
        Guarantee::Holds(_) => None,
    });
    reasons.fold(None, |worst, none| match worst {
        Some(NoGuarantee::Seeded) => worst,
        Some(_) if none != NoGuarantee::Seeded => worst,
        _ => Some(none),
    })
}
