//! Hamming distances of codes, once per instruction set, and what they add up to over attributes.
//!
//! One record is compared with several that lie side by side: the words of each attribute are XORed and their ones counted,
//! the count is decoded (eq. 11), and the decoded distances, or their squares (eq. 19), are added in the order of
//! attributes. All kernels do the same operations on the same numbers, so all give the same bits.
//!
//! *Runtime*: one look at all words of both. AVX2 looks up the ones of half-bytes 32 at a time, and takes four records at
//! once so that the sums over a vector's parts become one vector. Newer processors count ones themselves (`Avx512`).

use crate::aggregator::estimate::Decoder;

/// A way to count. All give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain Rust, for every machine.
    Portable,
    /// One word at a time with the instruction that counts ones.
    Popcnt,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors with an instruction that counts ones.
    Avx512,
}

impl Kernel {
    /// All kernels, the fastest last.
    pub const ALL: [Kernel; 4] = [Kernel::Portable, Kernel::Popcnt, Kernel::Avx2, Kernel::Avx512];

    /// Whether this machine can run it.
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            match self {
                Kernel::Portable => true,
                Kernel::Popcnt => is_x86_feature_detected!("popcnt"),
                Kernel::Avx2 => is_x86_feature_detected!("avx2"),
                Kernel::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq"),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Kernel::Portable
        }
    }

    /// The fastest one this machine can run.
    pub fn fastest() -> Kernel {
        Self::ALL.into_iter().rfind(|kernel| kernel.available()).unwrap_or(Kernel::Portable)
    }
}

/// The Hamming distance of two codes.
///
/// # Panics
/// When they differ in length.
pub fn distance(a: &[u64], b: &[u64]) -> u32 {
    assert_eq!(a.len(), b.len(), "codes of the same terms");
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// How the counts of attributes become one number.
#[derive(Clone, Debug)]
pub(super) struct Combine {
    pub(super) kernel: Kernel,
    /// Words of one code.
    words: usize,
    parts: Vec<Part>,
}

/// One attribute's share: (slope·h − offset) to the first or second power, less `excess`·h(s−h).
#[derive(Clone, Copy, Debug)]
struct Part {
    slope: f64,
    offset: f64,
    excess: f64,
    bits: f64,
}

impl Combine {
    /// For attributes with these decoders. Squares are less their expected excess if `unbiased`.
    pub(super) fn new(decoders: &[Decoder], words: usize, unbiased: bool) -> Self {
        let part = |decoder: &Decoder| Part {
            slope: decoder.slope(),
            offset: decoder.offset(),
            excess: if unbiased { decoder.excess() } else { 0.0 },
            bits: f64::from(decoder.bits()),
        };
        Self { kernel: Kernel::fastest(), words, parts: decoders.iter().map(part).collect() }
    }

    /// The sums of squared distances (or of distances, unless `SQUARED`) of a record to others, which lie one after the
    /// other.
    pub(super) fn against<const SQUARED: bool>(&self, record: &[u64], others: &[u64], out: &mut [f64]) {
        assert_eq!(record.len(), self.words * self.parts.len(), "a record has all attributes");
        assert_eq!(others.len(), record.len() * out.len(), "one place for each record");
        // In-house callers may name a kernel in tests only after asking for it.
        match self.kernel {
            Kernel::Portable => portable::<SQUARED>(self, record, others, out),
            // SAFETY: a kernel is only chosen where `available` is true.
            #[cfg(target_arch = "x86_64")]
            Kernel::Popcnt => unsafe { popcnt::<SQUARED>(self, record, others, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { avx2::against::<SQUARED>(self, record, others, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => unsafe { avx512::<SQUARED>(self, record, others, out) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("other kernels are never available here"),
        }
    }
}

impl Part {
    #[inline(always)]
    fn of<const SQUARED: bool>(&self, hamming: u32) -> f64 {
        let h = f64::from(hamming);
        let d = self.slope * h - self.offset;
        if SQUARED { d * d - self.excess * h * (self.bits - h) } else { d }
    }
}

/// The same code, compiled for whoever calls it.
#[inline(always)]
fn portable<const SQUARED: bool>(how: &Combine, record: &[u64], others: &[u64], out: &mut [f64]) {
    for (other, out) in others.chunks_exact(record.len()).zip(out) {
        let codes = record.chunks_exact(how.words).zip(other.chunks_exact(how.words));
        let mut sum = 0.0;
        for (part, (a, b)) in how.parts.iter().zip(codes) {
            let count: u64 = a.iter().zip(b).map(|(a, b)| u64::from((a ^ b).count_ones())).sum();
            sum += part.of::<SQUARED>(count as u32);
        }
        *out = sum;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn popcnt<const SQUARED: bool>(how: &Combine, record: &[u64], others: &[u64], out: &mut [f64]) {
    portable::<SQUARED>(how, record, others, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn avx512<const SQUARED: bool>(how: &Combine, record: &[u64], others: &[u64], out: &mut [f64]) {
    portable::<SQUARED>(how, record, others, out);
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{Combine, Part};

    /// Records compared at once.
    const LANES: usize = 4;

    /// Vectors whose counts fit in bytes: each adds up to 8.
    const BYTEFULS: usize = 31;

    #[target_feature(enable = "avx2")]
    pub(super) fn against<const SQUARED: bool>(how: &Combine, record: &[u64], others: &[u64], out: &mut [f64]) {
        let len = record.len();
        let last = out.len().saturating_sub(1);
        for (block, out) in out.chunks_mut(LANES).enumerate() {
            // A block that is not full repeats the last record.
            let other: [&[u64]; LANES] = std::array::from_fn(|lane| {
                let at = (block * LANES + lane).min(last) * len;
                &others[at..at + len]
            });
            let mut sums = _mm256_setzero_pd();
            for (a, part) in how.parts.iter().enumerate() {
                let code = |of: &'_ [u64]| -> *const u64 { of[a * how.words..(a + 1) * how.words].as_ptr() };
                // SAFETY: the pointers are to `words` words each, of slices that were just checked.
                let counts = unsafe { counts(code(record), other.map(code), how.words) };
                sums = _mm256_add_pd(sums, combined::<SQUARED>(part, counts));
            }
            let mut four = [0.0; LANES];
            // SAFETY: there is room for four.
            unsafe { _mm256_storeu_pd(four.as_mut_ptr(), sums) };
            out.copy_from_slice(&four[..out.len()]);
        }
    }

    /// The Hamming distances of one code to four.
    ///
    /// # Safety
    /// All pointers are to `words` words.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn counts(code: *const u64, others: [*const u64; LANES], words: usize) -> __m256i {
        let zero = _mm256_setzero_si256();
        let mut totals = [zero; LANES];
        let whole = words / 4;
        let mut vector = 0;
        while vector < whole {
            let end = whole.min(vector + BYTEFULS);
            let mut bytes = [zero; LANES];
            while vector < end {
                // SAFETY: 4·vector + 3 is below `words`.
                let ours = unsafe { _mm256_loadu_si256(code.add(4 * vector).cast()) };
                for lane in 0..LANES {
                    // SAFETY: as above.
                    let other = unsafe { _mm256_loadu_si256(others[lane].add(4 * vector).cast()) };
                    bytes[lane] = _mm256_add_epi8(bytes[lane], ones(_mm256_xor_si256(ours, other)));
                }
                vector += 1;
            }
            for lane in 0..LANES {
                totals[lane] = _mm256_add_epi64(totals[lane], _mm256_sad_epu8(bytes[lane], zero));
            }
        }
        if !words.is_multiple_of(4) {
            let left = (words % 4) as i64;
            let mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(left), _mm256_setr_epi64x(0, 1, 2, 3));
            // SAFETY: the mask reads only the words that are left.
            let ours = unsafe { _mm256_maskload_epi64(code.add(4 * whole).cast(), mask) };
            for lane in 0..LANES {
                // SAFETY: as above.
                let other = unsafe { _mm256_maskload_epi64(others[lane].add(4 * whole).cast(), mask) };
                let counts = _mm256_sad_epu8(ones(_mm256_xor_si256(ours, other)), zero);
                totals[lane] = _mm256_add_epi64(totals[lane], counts);
            }
        }
        // Four vectors of four parts each, to one vector of four sums.
        let halves = |a, b| _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (low, high) = (halves(totals[0], totals[1]), halves(totals[2], totals[3]));
        let (first, second) =
            (_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high));
        _mm256_add_epi64(first, second)
    }

    /// The ones of every byte.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn ones(x: __m256i) -> __m256i {
        let of_half = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let low = _mm256_set1_epi8(0x0f);
        let lower = _mm256_shuffle_epi8(of_half, _mm256_and_si256(x, low));
        let upper = _mm256_shuffle_epi8(of_half, _mm256_and_si256(_mm256_srli_epi16::<4>(x), low));
        _mm256_add_epi8(lower, upper)
    }

    /// [`Part::of`], for four counts below 2^52.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn combined<const SQUARED: bool>(part: &Part, counts: __m256i) -> __m256d {
        // 2^52 with a count in its lowest bits, less 2^52.
        let magic = _mm256_set1_pd((1u64 << 52) as f64);
        let h = _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(counts), magic), magic);
        let all = |x: f64| _mm256_set1_pd(x);
        let d = _mm256_sub_pd(_mm256_mul_pd(all(part.slope), h), all(part.offset));
        if !SQUARED {
            return d;
        }
        let excess = _mm256_mul_pd(_mm256_mul_pd(all(part.excess), h), _mm256_sub_pd(all(part.bits), h));
        _mm256_sub_pd(_mm256_mul_pd(d, d), excess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregator::naive_encoder::terms;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn all_kernels_give_the_same_bits(
            dims in 1usize..4,
            words in prop_oneof![1usize..18, Just(124usize), 125usize..140],
            rows in 0usize..11,
            seed: u64,
            unbiased: bool,
        ) {
            let terms = terms(dims, 50.0, 20.0, 64 * words as u32, Some("1.5"));
            let decoders: Vec<Decoder> = (0..dims).map(|a| Decoder::of(&terms, a)).collect();
            let mut how = Combine::new(&decoders, words, unbiased);
            let mut x = seed;
            let mut next = || {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Also words that are full or empty.
                match x >> 62 { 0 => 0, 1 => u64::MAX, _ => x ^ (x >> 29) }
            };
            let record: Vec<u64> = (0..dims * words).map(|_| next()).collect();
            let others: Vec<u64> = (0..rows * dims * words).map(|_| next()).collect();
            let naive = |other: &[u64], squared: bool| {
                let codes = record.chunks(words).zip(other.chunks(words)).zip(&decoders);
                codes.fold(0.0, |sum, ((a, b), decoder)| {
                    let h = distance(a, b);
                    let d = decoder.distance(h);
                    let h = f64::from(h);
                    let excess = if unbiased { decoder.excess() } else { 0.0 };
                    sum + if squared { d * d - excess * h * (64.0 * words as f64 - h) } else { d }
                })
            };
            for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.available()) {
                how.kernel = kernel;
                let (mut squared, mut plain) = (vec![0.0; rows], vec![0.0; rows]);
                how.against::<true>(&record, &others, &mut squared);
                how.against::<false>(&record, &others, &mut plain);
                for (i, other) in others.chunks(record.len()).enumerate() {
                    prop_assert_eq!(squared[i], naive(other, true), "{:?}", kernel);
                    prop_assert_eq!(plain[i], naive(other, false), "{:?}", kernel);
                }
            }
        }
    }
}
