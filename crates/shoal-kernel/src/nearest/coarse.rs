//! Centres prepared for the search, and how far its quick scores can be trusted.
//!
//! The quick pass adds products of 16-bit pairs in 32 bits, which full lattice coordinates would overflow. It therefore
//! drops `s` bits of the points and `t` bits of the centres and settles the few rows for which that could matter in a
//! second look, at full width.
//!
//! # The scores
//! With `p = 2^s` and `q = 2^t`, let `m` be the middle of the smallest box around the centres and `v_j = c_j − m`.
//! The nearest centre has the largest `E_j = 2(x − m)·v_j − ‖v_j‖²`, which is `‖x − m‖²` minus the squared distance.
//! Write `x = p·x' + (p − 1)/2 + e` with `x' = x >> s`, and `v_j = q·v'_j + f_j` with `v'_j` rounded. Then
//!
//! ```text
//! E_j = 2pq·x'·v'_j + B_j + 2e·v_j + 2y·f_j      B_j = (p − 1)Σv_j − pΣf_j − ‖v_j‖² − 2m·v_j
//! ```
//!
//! where the sums are over the attributes and `y = p·x' + p/2`. `B_j` is an integer known beforehand. The pass computes
//! `T_j = x'·v'_j + bias_j` with `bias_j = (B_j − B) / 2pq` rounded, for a constant `B` that makes the numbers small.
//!
//! # The margin
//! In each attribute `|e| ≤ (p − 1)/2` and, as `x` has sixteen bits, `|y| ≤ 2^15 − p/2`. With `r_j` for what the bias
//! was rounded by, `2pq·T_j` is therefore `E_j − B` up to an error of at most
//!
//! ```text
//! U_j = (p − 1)·‖v_j‖₁ + (2^16 − p)·‖f_j‖₁ + |r_j|
//! ```
//!
//! Let `U` be the largest of them and `w` the best quick score. If `T_w − T_j > U/pq`, then
//! `E_w − E_j ≥ 2pq·(T_w − T_j) − 2U > 0`: centre `j` is not the nearest. A row for which this holds for all `j ≠ w` has
//! label `w`; any other row has one of the centres with `T_w − T_j ≤ margin = floor(U/pq)`.
//!
//! `s` and `t` are the ones with the smallest expected `U` among those for which no partial sum leaves 32 bits:
//! `|bias_j| + 2^15/p · ‖v'_j‖₁ < 2^31`. They depend on the centres: the closer together those are, the finer the pass.

use std::ops::Range;

use crate::LatticeCentres;
use crate::internals::Path;
use crate::nearest::kernel;

/// Centres whose quick scores the second look computes at once.
pub(crate) const OCTET: usize = 8;

/// Centres as the search reads them.
///
/// They are cut into groups, whose scores fit the vector registers together; in a group
/// the pairs of coordinates of all its centres stand side by side.
#[derive(Clone, Debug)]
pub struct SearchCentres {
    pub(crate) dims: usize,
    /// Bits dropped from points: `s`.
    pub(crate) shift: u32,
    pub(crate) groups: Vec<Range<usize>>,
    /// For each group, for each pair of attributes, one word (`low 16 bits = even attribute` of `v'`) per centre.
    pub(crate) words: Vec<i32>,
    pub(crate) bias: Vec<i32>,
    /// How close to the best a quick score must come for a second look; nothing when quick scores are exact.
    pub(crate) margin: Option<u32>,
    /// The words again, for eight centres side by side; the last eight filled up with zeros.
    pub(crate) octets: Vec<[i32; OCTET]>,
    /// The centres themselves, and their squared norms.
    pub(crate) exact: LatticeCentres,
    pub(crate) norms: Vec<i64>,
    path: Path,
}

impl SearchCentres {
    /// Prepares `centres` for the fastest code path of this machine.
    pub fn new(centres: &LatticeCentres) -> Self {
        Self::with_path(centres, Path::fastest())
    }

    /// Prepares `centres` for a given code path; the labels do not depend on it.
    ///
    /// # Panics
    /// When this machine cannot run the path.
    pub fn with_path(centres: &LatticeCentres, path: Path) -> Self {
        assert!(path.available(), "this machine cannot run {path:?}");
        let (k, dims) = (centres.count(), centres.dims());
        let quick = Quick::new(centres);
        let pairs = dims.div_ceil(2);

        // Groups of nearly equal size: ten centres are 5 + 5, because 6 + 4 leaves registers idle in the second.
        let count = k.div_ceil(kernel::GROUP);
        let groups: Vec<_> = (0..count).map(|g| g * k / count..(g + 1) * k / count).collect();

        let word = |j: usize, p: usize| {
            let pair = &quick.coordinates[j * dims..][2 * p..(2 * p + 2).min(dims)];
            i32::from(pair.get(1).copied().unwrap_or(0)) << 16 | i32::from(pair[0] as u16)
        };
        let mut words = Vec::with_capacity(k * pairs);
        for group in &groups {
            words.extend((0..pairs).flat_map(|p| group.clone().map(move |j| (j, p))).map(|(j, p)| word(j, p)));
        }
        let octet = |first: usize, p: usize| {
            std::array::from_fn(|lane| if first + lane < k { word(first + lane, p) } else { 0 })
        };
        let octets = (0..k).step_by(OCTET).flat_map(|j| (0..pairs).map(move |p| (j, p))).map(|(j, p)| octet(j, p));
        Self {
            dims,
            shift: quick.point_bits,
            groups,
            words,
            octets: octets.collect(),
            bias: quick.bias,
            margin: quick.margin,
            norms: (0..k).map(|j| centres.centre(j).iter().map(|&x| i64::from(x).pow(2)).sum()).collect(),
            exact: centres.clone(),
            path,
        }
    }

    /// Number of centres.
    pub fn count(&self) -> usize {
        self.bias.len()
    }

    /// The code path the search will take.
    pub fn path(&self) -> Path {
        self.path
    }
}

/// What the quick pass multiplies and adds, in the names of the module's description.
struct Quick {
    point_bits: u32,
    /// `v'`, centre after centre.
    coordinates: Vec<i16>,
    bias: Vec<i32>,
    margin: Option<u32>,
}

impl Quick {
    fn new(centres: &LatticeCentres) -> Self {
        let (k, dims) = (centres.count(), centres.dims());
        let (mut low, mut high) = (centres.centre(0).to_vec(), centres.centre(0).to_vec());
        for j in 1..k {
            for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(centres.centre(j)) {
                (*low, *high) = (x.min(*low), x.max(*high));
            }
        }
        let middle: Vec<i64> = low.iter().zip(&high).map(|(&a, &b)| (i64::from(a) + i64::from(b)) >> 1).collect();
        let offsets = |j: usize| centres.centre(j).iter().zip(&middle).map(|(&c, m)| i64::from(c) - m);
        let reach: Vec<i64> = (0..k).map(|j| offsets(j).map(i64::abs).sum()).collect();
        let farthest = reach.iter().copied().max().unwrap_or(0);

        // `‖v‖² + 2m·v` for every centre, with the middle of these numbers taken away.
        let mut norms: Vec<i64> = (0..k).map(|j| offsets(j).zip(&middle).map(|(v, m)| v * (v + 2 * m)).sum()).collect();
        let (least, most) = norms.iter().fold((i64::MAX, i64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        norms.iter_mut().for_each(|x| *x -= least + (most - least) / 2);

        let (s, t) = dropped_bits(dims, farthest, (most - least + 1) / 2);
        let (p, q) = (1i64 << s, 1i64 << t);
        let (mut coordinates, mut bias, mut error) = (Vec::with_capacity(k * dims), Vec::with_capacity(k), 0);
        for j in 0..k {
            let (mut sum, mut rest, mut rest_size, mut size) = (0, 0, 0, 0);
            for v in offsets(j) {
                let rounded = (v + q / 2) >> t;
                coordinates.push(rounded as i16);
                let f = v - q * rounded;
                (sum, rest, rest_size, size) = (sum + v, rest + f, rest_size + f.abs(), size + rounded.abs());
            }
            let whole = (p - 1) * sum - p * rest - norms[j];
            let part = (whole + p * q).div_euclid(2 * p * q);
            // What the kernel's 32-bit sums rest on; `dropped_bits` sees to it.
            assert!(part.abs() + (size << 15 >> s) < (1 << 31), "quick scores fit 32 bits");
            bias.push(part as i32);
            error = error.max((p - 1) * reach[j] + ((1 << 16) - p) * rest_size + (whole - 2 * p * q * part).abs());
        }
        let margin = (error > 0).then(|| u32::try_from(error / (p * q)).unwrap_or(u32::MAX));
        Self { point_bits: s, coordinates, bias, margin }
    }
}

/// The bits to drop from points and from centres, given the largest `‖v_j‖₁` and the largest `|‖v_j‖² + 2m·v_j − B|`.
fn dropped_bits(dims: usize, farthest: i64, norm: i64) -> (u32, u32) {
    let (d, farthest, norm) = (dims as f64, farthest as f64, norm as f64);
    let fits = |p: f64, q: f64| {
        // Rounding a coordinate adds at most one half to it, and moves the bias a little.
        let rounding = if q > 1.0 { d / 2.0 } else { 0.0 };
        let bias = (norm + p * farthest + p * q * rounding) / (2.0 * p * q) + 1.0;
        32_768.0 / p * (farthest / q + rounding) + bias < 2_147_483_000.0
    };
    // A rounded coordinate is off by a quarter of a unit on average.
    let error = |p: f64, q: f64| (p - 1.0) * farthest + 65_536.0 * if q > 1.0 { d * q / 4.0 } else { 0.0 };
    let size = |bits: u32| f64::from(1u32 << bits);
    // For each number of bits dropped from points, the fewest from centres that will do.
    let usable = (0..=15).filter_map(|s| Some((s, (0..=15).find(|&t| fits(size(s), size(t)))?)));
    let cost = |(s, t): (u32, u32)| error(size(s), size(t));
    // With all bits but the sign dropped, a sum over a billion attributes would still fit.
    usable.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or((15, 15))
}
