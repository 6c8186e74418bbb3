//! What a report guarantees to the person who sends it.

use shoal_privacy::{Amount, Assumption, Claim, Delta, Guarantee, Loss, Neighbours, NoGuarantee, Published};

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

    /// What `reports` reports of one person under this design guarantee together: their losses add up, in every unit.
    #[must_use]
    pub fn of_reports(mut self, reports: u32) -> Self {
        if let Guarantee::Holds(claim) = &mut self.guarantee {
            *claim = of_reports(claim, reports);
        }
        for claim in &mut self.also {
            *claim = of_reports(claim, reports);
        }
        self
    }

    /// What the public learns that sees only results computed from the set of at least `reports` such reports, one of each
    /// person: [`Claim::hidden_among`], which has the conditions. `None` where one report guarantees nothing.
    ///
    /// ```
    /// use shoal_device::{Design, Mechanism};
    /// use shoal_lattice::{Bounds, Interval};
    ///
    /// let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0)?])?;
    /// let promises = Design::new(Mechanism::Laplace, "2".parse()?, bounds)?.promises()?;
    /// let public = promises.towards_the_public(10_000, &"1e-6".parse()?).unwrap();
    /// assert!(public.sentence().contains("which of two records a given person has"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn towards_the_public(&self, reports: u64, delta: &Delta) -> Option<Claim> {
        self.claims().find(|claim| claim.neighbours == Neighbours::AnyTwoInputs)?.hidden_among(reports, delta)
    }
}

/// The claim of so many reports together, each of which keeps this one: ε of either kind adds up.
pub(crate) fn of_reports(claim: &Claim, reports: u32) -> Claim {
    let times = Amount::ratio(reports.into(), 1);
    let loss = match &claim.loss {
        Loss::Pure(epsilon) => Loss::Pure(epsilon.times(&times)),
        Loss::PerDistance(epsilon) => Loss::PerDistance(epsilon.times(&times)),
        // No mechanism for devices has another one.
        other => other.clone(),
    };
    let mut assumes = claim.assumes.clone();
    if reports != 1 && assumes.remove(&Assumption::OneReportPerPerson) {
        assumes.insert(Assumption::NoFurtherReports);
    }
    Claim { loss, assumes, ..claim.clone() }
}
