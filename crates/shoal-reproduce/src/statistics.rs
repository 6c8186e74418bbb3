//! What many runs come to.

/// Mean, standard error and quartiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many runs.
    pub runs: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation over the runs, 0 for one run.
    pub deviation: f64,
    /// Smallest.
    pub min: f64,
    /// A quarter is below.
    pub q1: f64,
    /// Half are below.
    pub median: f64,
    /// Three quarters are below.
    pub q3: f64,
    /// Largest.
    pub max: f64,
}

impl Summary {
    /// Of these runs; all NaN of none.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| quantile(&sorted, share);
        Self {
            runs: values.len(),
            mean,
            deviation: if values.len() < 2 { 0.0 } else { (squares / (n - 1.0)).sqrt() },
            min: at(0.0),
            q1: at(0.25),
            median: at(0.5),
            q3: at(0.75),
            max: at(1.0),
        }
    }

    /// Standard error of the mean.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.deviation / (self.runs as f64).sqrt()
    }

    /// The mean and twice its standard error to both sides: what the bands of the plots show.
    #[must_use]
    pub fn band(&self) -> (f64, f64) {
        (self.mean - 2.0 * self.error(), self.mean + 2.0 * self.error())
    }

    /// Whether it is below another for sure: by more than two standard errors of the difference.
    #[must_use]
    pub fn is_clearly_below(&self, other: &Self) -> bool {
        other.mean - self.mean > 2.0 * self.error().hypot(other.error())
    }

    /// As columns of a table.
    #[must_use]
    pub fn csv(&self) -> String {
        let Self { runs, mean, min, q1, median, q3, max, .. } = self;
        format!("{runs},{mean},{},{min},{q1},{median},{q3},{max}", self.error())
    }
}

/// A quantile by linear interpolation between neighbours; NaN of nothing.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - place.floor())
}
