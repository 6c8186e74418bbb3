//! Coins that flip bits.

use std::time::Instant;

use shoal_noise::BitFlips;
use shoal_privacy::{Amount, Epsilon, Neighbours};

use super::{claim, runs};
use crate::allowed::promise;
use crate::exact::{FiniteLaws, Law};
use crate::law::binomial;
use crate::report::LawTest;
use crate::runs::{RunFailure, draw};
use crate::targets::subject::Subject;
use crate::{Allowed, Expected, Line, Measure, Pair, Plan, Score, Target, TargetInfo, each};

/// Randomised response on 64 bits at once.
pub(super) struct BitFlipsTarget;

impl Target for BitFlipsTarget {
    fn info(&self) -> TargetInfo {
        let what = "coins that flip the bits of a code: bits that differ by enumeration, by events, and each of 64 coins by \
                    its distribution";
        TargetInfo { name: "bit-flips", group: "noise", what }
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        5 * runs(plan)
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let epsilon = plan.exact_epsilon(1.0)?;
        let flips = BitFlips::new(epsilon.amount().as_rational().clone())?;
        let mut lines = Vec::new();
        // The first and the last bit of a word are where loops go wrong.
        for places in [&[0_u32][..], &[0, 63]] {
            lines.extend(subject(&epsilon, &flips, places).audit(plan, runs(plan))?);
        }
        let start = Instant::now();
        let one = claim(&epsilon, Neighbours::AnyTwoInputs);
        let setting = format!("ε = {epsilon} for each bit, 64 bits");
        let mut line = Line::new("bit-flips", setting, promise(&one), Expected::Kept, every_coin(&flips, plan)?);
        line.seconds = start.elapsed().as_secs_f64();
        lines.push(line);
        Ok(lines)
    }
}

/// Codes that differ in the bits at these places.
fn subject(epsilon: &Epsilon, flips: &BitFlips, places: &'static [u32]) -> Subject {
    let claim = claim(&epsilon.times(&Amount::ratio(places.len() as u64, 1)), Neighbours::AnyTwoInputs);
    let allowed = Allowed::of(&claim.loss, 1.0);
    let side = |code: u64| {
        let flips = flips.clone();
        each(move |noise, out| {
            let sent = code ^ flips.sample(noise);
            // The bits in question, and how many of all are set.
            out.tell_all(places.iter().map(|place| f64::from(u8::from(sent >> place & 1 == 1))));
            out.tell(f64::from(sent.count_ones()));
        })
    };
    let mask = places.iter().fold(0, |mask, place| mask | 1_u64 << place);
    let score = Score::new("bits that are not set", |run| -run[..run.len() - 1].iter().sum::<f64>());
    let bits = places.len();
    let words =
        if bits == 1 { "codes that differ in the first bit" } else { "codes that differ in the first and last bit" };
    let pair = Pair::new(words, side(0), side(mask), allowed).with_score(score);
    let each_bit = epsilon.to_f64_up();
    let setting = format!("ε = {epsilon} for each bit, codes {bits} apart");
    let law_of = flips.clone();
    let exact = move || {
        let code = move |i: usize| (0..bits).map(|bit| if i >> bit & 1 == 1 { '1' } else { '0' }).collect::<String>();
        let law = |input: usize| {
            let ln = |output: usize| (0..bits).map(|bit| law_of.ln_pmf((input ^ output) >> bit & 1 == 1)).sum::<f64>();
            Law::new(code(input), (0..1 << bits).map(ln).collect())
        };
        let laws = FiniteLaws::new((0..1 << bits).map(law).collect(), code)?;
        let apart = |i: usize, j: usize| f64::from((i ^ j).count_ones());
        Ok(laws.audit(|i, j| Some(Allowed::Pure(each_bit * apart(i, j)))))
    };
    Subject::new("bit-flips", setting, promise(&claim)).with_exact(exact).with_pair(pair)
}

/// Every one of 64 coins comes up as often as it should.
fn every_coin(flips: &BitFlips, plan: &Plan<'_>) -> Result<Measure, RunFailure> {
    let runs = runs(plan);
    let coins = flips.clone();
    let side = each(move |noise, out| {
        let word = coins.sample(noise);
        // A double holds 53 bits.
        out.tell_all([word >> 32, word & 0xffff_ffff].map(|half| half as f64));
    });
    let drawn = draw(&*side, runs, plan.randomness.for_part("bit-flips, every coin"), 1, plan.watch)?;
    let mut hits = [0; 64];
    for i in 0..runs {
        let word = (drawn.run(i)[0] as u64) << 32 | drawn.run(i)[1] as u64;
        hits.iter_mut().enumerate().for_each(|(bit, hits)| *hits += (word >> bit & 1) as usize);
    }
    let test = |(bit, hits): (usize, usize)| LawTest {
        what: format!("flips of bit {bit}"),
        p_value: binomial(hits, runs, flips.probability()),
    };
    Ok(Measure::SamplerLaw { tests: hits.into_iter().enumerate().map(test).collect(), runs, alpha: plan.alpha })
}
