//! Seeded draws, pinned: they must not change between machines or versions, or seeded results in
//! papers could not be repeated. The file comes from `vectors/seeded.py`, which shares no code.

use dashu_ratio::RBig;
use shoal_noise::{
    DiscreteGaussian, DiscreteLaplace, ExponentialMechanism, Geometric, LInfinityKNorm, MaxNoise, NoiseSource,
    NoisyMax, ScoreKind, SeededNoise, uniform,
};

fn ratio(top: i64, bottom: u64) -> RBig {
    RBig::from_parts(top.into(), bottom.into())
}

/// One line per sampler: its name and its first draws from seed 2024.
fn lines() -> Vec<String> {
    let seed = || SeededNoise::new(2024);
    let mut lines = Vec::new();
    let mut push = |name: &str, draws: &[i128]| {
        let draws: Vec<String> = draws.iter().map(ToString::to_string).collect();
        lines.push(format!("{name}: {}", draws.join(" ")));
    };
    let wide = |zs: &[i64]| zs.iter().map(|&z| z.into()).collect::<Vec<i128>>();
    let mut zs = [0; 12];

    let mut s = seed();
    push("words", &[(); 4].map(|()| s.next_u64().into()));
    let mut child = s.fork(9);
    push("words of fork 9", &[(); 4].map(|()| child.next_u64().into()));
    push("below 1000", &[(); 12].map(|()| uniform::below(&mut s, 1000).into()));
    push("below 3 * 2^70", &[(); 3].map(|()| uniform::below_u128(&mut s, 3 << 70) as i128));
    for (name, decay) in [
        ("10/3", ratio(10, 3)),
        ("1", ratio(1, 1)),
        ("1/1000", ratio(1, 1000)),
        ("2^-20", ratio(1, 1 << 20)),
        ("2^-50", ratio(1, 1 << 50)),
    ] {
        Geometric::new(decay.clone()).unwrap().fill(&mut seed(), &mut zs);
        push(&format!("geometric {name}"), &wide(&zs));
        DiscreteLaplace::new(decay).unwrap().fill(&mut seed(), &mut zs);
        push(&format!("laplace {name}"), &wide(&zs));
    }
    for (name, variance) in [("1/4", ratio(1, 4)), ("10000", ratio(10_000, 1)), ("2^80", RBig::from(1_u128 << 80))] {
        DiscreteGaussian::new(variance).unwrap().fill(&mut seed(), &mut zs);
        push(&format!("gaussian {name}"), &wide(&zs));
    }
    LInfinityKNorm::new(ratio(1, 1024), 3).unwrap().fill(&mut seed(), &mut zs);
    push("cube 1/1024", &wide(&zs));
    LInfinityKNorm::with_half_widths(ratio(1, 2), &[100, 1, 7]).unwrap().fill(&mut seed(), &mut zs);
    push("cube 1/2, half-widths 100 1 7", &wide(&zs));
    let scores = [3_i64, 1, 4, 1, 5, 9, 2, 6];
    let exponential = ExponentialMechanism::new(&ratio(1, 4), &RBig::ONE, ScoreKind::Monotone).unwrap();
    let mut s = seed();
    let picks = [(); 20].map(|()| exponential.choose(&mut s, &scores).unwrap() as i128);
    push("exponential 1/4", &picks);
    for noise in [MaxNoise::Geometric, MaxNoise::Laplace] {
        let max = NoisyMax::new(noise, &ratio(1, 4), &RBig::ONE, ScoreKind::Monotone).unwrap();
        let mut s = seed();
        let picks = [(); 20].map(|()| max.choose(&mut s, &scores).unwrap() as i128);
        push(&format!("noisy max {noise:?} 1/4"), &picks);
    }
    lines
}

#[test]
fn seeded_draws_do_not_change() {
    let pinned = include_str!("../vectors/seeded.txt");
    let lines = lines();
    if lines.iter().map(String::as_str).ne(pinned.lines()) {
        panic!("seeded draws have changed; the draws are now\n{}", lines.join("\n"));
    }
}
