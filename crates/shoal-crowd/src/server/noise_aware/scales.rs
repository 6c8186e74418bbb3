//! The density of a report under one standard deviation per attribute, as a finite mixture of Gaussians.
//!
//! Radial noise is a mixture of Gaussians N(0, u·I) with a known distribution p(u) (see `profile`). A record that is
//! spread like N(m, diag(s²)) about the centre m of its cluster therefore makes a report with the density
//!
//!   f(x | m) = ∫ Π_i √(u/(u+s_i²)) · e^(-½ Σ_i (x_i-m_i)²/(u+s_i²)) p(u) du,
//!
//! which no longer depends on a distance alone, so a table by distance does not serve. The integral is replaced by about
//! a dozen nodes. In v = k²u = w² and w = ln(1 + e^t) the integrand is a bump in t of nearly the same width for reports
//! near and far, so equal steps of t are enough: with steps of 0.9 the mixture differs from e^(-k·distance) by less than
//! 1e-4 nats per report (test `nodes_agree_with_the_density`). The nodes are themselves a mixture of Gaussians, so EM on
//! them is exact: the likelihood never falls.
//!
//! Where the mechanism's density ends its decay (radius L), so does this one: max(f, e^(-kL)).

use shoal_device::NoiseLaw;

use crate::server::noise_aware::profile::farthest;

/// Distance between nodes in t.
const STEP: f64 = 0.9;

/// The smallest w of a node: only one report in a hundred is nearer to its record than such a node is wide.
const LEAST: f64 = 0.2;

/// How far nodes go beyond the root of the largest k·distance that is to be expected.
const BEYOND: f64 = 1.2;

/// Standard deviations of records about their centre that can be fitted, in widths of the box.
pub(super) const NARROWEST: f64 = 0.003;
pub(super) const WIDEST: f64 = 0.5;

/// Radial noise as a finite mixture of Gaussians.
#[derive(Clone, Debug)]
pub(super) struct Scales {
    /// The variance u of each node, in squared widths.
    pub variances: Vec<f64>,
    /// Per node: ln p(u)du + (d/2)·ln u.
    pub ln_weights: Vec<f64>,
    /// The logarithm of the density where it has ended its decay.
    pub floor: f64,
}

/// The nodes for given standard deviations of the records.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    /// Per node: logarithm of its density at the centre.
    pub ln_heights: Vec<f64>,
    /// Per node and attribute: 1/(u + s²).
    pub precisions: Vec<f64>,
}

impl Scales {
    /// The nodes for a law; nothing for laws that are not radial, and for one attribute, where a table does the same.
    pub fn new(law: NoiseLaw, dims: usize) -> Option<Self> {
        let NoiseLaw::Radial { rate, radius } = law else { return None };
        if dims < 2 {
            return None;
        }
        let d = dims as f64;
        let farthest_expected = d + 6.0 * d.sqrt() + 10.0 + 0.5 * rate * d.sqrt();
        let high = farthest_expected.sqrt() + BEYOND;
        let low = ((d - 5.0 * d.sqrt()).max(0.0).sqrt() - 2.0).max(LEAST);
        // w = ln(1 + e^t), so t = ln(e^w − 1).
        let low = low + libm::log(-libm::expm1(-low));
        let count = ((high - low) / STEP).ceil() as usize;
        let (mut variances, mut ln_weights) = (Vec::new(), Vec::new());
        for i in 0..=count {
            let t = low + i as f64 * STEP;
            let w = if t > 30.0 { t } else { libm::log1p(libm::exp(t)) };
            let v = w * w;
            // p(u) du = √v/√(2π) · e^(-v/2) d(ln v), and d(ln v) = 2/(w(1 + e^-t)) dt.
            let ln_weight = libm::log(2.0 * STEP / (1.0 + libm::exp(-t)) / std::f64::consts::TAU.sqrt()) - 0.5 * v;
            variances.push(v / (rate * rate));
            ln_weights.push(ln_weight + 0.5 * d * libm::log(v / (rate * rate)));
        }
        // Beyond where noise ever gets the density is flat: a report from there belongs to all clusters alike.
        let floor = -rate * radius.min(farthest(rate, dims));
        Some(Self { variances, ln_weights, floor })
    }

    /// The nodes of records with these variances within a cluster.
    pub fn with_records(&self, records: &[f64]) -> Nodes {
        let mut ln_heights = self.ln_weights.clone();
        let mut precisions = Vec::with_capacity(self.variances.len() * records.len());
        for (u, ln_height) in self.variances.iter().zip(&mut ln_heights) {
            for s in records {
                *ln_height -= 0.5 * libm::log(u + s);
                precisions.push(1.0 / (u + s));
            }
        }
        Nodes { ln_heights, precisions }
    }

    /// The variance of records in one attribute under which the squares `squares[q]` of reports `shares[q]` at each node
    /// are most likely: maximises Σ_q −½·shares·ln(u + s²) − ½·squares/(u + s²) by Fisher scoring from `present`.
    pub fn best_variance(&self, shares: &[f64], squares: &[f64], present: f64) -> f64 {
        let objective = |s: f64| {
            let each = self.variances.iter().zip(shares.iter().zip(squares));
            each.map(|(u, (share, square))| -share * libm::log(u + s) - square / (u + s)).sum::<f64>()
        };
        let clamp = |s: f64| s.clamp(NARROWEST * NARROWEST, WIDEST * WIDEST);
        let (mut at, mut best) = (present, objective(present));
        for _ in 0..4 {
            let (mut slope, mut information) = (0.0, 0.0);
            for (u, (share, square)) in self.variances.iter().zip(shares.iter().zip(squares)) {
                let precision = 1.0 / (u + at);
                slope += precision * (square * precision - share);
                information += share * precision * precision;
            }
            if information <= 0.0 {
                break;
            }
            let mut step = slope / information;
            let before = at;
            for _ in 0..6 {
                let next = clamp(before + step);
                let found = objective(next);
                if found > best {
                    (at, best) = (next, found);
                    break;
                }
                step *= 0.5;
            }
            if (at - before).abs() <= 1e-4 * before {
                break;
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ln_density(scales: &Scales, nodes: &Nodes, report: &[f64]) -> f64 {
        let d = report.len();
        let logs: Vec<f64> = (0..scales.variances.len())
            .map(|q| {
                let squares: f64 = report.iter().zip(&nodes.precisions[q * d..]).map(|(x, p)| x * x * p).sum();
                nodes.ln_heights[q] - 0.5 * squares
            })
            .collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
    }

    /// Without a spread of records the mixture is e^(-k·distance), at all distances where reports are.
    #[test]
    fn nodes_agree_with_the_density() {
        for (dims, rate) in [(2, 2.0), (3, 8.0), (4, 4.0), (8, 16.0), (16, 8.0), (30, 4.0), (64, 8.0)] {
            let law = NoiseLaw::Radial { rate, radius: 1e6 };
            let scales = Scales::new(law, dims).unwrap();
            let nodes = scales.with_records(&vec![0.0; dims]);
            let d = dims as f64;
            let (low, high) = ((d - 2.5 * d.sqrt()).max(0.5), d + 5.0 * d.sqrt());
            for i in 0..=40 {
                let kr = low + (high - low) * f64::from(i) / 40.0;
                let report = vec![kr / rate / d.sqrt(); dims];
                let found = ln_density(&scales, &nodes, &report);
                assert!((found + kr).abs() < 0.03, "{dims} attributes, k·distance {kr}: {found}");
            }
            // Mutant: nodes of a rate a tenth lower are another density.
            let other = Scales::new(NoiseLaw::Radial { rate: 0.9 * rate, radius: 1e6 }, dims).unwrap();
            let report = vec![high / rate / d.sqrt(); dims];
            let found = ln_density(&other, &other.with_records(&vec![0.0; dims]), &report);
            assert!((found + high).abs() > 0.1, "{dims}: {found}");
        }
    }

    /// With one spread for all attributes the nodes are the widened table.
    #[test]
    fn one_spread_agrees_with_the_table() {
        use crate::server::noise_aware::profile::Profiles;
        for (dims, rate, width) in [(2, 8.0, 0.1), (4, 4.0, 0.05), (4, 16.0, 0.2), (10, 8.0, 0.1)] {
            let law = NoiseLaw::Radial { rate, radius: 1e6 };
            let table = Profiles::new(law, dims, 6.0, vec![0.0, width]);
            let scales = Scales::new(law, dims).unwrap();
            let nodes = scales.with_records(&vec![width * width; dims]);
            for knot in [20, 50, 100, 200, 300] {
                let distance = knot as f64 * table.spacing;
                let report = vec![distance / (dims as f64).sqrt(); dims];
                let (found, truth) = (ln_density(&scales, &nodes, &report), table.values[1][knot]);
                assert!((found - truth).abs() < 0.03, "{dims}, {rate}, {width}, {distance}: {found}, not {truth}");
            }
        }
    }

    #[test]
    fn the_best_variance_is_found() {
        let scales = Scales::new(NoiseLaw::Radial { rate: 8.0, radius: 1e6 }, 4).unwrap();
        let shares: Vec<f64> = (0..scales.variances.len()).map(|q| 100.0 + 10.0 * q as f64).collect();
        for truth in [0.01_f64, 0.1, 0.3] {
            let squares: Vec<f64> =
                scales.variances.iter().zip(&shares).map(|(u, n)| n * (u + truth * truth)).collect();
            for present in [0.005_f64, 0.05, 0.4] {
                let found = scales.best_variance(&shares, &squares, present * present).sqrt();
                assert!((found / truth - 1.0).abs() < 0.2, "{found}, not {truth}, from {present}");
            }
        }
        let none: Vec<f64> = scales.variances.iter().zip(&shares).map(|(u, n)| 0.9 * n * u).collect();
        assert!(scales.best_variance(&shares, &none, 0.01) < 1e-4, "less than the noise: no spread");
    }
}
