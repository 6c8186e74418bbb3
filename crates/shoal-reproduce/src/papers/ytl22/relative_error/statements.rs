//! What the paper says of RE against ε, and whether it holds.

use super::super::setting::{DEFAULT, EPSILONS, LAPLACE, LAPLACE_METRIC, Place, RADII, aware, dkdp};
use super::Seen;
use crate::Failure;
use crate::figure::{Places, Statement, Verdict};
use crate::papers::words::{percent, short, with_error};
use crate::statistics::{apart, fall};

impl Seen<'_> {
    pub(super) fn falls(&self) -> Result<Statement, Failure> {
        let (mut all, mut ends) = (Places::default(), Vec::new());
        for radius in RADII {
            let curve = EPSILONS.map(|epsilon| self.of(dkdp(radius), epsilon, "re"));
            let curve = curve.into_iter().collect::<Result<Vec<_>, _>>()?;
            all += fall(&curve);
            ends.push(format!("L = {radius}: {} to {}", short(curve[0].mean), with_error(&curve[curve.len() - 1])));
        }
        let found = format!("DKdP from ε = 0.1 to 8: {}", ends.join("; "));
        Ok(Statement::over("The relative error of DKdP falls as ε grows, for every L", all, found))
    }

    pub(super) fn below_baseline(&self) -> Result<Statement, Failure> {
        let (mut all, mut not) = (Places::default(), Vec::new());
        for radius in RADII {
            for epsilon in EPSILONS {
                let (ours, base) = (self.of(dkdp(radius), epsilon, "re")?, self.of(LAPLACE, epsilon, "re")?);
                let places = ours.below(&base);
                all += places;
                if places.held == 0 {
                    not.push(format!("L = {radius}, ε = {epsilon}: {} against {}", short(ours.mean), short(base.mean)));
                }
            }
        }
        let mut found = all.to_string();
        if !not.is_empty() {
            found += &format!("; not at {}", not.join(", "));
        }
        let says = "DKdP has a smaller relative error than the Laplace baseline at the same ε";
        Ok(Statement::over(says, all, found).headline())
    }

    /// Against Laplace noise with the same guarantee, which is the fair comparison.
    pub(super) fn below_metric(&self) -> Result<Statement, Failure> {
        let mut all = Places::default();
        for radius in RADII {
            for epsilon in EPSILONS {
                all += self.of(dkdp(radius), epsilon, "re")?.below(&self.of(LAPLACE_METRIC, epsilon, "re")?);
            }
        }
        let says = "So it has than Laplace noise that keeps the same ε per width";
        Ok(Statement::over(says, all, all.to_string()).ours())
    }

    pub(super) fn fig_1b(&self) -> Result<Statement, Failure> {
        let high = ["0.1", "0.5", "1"].map(|epsilon| self.of(dkdp(6.0), epsilon, "re"));
        let high = high.into_iter().collect::<Result<Vec<_>, _>>()?;
        let last = self.of(dkdp(6.0), "8", "re")?;
        let over_four = high.iter().all(|s| s.mean > 4.0 || s.is_printed(4.0, 0.0));
        // "Approximately": a quarter of it, and half of the last digit.
        let quarter = last.is_printed(0.25, 0.25 * 0.25 + 0.005);
        let verdict = match (over_four, quarter) {
            (true, true) => Verdict::Holds,
            (false, false) => Verdict::Fails,
            _ => Verdict::Partly,
        };
        let high: Vec<String> = high.iter().map(with_error).collect();
        let found = format!("L = 6: {} at ε = 0.1, 0.5, 1, and {} at 8", high.join(", "), with_error(&last));
        let says = "In panel b the relative error is over 4 up to ε = 1 and about 0.25 at ε = 8";
        Ok(Statement::judged(says, verdict, found))
    }

    pub(super) fn up_to_250(&self) -> Result<Statement, Failure> {
        let base = self.of(LAPLACE, "0.1", "re")?;
        let verdict = match base.max {
            max if (200.0..=300.0).contains(&max) => Verdict::Holds,
            max if (125.0..=500.0).contains(&max) => Verdict::Partly,
            _ => Verdict::Fails,
        };
        let found = format!("{} on average and {} at most", with_error(&base), short(base.max));
        Ok(Statement::judged("The baseline's relative error is up to 250 at ε = 0.1", verdict, found))
    }

    /// The gap is the ratio of the two means; it counts as larger when the bands of the means leave no doubt.
    pub(super) fn largest_gap(&self, others: &[Place]) -> Result<Statement, Failure> {
        let gap = |place: &Place, radius: f64| -> Result<(f64, f64), Failure> {
            let ours = self.results.summary(&place.key(&dkdp(radius), EPSILONS[0]), "re")?;
            let base = self.results.summary(&place.key(&LAPLACE, EPSILONS[0]), "re")?;
            let ratio = base.mean / ours.mean;
            Ok((ratio, ratio * (base.error() / base.mean).hypot(ours.error() / ours.mean)))
        };
        let (mut all, mut told) = (Places::default(), Vec::new());
        for radius in RADII {
            let (here, error) = gap(self.place, radius)?;
            let mut line = format!("L = {radius}: {} here", short(here));
            for other in others {
                let (there, other_error) = gap(other, radius)?;
                all += apart(here - there, error.hypot(other_error));
                line += &format!(", {} on {}", short(there), other.title());
            }
            told.push(line);
        }
        let found = format!("baseline over DKdP at ε = 0.1: {}", told.join("; "));
        Ok(Statement::over(
            "The gap to the baseline is much larger than on data sets with fewer attributes",
            all,
            found,
        ))
    }

    pub(super) fn paragraph(&self) -> Result<String, Failure> {
        let blind = self.place.crowd.blind_re()?;
        let (mut idle, mut settings) = (0, 0);
        for radius in RADII {
            for epsilon in EPSILONS {
                let ours = self.of(dkdp(radius), epsilon, "re")?;
                settings += 1;
                idle += usize::from(ours.mean + 2.0 * ours.error() >= blind);
            }
        }
        let telling = |radius, epsilon| Ok::<_, Failure>(percent(self.place.telling(radius, epsilon)?));
        let centres = |way| Ok::<_, Failure>(short(self.of(way, "8", "centres")?.mean));
        let (first, last) = (self.of(dkdp(6.0), "0.1", "re")?, self.of(dkdp(6.0), "8", "re")?);
        let base = self.of(LAPLACE, "0.1", "re")?;
        let widest = (self.place.crowd.dims as f64).sqrt();
        Ok(format!(
            "At L = 6 the relative error of DKdP goes from {} at ε = 0.1 to {} at ε = 8, and the baseline begins at {}. \
             DKdP's reports lie in a bounded box, so that its error is bounded even where they say nothing: the share \
             that depends on the record at all is {} at L = 2 and {} at L = 6 with ε = 1, and {} and {} with \
             ε = 8. A server that takes the middle of the box for every report has a relative error of {}, and DKdP is \
             no better than that in {idle} of {settings} settings. Nor do both promise the same: the baseline's ε holds \
             for any two records, BPM's for records one width apart, and two opposite corners are {} widths apart. With \
             the true noise in the likelihood the server's centres are {} widths from the true ones in sum at L = 6 and \
             ε = 8, and {} with L chosen by information, against {} for k-means.",
            short(first.mean),
            short(last.mean),
            short(base.mean),
            telling(2.0, "1")?,
            telling(6.0, "1")?,
            telling(2.0, "8")?,
            telling(6.0, "8")?,
            short(blind),
            short(widest),
            centres(aware(6.0))?,
            centres(DEFAULT)?,
            centres(dkdp(6.0))?,
        ))
    }
}
