//! Probabilities of a binomial distribution, enclosed.
//!
//! By Stirling's series in the form that does not cancel (Loader 2000): with s(n) = ln n! − ln(√(2πn)·(n/e)^n), which lies
//! between 1/12n − 1/360n³ and that plus 1/1260n⁵ (Robbins 1955),
//! ln P(k) = s(n) − s(k) − s(n − k) − ½·ln(2πk(n − k)/n) − D, where D is n times the Kullback–Leibler divergence.

use std::f64::consts::PI;

use super::enclosure::Enclosure;

/// Up to here factorials are multiplied out.
const FACTORIALS: u64 = 64;

/// P(k) of Bin(n, ½).
pub(super) fn fair(n: u64, k: u64) -> Enclosure {
    if k == 0 || k == n {
        return Enclosure::exactly(-(n as f64)).times(Enclosure::whole(2).ln()).exp();
    }
    // With x = (2k − n)/n the divergence is x·atanh(x) + ½·ln(1 − x²), where 1 − x² = 4k(n − k)/n².
    let (whole_k, whole_n, rest) = (Enclosure::whole(k), Enclosure::whole(n), Enclosure::whole(n - k));
    let x = Enclosure::exactly(k as f64 - (n - k) as f64).over(whole_n);
    let half = Enclosure::exactly(0.5);
    // ln((1 + x)/(1 − x)) = ln(1 + (2k − n)/(n − k)).
    let twice_atanh = Enclosure::exactly(k as f64 - (n - k) as f64).over(rest).ln_1p();
    let square = x.times(x);
    let below = Enclosure { low: -square.high.min(1.0), high: -square.low.max(0.0) };
    // Where x is near one, 1 − x² comes from the counts, without cancelling.
    let ln_rest = if square.high < 0.5 {
        below.ln_1p()
    } else {
        Enclosure::whole(4).times(whole_k).over(whole_n).times(rest).over(whole_n).ln()
    };
    let divergence = half.times(x.times(twice_atanh).plus(ln_rest));
    around(n, k, whole_n.times(divergence))
}

/// P(k) of Bin(n, `share`) for this very double between zero and one.
pub(super) fn biased(n: u64, share: f64, k: u64) -> Enclosure {
    let (s, n_whole) = (Enclosure::exactly(share), Enclosure::whole(n));
    let not_s = Enclosure::exactly(1.0).minus(s);
    if k == 0 {
        return n_whole.times(Enclosure::exactly(-share).ln_1p()).exp();
    }
    if k == n {
        return n_whole.times(s.ln()).exp();
    }
    // x·ln(x/m) + m − x = x·(t − ln(1 + t)) with t = (m − x)/x, for each of the two outcomes.
    let part = |x: u64, share: Enclosure| {
        let x = Enclosure::whole(x);
        let t = n_whole.times(share).minus(x).over(x);
        x.times(t.minus(t.ln_1p()))
    };
    around(n, k, part(k, s).plus(part(n - k, not_s)))
}

fn around(n: u64, k: u64, divergence: Enclosure) -> Enclosure {
    let area = Enclosure::exactly(2.0 * PI)
        .times(Enclosure { low: 1.0_f64.next_down(), high: 1.0_f64.next_up() })
        .times(Enclosure::whole(k))
        .over(Enclosure::whole(n))
        .times(Enclosure::whole(n - k));
    let stirling = remainder(n).minus(remainder(k)).minus(remainder(n - k));
    stirling.minus(Enclosure::exactly(0.5).times(area.ln())).minus(divergence).exp()
}

/// s(n) for n ≥ 1.
fn remainder(n: u64) -> Enclosure {
    let whole = Enclosure::whole(n);
    if n <= FACTORIALS {
        let factorial = (2..=n).fold(Enclosure::exactly(1.0), |product, i| product.times(Enclosure::whole(i)));
        let two_pi =
            Enclosure::exactly(2.0 * PI).times(Enclosure { low: 1.0_f64.next_down(), high: 1.0_f64.next_up() });
        let main = whole.times(whole.ln()).minus(whole).plus(Enclosure::exactly(0.5).times(two_pi.times(whole).ln()));
        return factorial.ln().minus(main);
    }
    let inverse = Enclosure::exactly(1.0).over(whole);
    let cube = inverse.times(inverse).times(inverse);
    let low = inverse.over(Enclosure::whole(12)).minus(cube.over(Enclosure::whole(360)));
    let fifth = cube.times(inverse).times(inverse).over(Enclosure::whole(1260));
    Enclosure { low: low.low, high: low.plus(fifth).high }
}

#[cfg(test)]
mod tests {
    use dashu_int::UBig;
    use dashu_ratio::RBig;

    use super::*;

    fn choose(n: u64, k: u64) -> UBig {
        (0..k).fold(UBig::ONE, |product, i| product * UBig::from(n - i) / UBig::from(i + 1))
    }

    /// Exact probabilities for shares that are doubles, from whole numbers.
    #[test]
    fn exact_probabilities_are_enclosed_tightly() {
        for n in [1, 2, 3, 7, 40, 65, 66, 130, 400] {
            for share in [0.5, 0.25, 0.0625, 0.875] {
                let (of, all) = ((share * 16.0) as u64, 16_u64);
                for k in 0..=n {
                    let numerator =
                        choose(n, k) * UBig::from(of).pow(k as usize) * UBig::from(all - of).pow((n - k) as usize);
                    let exact = RBig::from_parts(numerator.into(), UBig::from(all).pow(n as usize));
                    let mut found = vec![biased(n, share, k)];
                    if share == 0.5 {
                        found.push(fair(n, k));
                    }
                    for Enclosure { low, high } in found {
                        let (low_exact, high_exact) = (RBig::try_from(low).unwrap(), RBig::try_from(high).unwrap());
                        assert!(low_exact <= exact && exact <= high_exact, "n = {n}, k = {k}, {share}: {low}, {high}");
                        assert!(high < 1e-290 || high / low < 1.0 + 1e-9, "n = {n}, k = {k}, {share}: {low}, {high}");
                    }
                }
            }
        }
    }

    #[test]
    fn probabilities_of_large_numbers_add_up_to_one() {
        for (n, share) in [(100_000_000, 0.003), (1_000_000, 0.5), (5_000_000, 0.9)] {
            let (mean, deviation) = (n as f64 * share, (n as f64 * share * (1.0 - share)).sqrt());
            let (from, to) = ((mean - 9.0 * deviation) as u64, (mean + 9.0 * deviation) as u64);
            let (mut low, mut high) = (0.0, 0.0);
            for k in from..=to {
                let found = if share == 0.5 { fair(n, k) } else { biased(n, share, k) };
                low += found.low;
                high += found.high;
            }
            assert!(low <= 1.0 + 1e-12 && high >= 1.0 - 1e-12 && high - low < 1e-6, "{low} to {high}");
        }
    }
}
