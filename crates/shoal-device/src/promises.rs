//! What a report guarantees to the person who sends it.

use shoal_lattice::STEPS;
use shoal_privacy::{
    Amount, Assumption, Claim, Delta, Epsilon, Guarantee, Loss, Metric, Neighbours, NoGuarantee, Published,
};

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

    /// The same for reports that also hold words, each drawn by itself: with the column, the ε between any two words, and the
    /// distance that a mismatch counts as.
    ///
    /// Draws are independent, so the loss between two records is that of their numbers and that of each column in which their
    /// words differ, added up. Between any two records all columns may differ. Per unit of distance, the ε has to cover
    /// numbers and words alike: it is the largest of the ε of the numbers and of ε / distance of each mismatch.
    #[must_use]
    pub(crate) fn with_words(mut self, words: &[(String, Epsilon, Amount)]) -> Self {
        if words.is_empty() {
            return self;
        }
        let with = |claim: &mut Claim| match (&claim.neighbours, &mut claim.loss) {
            (Neighbours::AnyTwoInputs, Loss::Pure(epsilon)) => {
                *epsilon = words.iter().fold(epsilon.clone(), |sum, (_, of_word, _)| sum.plus(of_word));
            }
            (Neighbours::PerUnitOf(_), Loss::PerDistance(epsilon)) => {
                for (_, of_word, distance) in words {
                    let per_distance = of_word.amount().as_rational() / distance.as_rational();
                    // Unwrap safety: a quotient of positive numbers.
                    let per_distance = Epsilon::new(Amount::from_rational(per_distance).unwrap());
                    if per_distance > *epsilon {
                        *epsilon = per_distance;
                    }
                }
                let mismatches = words.iter().map(|(column, _, distance)| (column.clone(), distance.clone())).collect();
                claim.neighbours = Neighbours::PerUnitOf(Metric::EuclideanAndWords { steps: STEPS, mismatches });
            }
            // No mechanism for devices has another claim.
            _ => unreachable!("a claim about reports is about any two records or about distances"),
        };
        if let Guarantee::Holds(claim) = &mut self.guarantee {
            with(claim);
        }
        self.also.iter_mut().for_each(with);
        self
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
