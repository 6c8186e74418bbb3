//! What `auto` promises is what it is charged, whatever it is asked for; and its questions follow from what was released.

use std::sync::Mutex;

use shoal_curator::internals::TreeRelease;
use shoal_curator::{Auto, AutoParams, DesignSize, Outcome, Route, SynopsisKMeans, System, TreeReleaseParams};
use shoal_kernel::{Cap, LatticeCentres, Reach};
use shoal_noise::SeededNoise;
use shoal_privacy::{
    Accountant, Allowance, Amount, Assumption, Guarantee, Loss, Neighbours, NoGuarantee, Sensitive, ThisIsNotPrivate,
    zcdp_to_epsilon_up,
};
use shoal_scan::{Answer, LocalScan, Question, Scan, ScanError, ScanExt};

use crate::curator_support::{Unseeded, groups, run_seeded, table};

fn params(k: usize, epsilon: &str, size: DesignSize, route: Option<Route>, delta: &str) -> AutoParams {
    let kmeans = SynopsisKMeans { inits: 1, rounds: 2, reruns: 0, ..SynopsisKMeans::new(k) };
    AutoParams { route, kmeans, delta: delta.parse().unwrap(), ..AutoParams::new(k, epsilon.parse().unwrap(), size) }
}

fn run_as_if_secret(fit: &Auto, scan: &dyn Scan, seed: u64) -> Outcome {
    fit.run(scan, Allowance::without_ledger(fit.claim()), &mut Unseeded(SeededNoise::new(seed))).unwrap()
}

fn sizes() -> [DesignSize; 5] {
    let bought = |part, of| DesignSize::Bought { share: Amount::ratio(part, of) };
    [DesignSize::Public(1), DesignSize::Public(30_000), DesignSize::Disclosed(5_000), bought(1, 100), bought(3, 4)]
}

fn routes() -> Vec<Option<Route>> {
    [None].into_iter().chain(Route::ALL.map(Some)).collect()
}

/// The number of runs that were checked, with Gaussian noise and in all.
fn every_run_keeps_its_claim(epsilon: &str, dims: usize, k: usize) -> (usize, usize) {
    let place = vec![0.5; dims];
    let scan = table(dims, &groups(&[place], 60));
    let (mut gaussian, mut all) = (0, 0);
    for delta in ["0", "1e-6", "1e-15"] {
        for (size, route) in
            sizes().into_iter().flat_map(|size| routes().into_iter().map(move |route| (size.clone(), route)))
        {
            // A tree plans many boxes whatever the table, which takes its time.
            let tree_may_be_taken = route.is_none_or(|route| route == Route::RefinedTree);
            if tree_may_be_taken && (dims > 6 || matches!(size, DesignSize::Public(1))) {
                continue;
            }
            let about = format!("ε = {epsilon}, δ = {delta}, d = {dims}, k = {k}, {size:?}, {route:?}");
            let fit = Auto::new(params(k, epsilon, size.clone(), route, delta), dims).unwrap();
            let claim = fit.claim();
            let whole = epsilon.parse().unwrap();
            assert_eq!(claim.loss.epsilon_at_up(&delta.parse().unwrap()), Some(whole), "{about}");
            let outcome = run_as_if_secret(&fit, &scan, all as u64);
            let stated = outcome.guarantee.claim().expect(&about).clone();
            assert_eq!((&stated.neighbours, &stated.assumes), (&Neighbours::AddRemoveOne, &claim.assumes), "{about}");
            let condition = match size {
                DesignSize::Public(_) => Some(Assumption::DesignSizePublic),
                DesignSize::Disclosed(_) => Some(Assumption::RowCountPublic),
                DesignSize::Bought { .. } => None,
            };
            let others = [Assumption::BoundsPublic, Assumption::OneRowPerPerson];
            assert_eq!(stated.assumes, others.into_iter().chain(condition).collect(), "{about}");
            match &stated.loss {
                Loss::Pure(spent) => assert_eq!(*spent, epsilon.parse().unwrap(), "{about}"),
                other => {
                    gaussian += 1;
                    assert_eq!(*other, claim.loss, "{about}");
                }
            }
            assert!(delta != "0" || stated == claim, "{about}");
            for also in &outcome.also {
                let Loss::Zcdp(rho) = &also.loss else { panic!("{about}: {also:?}") };
                let implied = zcdp_to_epsilon_up(rho, &delta.parse().unwrap()).unwrap();
                assert!(implied <= epsilon.parse().unwrap() && also.assumes == claim.assumes, "{about}");
                // With a bought size it is noise that decides about the unit, so only the common promise holds.
                assert!(!matches!(size, DesignSize::Bought { .. }), "{about}");
            }
            if let Some(synopsis) = &outcome.synopsis {
                let stated = synopsis.guarantee.claim().expect(&about);
                assert!(stated.at_least_as_strong_as(&claim), "{about}");
            }
            all += 1;
        }
    }
    (gaussian, all)
}

#[test]
fn every_run_is_charged_what_it_claims() {
    let (mut gaussian, mut all) = (0, 0);
    for (epsilon, dims, k) in [("1", 1, 1), ("1/3", 2, 3), ("4", 3, 2), ("0.05", 6, 4), ("1", 200, 2)] {
        let (of_these, runs) = every_run_keeps_its_claim(epsilon, dims, k);
        (gaussian, all) = (gaussian + of_these, all + runs);
    }
    // Both kinds of noise were tried.
    assert!(gaussian >= 3 && all - gaussian > 200, "{gaussian} of {all}");
}

#[test]
fn less_than_the_claim_is_not_enough_for_any_route() {
    let scan = table(2, &groups(&[[0.5, 0.5]], 60));
    for route in routes() {
        let fit = Auto::new(params(2, "1", DesignSize::Public(30_000), route, "0"), 2).unwrap();
        let mut less = fit.claim();
        less.loss = Loss::Pure("0.999999".parse().unwrap());
        assert!(fit.run(&scan, Allowance::without_ledger(less), &mut SeededNoise::new(1)).is_err(), "{route:?}");
    }
}

#[test]
fn a_disclosed_number_of_rows_makes_it_a_promise_about_replacing_in_every_unit() {
    let scan = table(200, &groups(&[[0.5; 200]], 60));
    let fit = Auto::new(params(2, "1", DesignSize::Disclosed(5_000), Some(Route::Mean), "1e-6"), 200).unwrap();
    let before = run_as_if_secret(&fit, &scan, 1);
    let Loss::Zcdp(rho) = before.also[0].loss.clone() else { panic!("Gaussian noise is less here") };
    let after = before.with_public_row_count();
    for claim in after.guarantee.claim().into_iter().chain(&after.also) {
        assert_eq!(claim.neighbours, Neighbours::ReplaceOne);
        assert!(claim.assumes.contains(&Assumption::RowCountPublic));
    }
    let Loss::Approximate { epsilon, delta } = &after.guarantee.claim().unwrap().loss else { panic!() };
    // (2ε, (1 + e^ε)·δ), rounded up.
    let delta = delta.amount().to_f64_up();
    assert!(*epsilon == "2".parse().unwrap() && (3.718_281e-6..3.718_283e-6).contains(&delta), "{delta}");
    assert_eq!(after.also[0].loss, Loss::Zcdp(rho.times(&Amount::ratio(4, 1))));
}

#[test]
fn a_seed_leaves_no_promise_anywhere() {
    let scan = table(2, &groups(&[[0.5, 0.5]], 60));
    for (route, delta) in routes().into_iter().flat_map(|route| [(route, "0"), (route, "1e-6")]) {
        let fit = Auto::new(params(2, "1", DesignSize::bought(), route, delta), 2).unwrap();
        let outcome = run_seeded(&fit, &scan, 3);
        let void = Guarantee::Void { none: NoGuarantee::Seeded };
        assert!(outcome.guarantee == void && outcome.also.is_empty(), "{route:?}");
        assert!(outcome.synopsis.iter().all(|synopsis| synopsis.guarantee == void), "{route:?}");
    }
}

/// Writes down every question.
struct Recording<'a> {
    of: &'a LocalScan,
    questions: Mutex<Vec<String>>,
    /// A mutant: what is asked about boxes reveals how many of them have rows.
    leaks: bool,
}

impl<'a> Recording<'a> {
    fn new(of: &'a LocalScan) -> Self {
        Self { of, questions: Mutex::new(Vec::new()), leaks: false }
    }

    fn note(&self, question: String) {
        self.questions.lock().unwrap().push(question);
    }
}

impl Scan for Recording<'_> {
    fn dims(&self) -> usize {
        self.of.dims()
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        // The kind first, then all of it.
        let kind = question.name().split(' ').next().unwrap();
        self.note(format!("{kind} {question:?}"));
        let exact = self.of.ask(question)?;
        if self.leaks && matches!(question, Question::BoxCounts { .. }) {
            let counts = exact.map_ref(Answer::clone).without_privacy().reveal(ThisIsNotPrivate);
            let Answer::BoxCounts(counts) = counts else { panic!("an answer of another kind") };
            self.note(format!("{} with rows", counts.iter().filter(|&&rows| rows > 0).count()));
        }
        Ok(exact)
    }
}

fn questions(fit: &dyn System, scan: &LocalScan, seed: u64) -> Vec<String> {
    let recording = Recording::new(scan);
    run_seeded(fit, &recording, seed);
    recording.questions.into_inner().unwrap()
}

/// Tables that have nothing in common.
fn unlike_tables() -> [LocalScan; 4] {
    let everywhere: Vec<Vec<i16>> =
        (0..3000).map(|i| vec![(i * 21 - 32_000) as i16, (i * 13 % 60_000 - 30_000) as i16]).collect();
    [table(2, &[]), table(2, &[vec![-32_767, 32_767]]), table(2, &groups(&[[0.9, -0.9]], 500)), table(2, &everywhere)]
}

#[test]
fn what_is_asked_first_is_the_same_for_every_table() {
    let tables = unlike_tables();
    for (route, size) in routes().into_iter().flat_map(|route| [1, 5_000].map(|size| (route, size))) {
        let fit = Auto::new(params(2, "1", DesignSize::Public(size), route, "0"), 2).unwrap();
        let asked: Vec<_> = tables.iter().map(|scan| questions(&fit, scan, 7)).collect();
        assert!(asked.windows(2).all(|pair| pair[0][0] == pair[1][0]), "{route:?}");
        if matches!(route, Some(Route::Mean | Route::Directions)) {
            // The kinds of all questions, too.
            let kinds =
                |asked: &[String]| asked.iter().map(|q| q.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
            assert!(asked.windows(2).all(|pair| kinds(&pair[0]) == kinds(&pair[1])), "{route:?}");
        }
    }
    // A size read off the table would be seen.
    let peeking = |rows: u64, scan| {
        let fit = Auto::new(params(2, "1", DesignSize::Public(rows), Some(Route::Grid), "0"), 2).unwrap();
        questions(&fit, scan, 7)[0].clone()
    };
    assert_ne!(peeking(500, &tables[2]), peeking(3000, &tables[3]));
}

/// What a tree released, and what was asked for it.
fn grown(rows: &[Vec<i16>], seed: u64, leaks: bool) -> (String, Vec<String>) {
    let mut params = TreeReleaseParams::new(2);
    // Several looks, and a limit on leaves that is met now and then.
    (params.limits.boxes_per_look, params.limits.leaves) = (8, 12);
    let release = TreeRelease::new(params, &"2".parse().unwrap(), 2).unwrap();
    let scan = table(2, rows);
    let recording = Recording { leaks, ..Recording::new(&scan) };
    let mut accountant = Accountant::new(Allowance::without_ledger(release.claim()));
    let mut decisions = Vec::new();
    let found = release.run(&recording, &mut accountant, &mut SeededNoise::new(seed), &mut decisions).unwrap();
    (format!("{:?} {decisions:?}", found.as_boxes().unwrap().tree().nodes()), recording.questions.into_inner().unwrap())
}

#[test]
fn equal_trees_were_grown_with_equal_questions() {
    let rows = groups(&[[0.6, 0.6], [-0.5, 0.1]], 3);
    let mut more = rows.clone();
    more.push(vec![20_000, -9_000]);
    let (mut same, mut different, mut found) = (0, 0, 0);
    for seed in 0..300 {
        let ((tree, asked), (other, asked_too)) = (grown(&rows, seed, false), grown(&more, seed, false));
        assert_eq!(asked[0], asked_too[0], "the first look knows nothing");
        if tree == other {
            same += 1;
            assert_eq!(asked, asked_too, "seed {seed}");
            found += usize::from(grown(&rows, seed, true).1 != grown(&more, seed, true).1);
        } else {
            different += 1;
        }
    }
    assert!(same > 50 && different > 10, "{same} {different}");
    assert!(found > 0, "questions that follow counts are found out");
}

#[test]
fn what_cannot_be_drawn_is_refused_before_anything_is_spent() {
    for (epsilon, delta) in [("1e-9", "0"), ("1e-9", "1e-6"), ("1e-13", "0")] {
        for route in routes() {
            assert!(
                Auto::new(params(2, epsilon, DesignSize::bought(), route, delta), 3).is_err(),
                "{epsilon} {route:?}"
            );
        }
    }
    // More attributes than cube noise has numbers for, were each to have its variance.
    let scan = table(520, &[vec![5; 520]]);
    let fit = Auto::new(params(1, "1", DesignSize::Public(1 << 30), Some(Route::RefinedTree), "0"), 520).unwrap();
    run_seeded(&fit, &scan, 1);
    // Nearly all for the estimate of the NICV still leaves something for the route.
    let share = Amount::ratio(99_999, 100_000);
    let params = params(2, "1", DesignSize::Public(1 << 20), Some(Route::Grid), "0");
    let fit = Auto::new(AutoParams { score_share: share, ..params }, 2).unwrap();
    assert!(run_seeded(&fit, &table(2, &[]), 1).nicv.is_some());
}

#[test]
fn a_row_on_a_bisector_moves_one_centre_and_the_cost_by_the_cap_at_most() {
    let centres = LatticeCentres::new(2, vec![-10_000, 0, 10_000, 0, 0, 10_000]);
    let reach = Reach::new(centres.clone(), vec![500, 40_000, 1, 65_534, 9, 7]);
    let rows = groups(&[[0.3, 0.3], [-0.3, -0.3]], 40);
    let answers = |rows: &[Vec<i16>], cap: Cap| {
        let scan = table(2, rows);
        let sums = scan.clipped_sums(&centres, &reach).unwrap().without_privacy().reveal(ThisIsNotPrivate);
        (sums, scan.capped_cost(&centres, cap).unwrap().without_privacy().reveal(ThisIsNotPrivate))
    };
    for cap in [Cap { most: 1, shift: 0 }, Cap { most: 1000, shift: 12 }, Cap::near(1 << 40)] {
        let (before, cost) = answers(&rows, cap);
        for row in [[0, -5000], [0, 0], [7000, 7000], [-7000, 7000], [32_767, -32_767], [-32_767, -32_767]] {
            let mut more = rows.clone();
            // In the midst of the others, who must not notice.
            more.insert(17, row.to_vec());
            let (after, cost_after) = answers(&more, cap);
            assert!((cost..=cost + u128::from(cap.most)).contains(&cost_after), "{row:?} {cap:?}");
            let moved: Vec<usize> = (0..3).filter(|&j| after.counts[j] != before.counts[j]).collect();
            assert!(moved.len() == 1 && after.counts[moved[0]] == before.counts[moved[0]] + 1, "{row:?}");
            for j in 0..3 {
                for axis in 0..2 {
                    let by = (after.sum(j)[axis] - before.sum(j)[axis]).unsigned_abs();
                    let most = if moved[0] == j { u64::from(reach.half_widths(j)[axis]) } else { 0 };
                    assert!(by <= most, "{row:?}: {by} above {most}");
                }
            }
        }
    }
}
