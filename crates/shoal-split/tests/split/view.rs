//! What a coalition of the driver, all custodians but one and all helpers but one sees of a round: the honest custodian's
//! answer under the honest helper's whole noise, and nothing that would let it take noise off.
//!
//! The view is computed from the messages as a coalition would: the honest helper's answer, less the shares of corrupted
//! custodians to it, plus the pads that the corrupted helper knows. Its distribution is compared with the distribution that
//! the claim was computed from.

use shoal_noise::DiscreteLaplace;
use shoal_release::{Releaser, Step};
use shoal_split::shares::{Share, add};
use shoal_split::{AgreeToAll, Body, Custodian, Delivered, Helper, Message, Party, Rehearsal, SplitReleaser};

use super::parts::*;

const RUNS: usize = 3000;

/// What the coalition computes of the first question: helper 0 and custodian 0 are honest.
fn view(seen: &[Delivered]) -> i64 {
    let messages: Vec<(Party, Party, Body)> =
        seen.iter().map(|it| (it.from, it.post.to, Message::from_bytes(&it.post.bytes).unwrap().body)).collect();
    let answer = messages.iter().find_map(|it| match it {
        (Party::Helper(0), Party::Driver(0), Body::Answer(words)) => Some(words.clone()),
        _ => None,
    });
    let mut total = answer.unwrap();
    for (from, to, body) in &messages {
        match (from, to, body) {
            // A corrupted custodian knows what it sent.
            (Party::Custodian(i), Party::Helper(0), Body::Share(Share::Words(words))) if *i != 0 => {
                let negative: Vec<u64> = words.iter().map(|word| word.wrapping_neg()).collect();
                add(&mut total, &negative);
            }
            // The corrupted helper knows the pad that hides the honest custodian's numbers.
            (Party::Custodian(0), Party::Helper(1), Body::Share(share)) => {
                let words = share.words(total.len());
                add(&mut total, &words);
            }
            _ => {}
        }
    }
    total[0] as i64
}

/// Views of runs in which the honest helper's noise comes from `honest`, given the number of the run.
fn runs(rows: usize, step: &Step, honest: impl Fn(u64) -> Words) -> Vec<i64> {
    let charter = charter(2, 2);
    let tables = [scan(&vec![[1, 2]; rows]), scan(&[[3, 4]])];
    (0..RUNS as u64)
        .map(|run| {
            let mut seen = Vec::new();
            let mut watch = |message: &Delivered| seen.push(message.clone());
            let words = |i: u64| words_of(run, i);
            let helpers =
                vec![Helper::new(charter.clone(), 0, honest(run)), Helper::new(charter.clone(), 1, words(1 << 32))];
            let custodian = |i: u8| {
                Custodian::new(
                    charter.clone(),
                    i,
                    &tables[usize::from(i)],
                    Books::open(),
                    &AgreeToAll,
                    words((7 + u64::from(i)) << 40),
                )
            };
            let rehearsal = Rehearsal::new(helpers, vec![custodian(0), custodian(1)], DRIVER).watched(&mut watch);
            let mut releaser = SplitReleaser::begin(driver(&charter, "2"), rehearsal, &epsilon("2"), true).unwrap();
            releaser.release(step).unwrap();
            drop(releaser);
            view(&seen)
        })
        .collect()
}

/// Words for one party of one run.
fn words_of(run: u64, party: u64) -> Words {
    Words(run.wrapping_mul(0x1234_5678_9abc_def1).wrapping_add(party))
}

/// χ² of views against the exact distribution of rows + Laplace noise, on cells around the number of rows.
fn chi2(views: &[i64], rows: i64, law: &DiscreteLaplace) -> f64 {
    let cell = |view: i64| (view - rows).clamp(-6, 6) + 6;
    let mut seen = [0.0_f64; 13];
    views.iter().for_each(|&view| seen[cell(view) as usize] += 1.0);
    (0..13_i64)
        .map(|i| {
            let z = i - 6;
            let p = match z {
                -6 => law.cdf(-6),
                6 => law.tail(6),
                z => law.pmf(z),
            };
            let expected = p * views.len() as f64;
            (seen[i as usize] - expected).powi(2) / expected
        })
        .sum()
}

/// 1 − 10^−9 quantile of χ² with 12 degrees of freedom.
const LIMIT: f64 = 72.0;

/// The coalition sees the whole noise of the honest helper, once, and nothing else. Runs in which the helpers draw half the
/// noise, or the honest one the same in every run, are found by the same test.
#[test]
fn a_coalition_sees_the_whole_noise_of_the_honest_helper() {
    let law = DiscreteLaplace::new("1/2".parse::<shoal_privacy::Amount>().unwrap().as_rational().clone()).unwrap();
    let step = count_rows("1/2");
    let fresh = |run| words_of(run, 0);
    let views = runs(40, &step, fresh);
    let found = chi2(&views, 40, &law);
    assert!(found < LIMIT, "χ² = {found}");
    // Mutant: the noise of the step is divided between the two helpers.
    let halved = step.with_noise_divided_by(&"2".parse().unwrap()).unwrap();
    assert!(chi2(&runs(40, &halved, fresh), 40, &law) > LIMIT);
    // Mutant: the honest helper's noise is the same in every run, so the coalition knows it: it is none.
    assert!(chi2(&runs(40, &step, |_| words_of(0, 0)), 40, &law) > LIMIT);
    // The neighbour's views are those of the neighbour: the same test distinguishes 40 rows from 41.
    assert!(chi2(&views, 41, &law) > LIMIT);
}

/// What the coalition sees loses ε and no more: the exact ratio of probabilities on the two neighbouring tables.
#[test]
fn the_exact_loss_of_the_view_is_that_of_the_claim() {
    let step = count_rows("1/2");
    let shoal_privacy::Loss::Pure(claimed) = step.claim().loss else { panic!("a pure loss") };
    let loss_of = |decay: &str| {
        let law = DiscreteLaplace::new(decay.parse::<shoal_privacy::Amount>().unwrap().as_rational().clone()).unwrap();
        (-200..=200_i64).map(|z| (law.ln_pmf(z) - law.ln_pmf(z - 1)).abs()).fold(0.0, f64::max)
    };
    assert!(loss_of("1/2") <= claimed.to_f64_up() + 1e-9);
    // Mutant: half of the noise.
    assert!(loss_of("1") > claimed.to_f64_up() + 0.1);
}

/// Clamping an answer before it is shared changes what is released, and is found by comparing with one table.
#[test]
fn clamping_before_sharing_is_found() {
    let share = |clamp: bool| {
        let number = (1_i128 << 63) + 5;
        let word = if clamp { number.clamp(i64::MIN.into(), i64::MAX.into()) as u64 } else { number as u64 };
        let shares = shoal_split::shares::split(vec![word], &[shoal_split::shares::Seed([3; 32])]);
        let mut total = vec![0];
        shares.iter().for_each(|it| add(&mut total, &it.words(1)));
        total[0] == number as u64
    };
    assert!(share(false));
    assert!(!share(true), "the mutant must be found");
}
