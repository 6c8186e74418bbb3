//! PGkM (SCL16 §4.1.3; Zhang, Xiao, Yang, Zhang, Winslett 2013, "PrivGene"): k-means by a genetic algorithm.
//!
//! From 200 random sets of k centres, in each round the exponential mechanism picks ten by their sum of squared
//! distances; 200 children of these are the candidates of the next round. The last round picks one: the result.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: one [`SelectByCostMechanism`] per round with loss ε/R, of m′
//! picks with ε/(R·m′) each but for the last round, of one pick with ε/R; the losses add up to ε for any number of
//! rounds R. Candidates are made of released sets and fresh randomness ([`crate::systems::breeding`]). R follows from public
//! numbers, or from a bought design size ([`crate::design_size`]).
//!
//! *Law.* That of [`crate::systems::select_by_cost`].
//!
//! *Utility.* Poor unless ε·N is large: a pick has at most ε/80 (SCL16 §5.3: "reasonable performance only for big ε"),
//! and a genetic search needs more rounds than Lloyd's algorithm. [`Pgkm::expected_error`] is about the last pick
//! alone.
//!
//! *Runtime.* R scans of n·k·d for each of 200 candidates.
//!
//! *Assumes.* Public bounds; one row per person. The number of rows is used as a design size only.
//!
//! *Deviations.* SCL16 was at hand, the PrivGene paper was not. (1) PrivGene's own "enhanced" exponential mechanism
//! could not be checked; ours is the standard one. (2) The last round spends its share on one pick; SCL16 does not say
//! how one of ten is returned. (3) At most [`MOST_PUBLISHED_ROUNDS`] rounds by the paper's rule, and ε in it is what is
//! left after a bought row count. (4) SCL16 does not say how far a mutation goes: here a coordinate moves by a uniform
//! amount up to half an interval either way, and back into the box if it left. At ε = 1 widths that shrink from round
//! to round are not better; NICV (mean of 40 runs ± standard error, box `[-1, 1]`, bounds from the data for measuring
//! only, 8 rounds):
//!
//! | greatest move, first to last round | S1, k = 15 | Adult, k = 5 |
//! |---|---|---|
//! | 0.5, always | 0.0672 ± 0.0018 | 0.346 ± 0.005 |
//! | 0.5 to 0.05 | 0.0675 ± 0.0016 | 0.366 ± 0.005 |
//! | 1 to 0.2 | 0.0695 ± 0.0021 | 0.346 ± 0.005 |
//! | 1 to 0.02 | 0.0723 ± 0.0020 | 0.362 ± 0.005 |
//!
//! At ε = 2, in ten runs, 0.5 to 0.05 was better on S1 (0.057 ± 0.003 against 0.067 ± 0.004) and not on Adult (0.341 ±
//! 0.009 against 0.331 ± 0.007).

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Allowance, Claim, Epsilon, MethodInfo, Parameter};

use crate::Decision;
use crate::ExpectedError;
use crate::RowMechanism;
use crate::SelectByCostMechanism;
use crate::catalogue::DESIGNED;
use crate::expected_error::HOPELESS;
use crate::plan::Forecast;
use crate::system::check_basics;
use crate::{DesignSize, SizeStep};
use crate::{FitError, Method, Outcome, Settings, Step, System, Watch};
use crate::{Genome, children, random_genome};
use shoal_kernel::LatticeCentres;
use shoal_lattice::{BoxPosition, HALF_WIDTH, Widths};
use shoal_scan::{Scan, ScanExt};

/// Most rounds that the paper's rule gets: it asks for so many from n₀·ε = 1.6 million on, and there a scan is long.
pub const MOST_PUBLISHED_ROUNDS: u32 = 200;

/// Most rounds that a user gets.
const MOST_ROUNDS: u32 = 10_000;

/// Most candidate sets in a round: they are all held, and all weighed for every pick.
const MOST_CANDIDATES: usize = 10_000;

/// The one form of PGkM.
pub(crate) const METHODS: &[Method] = &[Method {
    info: MethodInfo {
        name: "pgkm",
        status: "as published, with the standard exponential mechanism and a public row count; papers/SCL16.md",
        summary: "a genetic search for centres with private selection (PrivGene)",
        options: &["iterations", "population", "picks", "mutation", "count-share"],
        plus_minus: "what the last private choice may cost, spread over all centres; what the search has not found is not in it",
        ..DESIGNED
    },
    build,
    forecast: Forecast::reported(1.5, 1.0, 0.3, "a search of few rounds"),
}];

fn build(settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError> {
    let knobs = &settings.knobs;
    let params = PgkmParams::new(settings.k, settings.epsilon.clone(), settings.size.clone());
    let params = PgkmParams {
        population: knobs.population.unwrap_or(params.population),
        picks: knobs.picks.unwrap_or(params.picks),
        rounds: knobs.iterations.map_or(params.rounds, Rounds::Given),
        mutation: knobs.mutation.unwrap_or(params.mutation),
        ..params
    };
    Ok(Box::new(Pgkm::new(params, dims)?))
}

/// How many rounds PGkM runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// max(8, 1.25·10⁻³·n₀·ε/m′), rounded; at most [`MOST_PUBLISHED_ROUNDS`].
    Published,
    /// This many.
    Given(u32),
}

/// The parameters of PGkM, not yet checked.
#[derive(Clone, Debug)]
pub struct PgkmParams {
    /// Number of centres.
    pub k: usize,
    /// The whole budget.
    pub epsilon: Epsilon,
    /// For how many rows the number of rounds is chosen.
    pub size: DesignSize,
    /// Candidate sets in each round: 200 in the paper.
    pub population: usize,
    /// Sets picked in each round but the last, m′: 10 in the paper.
    pub picks: usize,
    /// Number of rounds.
    pub rounds: Rounds,
    /// How far a mutation moves a coordinate at most, in interval widths: one half, see *Deviations*.
    pub mutation: f64,
}

impl PgkmParams {
    /// The paper's values, where it has some.
    pub fn new(k: usize, epsilon: Epsilon, size: DesignSize) -> Self {
        Self { k, epsilon, size, population: 200, picks: 10, rounds: Rounds::Published, mutation: 0.5 }
    }

    fn check(&self, dims: usize) -> Result<(), FitError> {
        check_basics(self.k, &self.epsilon, dims)?;
        let within = |what, given: f64, least: f64, most: f64, wanted: String| {
            let fits = (least..=most).contains(&given);
            if fits { Ok(()) } else { Err(FitError::Parameter { what, given: given.to_string(), wanted }) }
        };
        let (population, picks) = (self.population as f64, self.picks as f64);
        let most = MOST_CANDIDATES as f64;
        within(Parameter::POPULATION, population, 2.0, most, format!("2 to {MOST_CANDIDATES}"))?;
        let wanted = format!("1 to {}, the size of the population ({})", self.population, Parameter::POPULATION);
        within(Parameter::PICKS, picks, 1.0, population, wanted)?;
        within(Parameter::MUTATION, self.mutation, f64::MIN_POSITIVE, 1.0, "a number above 0, up to 1".into())?;
        match self.rounds {
            Rounds::Given(0) => Err(FitError::NoIterations),
            Rounds::Given(rounds) => {
                within(Parameter::ITERATIONS, rounds.into(), 1.0, MOST_ROUNDS.into(), format!("1 to {MOST_ROUNDS}"))
            }
            Rounds::Published => Ok(()),
        }
    }

    /// The farthest a mutation goes, in lattice units.
    fn reach(&self) -> u16 {
        (self.mutation * 2.0 * f64::from(HALF_WIDTH)).round().max(1.0) as u16
    }
}

/// PGkM with parameters that make sense.
///
/// ```
/// use shoal_curator::{DesignSize, Pgkm, PgkmParams, System};
/// use shoal_lattice::LatticePoints;
/// use shoal_files::PointStore;
/// use shoal_scan::LocalScan;
/// use shoal_noise::SeededNoise;
/// use shoal_privacy::Allowance;
///
/// let mut points = LatticePoints::new(1);
/// for i in 0..10_000 {
///     points.push_row(&[if i % 2 == 0 { -20_000 } else { 16_000 }]);
/// }
/// let fit = Pgkm::new(PgkmParams::new(2, "1".parse()?, DesignSize::Public(10_000)), 1)?;
/// let scan = LocalScan::new(PointStore::InMemory(points));
/// // A seed is for examples and tests; use `OsNoise` to protect people.
/// let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1))?;
/// assert_eq!(outcome.centres.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pgkm {
    params: PgkmParams,
    dims: usize,
    size: SizeStep,
    /// What is left for the rounds.
    epsilon: Epsilon,
}

impl Pgkm {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: PgkmParams, dims: usize) -> Result<Self, FitError> {
        params.check(dims)?;
        let (size, epsilon) = params.size.split(&params.epsilon)?;
        Ok(Self { params, dims, size, epsilon })
    }

    /// The rounds for a table of about `design` rows.
    fn schedule(&self, design: u64) -> Schedule {
        // SCL16 §4.1.3: max{8, xNε/m′} with x = 1.25·10⁻³.
        let asked = 1.25e-3 * design as f64 * self.epsilon.to_f64_up() / self.params.picks as f64;
        let asked = asked.round().max(8.0);
        let rounds = match self.params.rounds {
            Rounds::Published => asked.min(MOST_PUBLISHED_ROUNDS.into()) as u32,
            Rounds::Given(rounds) => rounds,
        };
        let share = self.epsilon.split(rounds.into());
        // Unwrap safety: the budget, the picks and the attributes were checked to be at least something.
        let select = |picks| SelectByCostMechanism::new(self.dims, picks, &share).unwrap();
        let capped = (self.params.rounds == Rounds::Published && asked > rounds.into()).then_some(asked);
        Schedule { rounds, parents: select(self.params.picks), last: select(1), capped }
    }

    /// The last pick raises the sum of squared distances by at most ln(population)/a in expectation. Centres that are
    /// all off by s in each attribute raise it by rows·d·s²; so s = √(ln(population)/(a·rows·d)). What the search has
    /// not found by then is left out.
    fn displacement(&self, schedule: &Schedule, rows: f64) -> Widths {
        let excess = schedule.last.expected_excess(self.params.population);
        ExpectedError::of_width(Widths((excess / (rows * self.dims as f64)).sqrt())).center_rmse
    }

    fn pick(
        &self,
        from: &[Genome],
        mechanism: &SelectByCostMechanism,
        scan: &dyn Scan,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
    ) -> Result<Vec<Genome>, FitError> {
        let sets: Vec<_> = from.iter().map(|genome| LatticeCentres::new(self.dims, genome.clone())).collect();
        let picked = accountant.release(scan.costs(&sets)?, mechanism.with(noise))?.into_inner();
        Ok(picked.into_iter().map(|i| from[i].clone()).collect())
    }
}

/// The selections of a run.
struct Schedule {
    rounds: u32,
    /// Each round but the last.
    parents: SelectByCostMechanism,
    /// The last round.
    last: SelectByCostMechanism,
    /// What the paper's rule asks for, when that is more.
    capped: Option<f64>,
}

impl Schedule {
    fn claim(&self) -> Claim {
        // Unwrap safety: claims about the same neighbours with pure losses always compose.
        (1..self.rounds).fold(self.last.claim(), |all, _| all.then(&self.parents.claim()).unwrap())
    }

    fn decision(&self, params: &PgkmParams) -> Decision {
        Decision::Rounds {
            rounds: self.rounds,
            population: params.population,
            picks: params.picks,
            pick: self.parents.per_pick(),
            last: self.last.per_pick(),
            asked: self.capped,
        }
    }
}

impl System for Pgkm {
    fn claim(&self) -> Claim {
        // The losses add up to the same for any number of rounds, so also for the one that a bought size will ask for.
        self.size.claim_with(self.schedule(self.size.expected(1.0)).claim())
    }

    fn expected_error(&self, rows: f64) -> ExpectedError {
        ExpectedError::of_width(self.displacement(&self.schedule(self.size.expected(rows)), rows))
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        let settled = self.size.settle(scan, &mut accountant, noise)?;
        let schedule = self.schedule(settled.rows);
        let mut decisions: Vec<Decision> = settled.decision.iter().cloned().collect();
        decisions.push(schedule.decision(&self.params));
        let PgkmParams { k, population, .. } = self.params;
        let mut sets: Vec<Genome> = (0..population).map(|_| random_genome(k * self.dims, noise)).collect();
        for round in 1..schedule.rounds {
            let parents = self.pick(&sets, &schedule.parents, scan, &mut accountant, noise)?;
            sets = children(&parents, population, self.params.reach(), noise);
            watch(Step { what: "rounds", done: round as usize, of: schedule.rounds as usize });
        }
        let picked = self.pick(&sets, &schedule.last, scan, &mut accountant, noise)?;
        let centres = LatticeCentres::new(self.dims, picked.concat()).to_unit();
        let centres = centres.chunks_exact(self.dims).map(BoxPosition::list).collect();
        let error =
            if settled.is_mostly_noise() { HOPELESS } else { self.displacement(&schedule, settled.rows as f64) };
        let outcome = Outcome::new(centres, vec![vec![error; self.dims]; k], &accountant, noise);
        Ok(outcome.with_decisions(decisions))
    }
}
