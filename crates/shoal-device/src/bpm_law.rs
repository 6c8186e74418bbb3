//! The distribution of BPM for real numbers: what a server and a planner need to know of a report.
//!
//! *Distribution*: a report on a record v of [0, 1]^d has the density λ·e^(−k·min(‖x − v‖, L)) on the box [−L, 1 + L]^d (YTL22,
//! eq. (2)). The ball of radius L around v lies inside the box wherever v is, so λ does not depend on v (Lemma 4). As
//! e^(−k·min(r, L)) = e^(−kL) + ∫ k·e^(−kρ) dρ over ρ from min(r, L) to L, the distribution is a mixture: with probability β
//! uniform on the box, otherwise uniform on a ball around v whose radius ρ is a Gamma(d + 1, rate k) cut at L.
//! All moments below follow from that mixture, and none of them is a difference of large numbers.
//!
//! *Utility*: E X = v + β(h − v) with h the middle of the box (Lemma 10). The information of a report about each
//! coordinate of v is k²·p_L/d.
//!
//! *Runtime*: about a thousand terms of a series at d = 1000.
//!
//! *Assumes*: 1 ≤ d ≤ 1024, rate 1e-3 to 100, radius 1e-5 to 1e9. Everything is kept as a logarithm, because at d =
//! 1000 the volume of the ball is e^-2039 and λ may be e^-13000. Nothing here is used for drawing noise.
//!
//! *Paper*: YTL22, Lemmas 3, 4, 10, 12, 13 and Remark 2.
//!
//! *Deviations*: the gamma function for all d instead of Lemma 3's two forms, of which the odd one has slips and is
//! undefined at d = 1; the mixture instead of Lemma 12's sums, which cancel.

use std::f64::consts::{LN_2, PI};

/// BPM at one number of attributes, rate and radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BpmLaw {
    /// Number of attributes d.
    pub dims: usize,
    /// Decay k per width of an attribute.
    pub rate: f64,
    /// Where the decay ends, L, in widths.
    pub radius: f64,
}

impl BpmLaw {
    fn d(&self) -> f64 {
        self.dims as f64
    }

    /// ln of the lower incomplete gamma function of shape d + `more` at kL.
    fn ln_gamma_of_ball(&self, more: f64) -> f64 {
        ln_lower_gamma(self.d() + more, self.rate * self.radius)
    }

    /// ln of the weight of the balls, V_d·γ(d + 1, kL)/k^d: Lemma 4's e^(−kL)·μ⁽¹⁾.
    fn ln_balls(&self) -> f64 {
        ln_ball_volume(self.dims) + self.ln_gamma_of_ball(1.0) - self.d() * self.rate.ln()
    }

    /// ln of the weight of the box, e^(−kL)·(1 + 2L)^d: Lemma 4's e^(−kL)·μ⁽²⁾.
    fn ln_box(&self) -> f64 {
        -self.rate * self.radius + self.d() * (2.0 * self.radius).ln_1p()
    }

    /// ln μ, where μ = 1/λ (Lemma 4).
    pub fn ln_mu(&self) -> f64 {
        ln_sum(self.ln_balls(), self.ln_box())
    }

    /// ln λ, the density at the record itself.
    pub fn ln_lambda(&self) -> f64 {
        -self.ln_mu()
    }

    /// ln of the density of a report at this Euclidean distance, in widths, from the record; for points of the box.
    pub fn ln_density(&self, distance: f64) -> f64 {
        self.ln_lambda() - self.rate * distance.min(self.radius)
    }

    /// ln p_L: the probability that a report lies within L of the record.
    pub fn ln_p_inside(&self) -> f64 {
        let ln_b = ln_sphere_area(self.dims) + self.ln_gamma_of_ball(0.0) - self.d() * self.rate.ln();
        // Rounding may carry it above one.
        (ln_b - self.ln_mu()).min(0.0)
    }

    /// p_L (before Algorithm 2).
    pub fn p_inside(&self) -> f64 {
        self.ln_p_inside().exp()
    }

    /// ln(1 − p_L), good to the last digits however close p_L is to one.
    pub fn ln_p_outside(&self) -> f64 {
        // (1 + 2L)^d − V_d·L^d; at d = 1 that is 1, where the difference would cancel.
        let ln_share = if self.dims == 1 {
            -(2.0 * self.radius).ln_1p()
        } else {
            let ln_ball = ln_ball_volume(self.dims) + self.d() * (self.radius.ln() - (2.0 * self.radius).ln_1p());
            (-ln_ball.exp()).ln_1p()
        };
        self.ln_box() + ln_share - self.ln_mu()
    }

    /// ln β: the probability that a report is uniform on the box, whatever the record.
    pub fn ln_beta(&self) -> f64 {
        self.ln_box() - self.ln_mu()
    }

    /// β: how far the mean of a report is drawn from the record to the middle of the box (Lemma 10).
    pub fn beta(&self) -> f64 {
        self.ln_beta().exp()
    }

    /// ln(1 − β), good to the last digits however close β is to one.
    pub fn ln_not_beta(&self) -> f64 {
        self.ln_balls() - self.ln_mu()
    }

    /// The mean of ‖X − v‖², in widths², where a report came from a ball: d/(d + 2)·E ρ².
    fn ln_squared_error_of_balls(&self) -> f64 {
        (self.d() / (self.d() + 2.0)).ln() + self.ln_gamma_of_ball(3.0)
            - self.ln_gamma_of_ball(1.0)
            - 2.0 * self.rate.ln()
    }

    /// E ‖X − v‖² in widths² for one record (Lemma 13, exact instead of its bound).
    ///
    /// # Panics
    /// When the record has another number of attributes.
    pub fn squared_error(&self, record: &[f64]) -> f64 {
        assert_eq!(record.len(), self.dims, "one coordinate per attribute");
        let (d, l) = (self.d(), self.radius);
        let from_box = d * (1.0 + l + l * l) / 3.0 + record.iter().map(|v| v * v - v).sum::<f64>();
        (self.ln_not_beta() + self.ln_squared_error_of_balls()).exp() + self.beta() * from_box
    }

    /// The covariance of two coordinates of a report on one record, in widths² (Lemma 12, the value instead of its bound): the
    /// variance of a coordinate where they are the same. Within a ball and within the box coordinates are uncorrelated, so two
    /// of them are related only by which of the two a report came from: β(1 − β)(½ − v_i)(½ − v_j).
    ///
    /// # Panics
    /// When the record has another number of attributes, or has no such coordinate.
    pub fn covariance(&self, record: &[f64], i: usize, j: usize) -> f64 {
        assert_eq!(record.len(), self.dims, "one coordinate per attribute");
        let between = (self.ln_beta() + self.ln_not_beta()).exp() * ((0.5 - record[i]) * (0.5 - record[j]));
        if i != j {
            return between;
        }
        let of_ball = (self.ln_not_beta() + self.ln_squared_error_of_balls()).exp() / self.d();
        let of_box = self.beta() * (1.0 + 2.0 * self.radius).powi(2) / 12.0;
        of_ball + of_box + between
    }

    /// ln ζ: of the mean of E ‖X − v‖² over all records of the box (Remark 2), where Σ(v² − v) has the mean −d/6.
    pub fn ln_zeta(&self) -> f64 {
        let (d, l) = (self.d(), self.radius);
        let from_box = (d * (1.0 + 2.0 * l * (1.0 + l)) / 6.0).ln();
        ln_sum(self.ln_not_beta() + self.ln_squared_error_of_balls(), self.ln_beta() + from_box)
    }

    /// ζ in widths².
    pub fn zeta(&self) -> f64 {
        self.ln_zeta().exp()
    }

    /// ln J(L): of how much worse the unbiased mean (x̄ − βh)/(1 − β) of reports is than that of reports under
    /// nD-Laplace noise of the same rate, whose squared error is d(d + 1)/k². One would be no worse.
    pub fn ln_cost_of_bound(&self) -> f64 {
        let d = self.d();
        // ζ − β²d/12: the spread of a report about its own mean, over all records. β²d/12 is at most half of ζ.
        let ln_spread = self.ln_zeta() + (-(2.0 * self.ln_beta() + (d / 12.0).ln() - self.ln_zeta()).exp()).ln_1p();
        ln_spread - 2.0 * self.ln_not_beta() - (d * (d + 1.0)).ln() + 2.0 * self.rate.ln()
    }

    /// Fisher information about each coordinate in one report, in 1/widths²: k²·p_L/d. The slope of ln f is k along the
    /// radius inside the ball and nothing outside, and every direction is as likely as any other.
    pub fn information(&self) -> f64 {
        self.rate * self.rate * self.p_inside() / self.d()
    }
}

/// ln S_d: of the area of the unit sphere in d dimensions.
pub fn ln_sphere_area(dims: usize) -> f64 {
    let half = dims as f64 / 2.0;
    LN_2 + half * PI.ln() - libm::lgamma(half)
}

/// ln V_d: of the volume of the unit ball in d dimensions.
pub fn ln_ball_volume(dims: usize) -> f64 {
    ln_sphere_area(dims) - (dims as f64).ln()
}

/// ln γ(a, x): of the lower incomplete gamma function, for a ≥ 1 and x > 0.
pub fn ln_lower_gamma(shape: f64, x: f64) -> f64 {
    let ln_power = shape * x.ln() - x;
    if x < shape + 1.0 {
        // γ(a, x) = x^a·e^−x·Σ x^n/(a(a + 1)…(a + n)), all terms positive.
        let (mut term, mut sum, mut n) = (1.0 / shape, 1.0 / shape, shape);
        while term > sum * f64::EPSILON / 8.0 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        ln_power + sum.ln()
    } else {
        // Γ(a) less the upper part, which is the smaller one here.
        let ln_all = libm::lgamma(shape);
        let ln_upper = ln_power + upper_fraction(shape, x).ln() - ln_all;
        ln_all + (-ln_upper.exp()).ln_1p()
    }
}

/// Γ(a, x)/(x^a·e^−x) for x ≥ a + 1, by Legendre's continued fraction in Lentz's form.
fn upper_fraction(shape: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - shape;
    let mut c = f64::INFINITY;
    let mut d = 1.0 / b;
    let mut value = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let a = -i * (i - shape);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

/// ln(e^a + e^b).
fn ln_sum(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    high + (low - high).exp().ln_1p()
}
