//! Shares add up to what one table would answer, bit for bit, whatever the partition and the number of helpers.

use proptest::prelude::*;
use shoal_noise::NoiseSource;
use shoal_privacy::ThisIsNotPrivate;
use shoal_release::{Releaser, Step};
use shoal_scan::LocalScan;
use shoal_split::shares::{Seed, Share, add, signed, split, wrapped};
use shoal_split::{Charter, CharterText};

use super::parts::*;

fn exact(step: &Step, scan: &LocalScan) -> Vec<u64> {
    step.answer_wrapped(scan).unwrap().without_privacy().reveal(ThisIsNotPrivate)
}

/// The words that helper `i` draws for the steps, one after the other.
fn helper_noise(i: usize, steps: &[Step]) -> Vec<Vec<u64>> {
    let mut words = Words(1000 + i as u64);
    words.fill_bytes(&mut [0; 16]);
    steps.iter().map(|step| step.draw_wrapped(&mut words).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What is released is the answer of one table with all rows, plus the noise of the helpers, and nothing else.
    #[test]
    fn a_run_releases_what_one_table_would(
        rows in prop::collection::vec((any::<i16>(), any::<i16>(), 0..3usize), 0..40),
        helpers in 2..4usize,
    ) {
        let rows: Vec<([i16; DIMS], usize)> = rows.into_iter().map(|(x, y, at)| ([x.max(-i16::MAX), y.max(-i16::MAX)], at)).collect();
        let all: Vec<_> = rows.iter().map(|(row, _)| *row).collect();
        let tables: Vec<LocalScan> = (0..3)
            .map(|i| scan(&rows.iter().filter(|(_, at)| *at == i).map(|(row, _)| *row).collect::<Vec<_>>()))
            .collect();
        let charter = charter(3, helpers);
        let steps = [count_rows("1/4"), moments("1/2"), counts_of_clusters("1/4")];
        let mut releaser = releaser(&charter, &tables, "1");
        for (round, step) in steps.iter().enumerate() {
            let mut expected = exact(step, &scan(&all));
            for i in 0..helpers {
                add(&mut expected, &helper_noise(i, &steps)[round]);
            }
            prop_assert_eq!(releaser.release(step).unwrap().into_inner(), signed(&expected));
        }
        prop_assert_eq!(releaser.promised().loss.symbols(), "ε = 1");
        let (transcript, rehearsal) = releaser.close();
        prop_assert_eq!(transcript.rounds.len(), 3);
        let mut rehearsal = rehearsal;
        rehearsal.settle();
        for custodian in &rehearsal.custodians {
            prop_assert!(custodian.is_closed() && custodian.rounds() == 3 && custodian.purse().debits == 3);
            prop_assert_eq!(custodian.final_state(), transcript.end);
        }
    }

    /// Shares add up to the numbers modulo 2^64, also next to the ends.
    #[test]
    fn shares_add_up(numbers in prop::collection::vec(any::<u64>(), 0..20), seeds in prop::collection::vec(any::<[u8; 32]>(), 1..4)) {
        let mut numbers = numbers;
        numbers.extend([0, 1, u64::MAX, (1 << 63) - 1, 1 << 63, (1 << 63) + 1]);
        let seeds: Vec<Seed> = seeds.into_iter().map(Seed).collect();
        let mut total = vec![0; numbers.len()];
        split(numbers.clone(), &seeds).iter().for_each(|share| add(&mut total, &share.words(numbers.len())));
        prop_assert_eq!(&total, &numbers);
        prop_assert_eq!(wrapped(&signed(&numbers)), numbers);
    }
}

/// Sums of noise and answers are the same modulo 2^64 whenever the reduction is made; saturated noise has other sums (R9).
#[test]
fn reduction_commutes_with_adding_and_saturation_does_not() {
    let wrap = |wide: i128| wide as u64;
    let saturate = |wide: i128| wide.clamp(i64::MIN.into(), i64::MAX.into()) as i64 as u64;
    let commutes = |reduce: &dyn Fn(i128) -> u64| {
        let edges = [(1_i128 << 63) - 1, 1 << 63, (1 << 63) + 1, -(1 << 63) - 1, 3 << 70];
        edges.iter().all(|&noise| {
            [0_i128, 1, -1, 12345].iter().all(|&exact| wrap(exact).wrapping_add(reduce(noise)) == wrap(exact + noise))
        })
    };
    assert!(commutes(&wrap));
    assert!(!commutes(&saturate), "saturated noise must not pass");
    assert!(commutes(&shoal_release::wrapped));
}

/// Any h − 1 shares are uniform: bytes of them pass a χ² test that the numbers themselves fail.
#[test]
fn all_shares_but_one_are_uniform() {
    // 1 − 10^−9 quantile of χ² with 255 degrees of freedom, by Wilson and Hilferty, rounded up.
    const LIMIT: f64 = 420.0;
    let chi2 = |words: &[u64]| {
        let mut seen = [0.0_f64; 256];
        words.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| seen[usize::from(byte)] += 1.0);
        let expected = words.len() as f64 * 8.0 / 256.0;
        seen.iter().map(|count| (count - expected).powi(2) / expected).sum::<f64>()
    };
    let numbers: Vec<u64> = (0..4096).collect();
    let seeds: Vec<Seed> = (0..2).map(|i| Seed([i; 32])).collect();
    let shares: Vec<Vec<u64>> = split(numbers.clone(), &seeds).iter().map(|share| share.words(4096)).collect();
    for left_out in 0..3 {
        for (i, share) in shares.iter().enumerate() {
            if i != left_out {
                assert!(chi2(share) < LIMIT, "share {i}: {}", chi2(share));
            }
        }
        // Sums of the other two are uniform as well: they are the numbers less the one that is left out.
        let mut sum = vec![0; 4096];
        shares.iter().enumerate().filter(|(i, _)| *i != left_out).for_each(|(_, share)| add(&mut sum, share));
        assert!(chi2(&sum) < LIMIT);
    }
    assert!(chi2(&numbers) > LIMIT, "numbers that are not hidden must not pass");
}

/// With noise of their own, custodians add one draw each at c times the budget, and the claim for colluding helpers says so.
#[test]
fn noise_of_ones_own_is_added_before_sharing() {
    let text = CharterText { fallback: "4".into(), ..charter_text(2, 2) };
    let charter = std::sync::Arc::new(Charter::new(text).unwrap());
    let tables = [scan(&[[1, 2], [3, 4]]), scan(&[[5, 6]])];
    let step = count_rows("1");
    let mut expected = vec![3_u64];
    (0..2).for_each(|i| add(&mut expected, &helper_noise(i, std::slice::from_ref(&step))[0]));
    for i in 0..2 {
        let mut words = Words(2000 + i);
        words.fill_bytes(&mut [0; 32]);
        words.fill_bytes(&mut [0; 32]);
        let weaker = step.with_noise_divided_by(&"4".parse().unwrap()).unwrap();
        assert_eq!(weaker.claim().loss.symbols(), "ε = 4");
        add(&mut expected, &weaker.draw_wrapped(&mut words).unwrap());
    }
    let mut releaser = releaser(&charter, &tables, "1");
    assert_eq!(releaser.release(&step).unwrap().into_inner(), signed(&expected));
    let collude = shoal_split::claim_if_all_collude(&charter, &epsilon("1")).unwrap();
    assert_eq!(collude.loss.symbols(), "ε = 4");
    assert!(!collude.assumes.contains(&shoal_privacy::Assumption::OneHelperHonest));
}

/// A seed depends on everything it is bound to, and the first share goes to the first helper alone.
#[test]
fn seeds_differ_in_everything_they_are_bound_to() {
    use shoal_split::{Hash, RunId};
    let (secret, run, bound) = ([7; 32], RunId([1; 16]), Hash([2; 32]));
    let seed = Seed::derived(&secret, &run, 3, &bound, 1);
    let others = [
        Seed::derived(&[8; 32], &run, 3, &bound, 1),
        Seed::derived(&secret, &RunId([2; 16]), 3, &bound, 1),
        Seed::derived(&secret, &run, 4, &bound, 1),
        Seed::derived(&secret, &run, 3, &Hash([3; 32]), 1),
        Seed::derived(&secret, &run, 3, &bound, 2),
    ];
    assert!(others.iter().all(|other| other.0 != seed.0));
    assert!(Seed::derived(&secret, &run, 3, &bound, 1).0 == seed.0);
    let shares = split(vec![1, 2], &[seed]);
    assert!(matches!(shares[..], [Share::Words(_), Share::Seed(_)]));
}
