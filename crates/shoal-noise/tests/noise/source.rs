//! Sources, uniform integers, and what is refused.

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{
    DiscreteGaussian, DiscreteLaplace, ExponentialMechanism, Geometric, LInfinityKNorm, MAX_DIMENSIONS, MaxNoise,
    NoiseError, NoiseSource, NoisyMax, OsNoise, ScoreKind, SeededNoise, TapeNoise, uniform,
};

/// The ChaCha20 keystream of the zero key and zero nonce, as printed in RFC 8439, A.1 vector 1.
#[test]
fn seed_zero_is_the_published_keystream() {
    let mut bytes = [0_u8; 16];
    SeededNoise::new(0).fill_bytes(&mut bytes);
    let published = [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90, 0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28];
    assert_eq!(bytes, published);
    assert_eq!(SeededNoise::new(0).next_u64(), 0x903d_f1a0_ade0_b876);
}

#[test]
fn only_the_system_source_is_unseeded() {
    assert!(SeededNoise::new(1).is_seeded());
    assert!(SeededNoise::new(1).fork(2).is_seeded());
    let mut os = OsNoise::new().unwrap();
    assert!(!os.is_seeded());
    assert!(!os.fork(0).is_seeded());
    let (a, b) = (os.next_u64(), OsNoise::new().unwrap().next_u64());
    assert_ne!(a, b, "two system sources agree");
}

/// A tape of a seeded stream gives what the stream gives, word for word, and says when it has ended.
#[test]
fn a_tape_repeats_what_was_recorded_on_it() {
    let mut bytes = vec![0; 8 * 5];
    SeededNoise::new(3).fill_bytes(&mut bytes);
    let (mut tape, mut stream) = (TapeNoise::new(bytes.clone()), SeededNoise::new(3));
    assert!(tape.is_seeded());
    for _ in 0..4 {
        assert_eq!(tape.next_u64(), stream.next_u64());
    }
    assert_eq!((tape.used(), tape.ran_out()), (32, false));
    // Two words do not fit: the tape ends here for good, and the zero key follows.
    let mut beyond = [0; 16];
    tape.fill_bytes(&mut beyond);
    assert_eq!((tape.used(), tape.ran_out()), (32, true));
    let mut zero = SeededNoise::new(0);
    let mut published = [0; 16];
    zero.fill_bytes(&mut published);
    assert_eq!(beyond, published);
    assert_eq!(tape.next_u64(), zero.next_u64());
    // Forks are keyed from the tape as those of other sources are.
    let mut fork = TapeNoise::new(bytes).fork(9);
    assert_eq!(fork.next_u64(), SeededNoise::new(3).fork(9).next_u64());
    assert_eq!(format!("{:?}", TapeNoise::new([1, 2])), "TapeNoise(0 of 2 bytes read)");
}

#[test]
fn debug_hides_the_key() {
    assert_eq!(format!("{:?}", SeededNoise::new(77)), "SeededNoise(key hidden)");
    assert_eq!(format!("{:?}", OsNoise::new().unwrap()), "OsNoise(key hidden)");
}

#[test]
fn forks_are_repeatable_and_distinct() {
    let streams = || {
        let mut parent = SeededNoise::new(5);
        let mut forks: Vec<SeededNoise> = [0, 1, 1, u64::MAX].map(|l| parent.fork(l)).into();
        let nested = forks[0].fork(1);
        forks.push(nested);
        forks.push(parent);
        forks
    };
    let first: Vec<u64> = streams().iter_mut().map(|s| s.next_u64()).collect();
    let again: Vec<u64> = streams().iter_mut().map(|s| s.next_u64()).collect();
    assert_eq!(first, again);
    for i in 0..first.len() {
        assert!(!first[..i].contains(&first[i]), "two streams agree");
    }
    // The order of drawing from the children does not matter.
    let mut forks = streams();
    let mut backwards: Vec<u64> = forks.iter_mut().rev().map(|s| s.next_u64()).collect();
    backwards.reverse();
    assert_eq!(first, backwards);
    // Different labels give different streams for one and the same parent state.
    let (mut a, mut b) = (SeededNoise::new(5), SeededNoise::new(5));
    assert_ne!(a.fork(1).next_u64(), b.fork(2).next_u64());
}

#[test]
fn parent_and_children_are_uncorrelated() {
    let mut parent = SeededNoise::new(6);
    let (mut a, mut b) = (parent.fork(0), parent.fork(1));
    let zs = draws(DRAWS, || (a.next_u64() ^ b.next_u64()) as i64);
    accept("children", low_bits(&zs, 63));
    let zs = draws(DRAWS, || (a.next_u64() ^ parent.next_u64()) as i64);
    accept("parent", low_bits(&zs, 63));
    // A child that repeats its parent's words would be seen.
    let (mut first, mut copy) = (SeededNoise::new(6), SeededNoise::new(6));
    let zs = draws(DRAWS, || (first.next_u64() ^ copy.next_u64()) as i64);
    reject("a copy", low_bits(&zs, 63));
}

fn uniform_fit(zs: &[u128], n: u128) -> f64 {
    let bins = n.min(50);
    let mut seen = vec![0_u64; bins as usize];
    let edge = |b: u128| n / bins * b + (n % bins) * b / bins;
    for z in zs {
        if *z >= n {
            return 0.0;
        }
        let mut b = (*z / (n / bins)).min(bins - 1);
        while edge(b) > *z {
            b -= 1;
        }
        seen[b as usize] += 1;
    }
    let expected: Vec<f64> = (0..bins).map(|b| (edge(b + 1) - edge(b)) as f64 / n as f64 * zs.len() as f64).collect();
    fit(&seen, &expected)
}

#[test]
fn uniform_integers_and_mutants() {
    let mut s = source(61);
    let s = &mut *s;
    for n in [2_u64, 3, 10, 50, 1000, 1 << 40, (1 << 63) + 1, 3 << 62, u64::MAX] {
        let zs: Vec<u128> = (0..DRAWS).map(|_| uniform::below(s, n).into()).collect();
        accept(&format!("below {n}"), uniform_fit(&zs, n.into()));
        let zs: Vec<u128> = (0..DRAWS).map(|_| uniform::below_u128(s, n.into())).collect();
        accept(&format!("below {n}"), uniform_fit(&zs, n.into()));
    }
    for n in [1_u128 << 64, (1 << 64) + 1, 3 << 64, (1 << 100) + 12345, u128::MAX] {
        let zs: Vec<u128> = (0..DRAWS).map(|_| uniform::below_u128(s, n)).collect();
        accept(&format!("below {n}"), uniform_fit(&zs, n));
    }
    let n = 3_u64 << 62;
    let zs: Vec<u128> = (0..DRAWS).map(|_| (s.next_u64() % n).into()).collect();
    reject("remainder instead of rejection", uniform_fit(&zs, n.into()));
    let zs: Vec<u128> = (0..DRAWS).map(|_| (u128::from(s.next_u64()) * u128::from(n)) >> 64).collect();
    // Without rejection, every third value is twice as likely; the remainder by 3 shows it.
    let residues: Vec<u128> = zs.iter().map(|z| z % 3).collect();
    reject("multiplication without rejection", uniform_fit(&residues, 3));
    let zs: Vec<u128> = (0..DRAWS).map(|_| (uniform::below(s, n) % 3).into()).collect();
    accept("multiplication with rejection", uniform_fit(&zs, 3));
    let zs: Vec<u128> = (0..DRAWS).map(|_| uniform::below(s, 49).into()).collect();
    reject("last value missing", uniform_fit(&zs, 50));
    assert_eq!(uniform::below(s, 1), 0);
}

#[test]
fn symmetric_integers() {
    let mut s = source(62);
    for n in [0_u128, 1, 7, 1000, 1 << 61, 1 << 62, 1 << 80] {
        let zs: Vec<u128> = (0..DRAWS).map(|_| (uniform::symmetric(&mut *s, n) + n as i128) as u128).collect();
        if n == 0 {
            assert!(zs.iter().all(|z| *z == 0));
        } else {
            accept(&format!("symmetric {n}"), uniform_fit(&zs, 2 * n + 1));
            let one_sided: Vec<u128> = zs.iter().map(|&z| if z < n { 2 * n - z } else { z }).collect();
            reject(&format!("symmetric {n}, missing sign"), uniform_fit(&one_sided, 2 * n + 1));
        }
    }
}

#[test]
fn points_stay_in_their_box() {
    let mut s = source(63);
    let (low, high) = ([-1.0, 5.0, 0.1], [1.0, 5.0, 0.3]);
    let mut point = [0.0; 3];
    let (mut bins, mut mutant) = ([0_u64; 40], [0_u64; 40]);
    for _ in 0..DRAWS {
        uniform::point_in_box(&mut *s, &low, &high, &mut point);
        assert!((0..3).all(|i| low[i] <= point[i] && point[i] <= high[i]));
        bins[((point[0] + 1.0) * 20.0) as usize] += 1;
        // A mutant that leaves out the upper end of the box.
        mutant[((point[0] + 1.0) * 19.0) as usize] += 1;
        let unit = uniform::unit_f64(&mut *s);
        assert!((0.0..1.0).contains(&unit));
    }
    accept("first coordinate", fit(&bins, &[DRAWS as f64 / 40.0; 40]));
    reject("first coordinate, cut short", fit(&mutant, &[DRAWS as f64 / 40.0; 40]));
}

/// Malformed parameters, each with the error that names the fix.
#[test]
fn refused_parameters() {
    let zero = || RBig::ZERO;
    let tiny = || RBig::ONE / RBig::from(10_u8).pow(20);
    let is_decay = |e: &NoiseError| matches!(e, NoiseError::NonPositiveDecay { .. });
    let is_scale = |e: &NoiseError| matches!(e, NoiseError::ScaleTooLarge { max_bits: 52 });
    assert!(is_decay(&Geometric::new(zero()).err().unwrap()));
    assert!(is_decay(&Geometric::new(ratio(-1, 2)).err().unwrap()));
    assert!(is_scale(&Geometric::new(tiny()).err().unwrap()));
    assert!(is_decay(&DiscreteLaplace::new(ratio(-1, 2)).err().unwrap()));
    assert!(is_scale(&DiscreteLaplace::new(ratio(1, (1 << 52) + 1)).err().unwrap()));
    assert!(DiscreteLaplace::new(ratio(1, 1 << 52)).is_ok());
    assert!(matches!(DiscreteGaussian::new(zero()).err().unwrap(), NoiseError::NonPositiveVariance { .. }));
    assert!(is_scale(&DiscreteGaussian::new(RBig::from((1_u64 << 52) + 1).sqr()).err().unwrap()));
    assert_eq!(LInfinityKNorm::new(ratio(1, 2), 0).err(), Some(NoiseError::NoDimensions));
    assert!(matches!(
        LInfinityKNorm::new(ratio(1, 2), MAX_DIMENSIONS + 1).err(),
        Some(NoiseError::TooManyDimensions { .. })
    ));
    assert!(is_decay(&LInfinityKNorm::new(zero(), 2).err().unwrap()));
    assert!(is_scale(&LInfinityKNorm::new(tiny(), 2).err().unwrap()));
    assert_eq!(
        LInfinityKNorm::with_half_widths(ratio(1, 2), &[4, 0]).err(),
        Some(NoiseError::ZeroHalfWidth { index: 1 })
    );
    assert!(is_scale(&LInfinityKNorm::with_half_widths(ratio(1, 2), &[1 << 52]).err().unwrap()));
    let exponential = |e: RBig, d: RBig| ExponentialMechanism::new(&e, &d, ScoreKind::General).err();
    assert!(is_decay(&exponential(zero(), RBig::ONE).unwrap()));
    assert!(matches!(exponential(RBig::ONE, zero()).unwrap(), NoiseError::NonPositiveSensitivity { .. }));
    let mechanism = ExponentialMechanism::new(&RBig::ONE, &RBig::ONE, ScoreKind::General).unwrap();
    let mut s = SeededNoise::new(1);
    assert_eq!(mechanism.choose::<i64>(&mut s, &[]), Err(NoiseError::NoCandidates));
    let max = NoisyMax::new(MaxNoise::Laplace, &RBig::ONE, &RBig::ONE, ScoreKind::General).unwrap();
    assert_eq!(max.choose::<i64>(&mut s, &[]), Err(NoiseError::NoCandidates));
    for error in
        [Geometric::new(zero()).err().unwrap(), Geometric::new(tiny()).err().unwrap(), NoiseError::NoCandidates]
    {
        let text = error.to_string();
        assert!(text.contains(';'), "no way out in: {text}");
    }
}
