//! CLZ25's mixture of Student t laws, as its equations are printed, in plain loops.

use shoal_crowd::server::ReportPoints;
use shoal_crowd::server::tk_means::Kappa;
use shoal_noise::SeededNoise;

use super::server::{normal, squared};

/// Centres, β and δ.
#[derive(Clone, Debug)]
pub struct Student {
    pub centres: Vec<Vec<f64>>,
    pub scale: f64,
    pub freedom: f64,
}

impl Student {
    /// γ and w of every report and cluster (eqs 15 and 16), and the logarithm of the likelihood.
    fn expectations(&self, points: &ReportPoints) -> (Vec<Vec<[f64; 2]>>, f64) {
        let (p, delta, beta) = (points.dims() as f64, self.freedom, self.scale);
        let constant = libm::lgamma(0.5 * (delta + p))
            - libm::lgamma(0.5 * delta)
            - 0.5 * p * (delta * std::f64::consts::PI * beta).ln();
        let mut height = 0.0;
        let all = (0..points.rows()).map(|row| {
            let x = points.row(row);
            let apart: Vec<f64> = self.centres.iter().map(|m| squared(&x, m) / beta).collect();
            let density = |s: &f64| (constant - 0.5 * (delta + p) * (1.0 + s / delta).ln()).exp();
            let sum: f64 = apart.iter().map(density).sum();
            height += (sum / self.centres.len() as f64).ln();
            apart.iter().map(|s| [density(s) / sum, (delta + p) / (delta + s)]).collect()
        });
        let all = all.collect();
        (all, height)
    }

    pub fn ln_likelihood(&self, points: &ReportPoints) -> f64 {
        self.expectations(points).1
    }

    /// One round: eqs 18 to 21.
    pub fn round(&self, points: &ReportPoints, kappa: Kappa) -> Self {
        let (k, n, p) = (self.centres.len(), points.rows(), points.dims());
        let (all, _) = self.expectations(points);
        let centres: Vec<Vec<f64>> = (0..k)
            .map(|j| {
                let below: f64 = all.iter().map(|row| row[j][0] * row[j][1]).sum();
                let above = |i| (0..n).map(|row| all[row][j][0] * all[row][j][1] * points.row(row)[i]).sum::<f64>();
                (0..p).map(|i| above(i) / below).collect()
            })
            .collect();
        let squares = (0..n).map(|row| {
            let x = points.row(row);
            (0..k).map(|j| all[row][j][0] * all[row][j][1] * squared(&x, &centres[j])).sum::<f64>()
        });
        let scale = squares.sum::<f64>() / (p * n) as f64;
        let surprise = |j: usize| all.iter().map(|row| row[j][0] * (row[j][1].ln() - row[j][1])).sum::<f64>();
        let mean = match kappa {
            Kappa::AsPublished => {
                let each = |j: usize| surprise(j) / all.iter().map(|row| row[j][0]).sum::<f64>();
                (0..k).map(each).sum::<f64>() / k as f64
            }
            Kappa::Corrected => (0..k).map(surprise).sum::<f64>() / n as f64,
        };
        let half = 0.5 * (self.freedom + p as f64);
        let kappa = 1.0 + mean + digamma(half) - half.ln();
        // Eq. 20 falls as δ rises: halve the interval.
        let (mut low, mut high) = (0.1_f64, 1000.0_f64);
        for _ in 0..200 {
            let middle = (low * high).sqrt();
            let above = -digamma(0.5 * middle) + (0.5 * middle).ln() + kappa > 0.0;
            *(if above { &mut low } else { &mut high }) = middle;
        }
        Self { centres, scale, freedom: low }
    }

    /// β and δ that are best for these centres: a search over ln δ, in which the interval shrinks by a third.
    pub fn best_shape(points: &ReportPoints, centres: &[Vec<f64>]) -> Self {
        let (mut low, mut high) = (0.2_f64.ln(), 2000.0_f64.ln());
        let mut best = Self { centres: centres.to_vec(), scale: 0.01, freedom: 10.0 };
        for _ in 0..22 {
            let third = (high - low) / 3.0;
            let [left, right] = [low + third, high - third].map(|at| Self::best_scale(points, &best, at.exp()));
            if left.ln_likelihood(points) > right.ln_likelihood(points) {
                (high, best) = (high - third, left);
            } else {
                (low, best) = (low + third, right);
            }
        }
        best
    }

    /// The best β for this δ: a mean of squared distances with weights γw, which is eq. 19 where it no longer moves.
    pub fn best_scale(points: &ReportPoints, from: &Self, freedom: f64) -> Self {
        let mut at = Self { freedom, ..from.clone() };
        for _ in 0..200 {
            let (all, _) = at.expectations(points);
            let (mut squares, mut weights) = (0.0, 0.0);
            for (row, each) in all.iter().enumerate() {
                let x = points.row(row);
                for (m, [share, weight]) in at.centres.iter().zip(each) {
                    squares += share * weight * squared(&x, m);
                    weights += share * weight;
                }
            }
            let before = std::mem::replace(&mut at.scale, squares / (weights * points.dims() as f64));
            if (before / at.scale - 1.0).abs() < 1e-9 {
                break;
            }
        }
        at
    }
}

/// The derivative of ln Γ: up by its recurrence to where its series is good to 1e-12.
pub fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 12.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + x.ln() - 0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))))
}

/// Rows about each place in turn as often as `counts` says, Student t with `freedom` degrees (a whole number; 0 for a
/// Gaussian).
pub fn t_rows(places: &[(&[f64], usize, u32)], sd: f64, noise: &mut SeededNoise) -> Vec<f64> {
    let mut rows = Vec::new();
    for &(place, count, freedom) in places {
        for _ in 0..count {
            let squares: f64 = (0..freedom).map(|_| normal(noise).powi(2)).sum();
            let stretch = if freedom == 0 { 1.0 } else { (f64::from(freedom) / squares).sqrt() };
            rows.extend(place.iter().map(|x| x + sd * stretch * normal(noise)));
        }
    }
    rows
}
