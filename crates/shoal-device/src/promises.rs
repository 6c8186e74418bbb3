//! What a report guarantees to the person who sends it.

use shoal_privacy::{Assumption, Claim, Guarantee, NoGuarantee, Published};

/// What a report guarantees to the person who sends it.
#[derive(Clone, Debug, PartialEq)]
pub struct Promises {
    /// What holds.
    pub guarantee: Guarantee,
    /// The same guarantee in other units.
    pub also: Vec<Claim>,
    /// What the paper states.
    pub published: Published,
}

impl Promises {
    /// The same on further conditions.
    #[must_use]
    pub fn assuming(mut self, more: impl IntoIterator<Item = Assumption> + Clone) -> Self {
        if let Guarantee::Holds(claim) = &mut self.guarantee {
            claim.assumes.extend(more.clone());
        }
        for claim in &mut self.also {
            claim.assumes.extend(more.clone());
        }
        self
    }

    /// The same when the noise came from a seed: none.
    #[must_use]
    pub fn with_seeded_noise(self) -> Self {
        Self { guarantee: Guarantee::Void { none: NoGuarantee::Seeded }, also: Vec::new(), ..self }
    }

    /// The claims that hold, in all their units.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.guarantee.claim().into_iter().chain(&self.also)
    }
}
