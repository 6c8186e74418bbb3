//! The agreement that all custodians encode by.

use shoal_consortium::{Agreement, AgreementFile, AnchorSecret, Flips, Partition, Promise, Scale, Terms};
use shoal_files::BoundsSpec;
use shoal_lattice::Bounds;
use shoal_privacy::Epsilon;

use super::columns::{attributes, check_window, usual_scale};
use super::{ConsortiumError, DEFAULT_BITS, DEFAULT_WINDOW, Worth};
use crate::Error;
use crate::epsilon::IntoEpsilon;

/// An agreement that is set up. Reads no data.
///
/// ```
/// use shoal::consortium::Agree;
///
/// let agreed = Agree::new("age=17:90,hours=1:99")?.bits(20).epsilon("0.1")?.run()?;
/// assert!(agreed.promise.guarantee.claim().is_some());
/// std::fs::write("agreement.json", agreed.to_json())?; // a secret of the custodians
/// # std::fs::remove_file("agreement.json")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Agree {
    spec: BoundsSpec,
    columns: Option<Vec<String>>,
    bits: u32,
    epsilon: Option<Epsilon>,
    no_flips: bool,
    unsound: bool,
    window: f64,
    windows: Vec<(String, f64)>,
    scale: Option<Scale>,
    seed: Option<u64>,
}

/// An agreement, and what its codes guarantee.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Agreed {
    /// What codes of single records guarantee, for the very anchors of the agreement.
    pub promise: Promise,
    /// How accurate their distances are.
    pub worth: Option<Worth>,
    file: AgreementFile,
    text: String,
}

impl Agree {
    /// An agreement on columns with public bounds: `NAME=LO:HI,…`, or `LO,HI` together with [`columns`](Self::columns), or
    /// a file.
    pub fn new(bounds: &str) -> Result<Self, Error> {
        Ok(Self::within(BoundsSpec::parse(bounds).map_err(Error::BoundsText)?))
    }

    /// The same for bounds that are parsed already, or were never text.
    pub fn within(bounds: BoundsSpec) -> Self {
        Self {
            spec: bounds,
            columns: None,
            bits: DEFAULT_BITS,
            epsilon: None,
            no_flips: false,
            unsound: false,
            window: DEFAULT_WINDOW,
            windows: Vec::new(),
            scale: None,
            seed: None,
        }
    }

    /// Which columns to use, in this order. The default are those that the bounds name.
    #[must_use]
    pub fn columns<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Bits of each column's code: more make distances more accurate and guarantee less.
    #[must_use]
    pub fn bits(mut self, bits: u32) -> Self {
        self.bits = bits;
        self
    }

    /// ε of each bit, which is flipped with probability 1/(1+e^ε).
    pub fn epsilon(mut self, epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        self.epsilon = Some(epsilon.into_epsilon()?);
        Ok(self)
    }

    /// Flips no bits (BV), which guarantees nothing and has to be [accepted](Self::accept_unsound).
    #[must_use]
    pub fn no_flips(mut self) -> Self {
        self.no_flips = true;
        self
    }

    /// Makes an agreement that guarantees nothing, for research.
    #[must_use]
    pub fn accept_unsound(mut self) -> Self {
        self.unsound = true;
        self
    }

    /// The window t as a share of each column's range; distances are kept up to 2t.
    pub fn window(mut self, share: f64) -> Result<Self, Error> {
        self.window = check_window(share)?;
        Ok(self)
    }

    /// The window t of one column, in the column's unit.
    #[must_use]
    pub fn window_of(mut self, column: &str, t: f64) -> Self {
        self.windows.push((column.into(), t));
        self
    }

    /// The unit in which columns count when their distances are combined. The default is the column's own for one column,
    /// and its range for several.
    #[must_use]
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = Some(scale);
        self
    }

    /// Draws the anchors from a seed, for tests: anyone can guess them then. What flipped bits guarantee does not rest on
    /// the anchors.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Makes the agreement.
    pub fn run(&self) -> Result<Agreed, Error> {
        let flips = self.flips()?;
        let bounds = self.bounds()?;
        let attributes = attributes(&bounds, self.window, &self.windows)?;
        let scale = self.scale.unwrap_or(usual_scale(bounds.dims()));
        let terms = Terms::new(attributes, self.bits, flips, scale).map_err(ConsortiumError::Terms)?;
        let secret = match self.seed {
            Some(seed) => AnchorSecret::from_seed(seed),
            None => AnchorSecret::new()?,
        };
        let text = AgreementFile { agreement: Agreement::new(terms, secret), seeded: self.seed.is_some() }.to_json();
        // What counts is what custodians will read: an ε without a decimal form is rounded up in the file.
        let file =
            AgreementFile::from_json(text.as_bytes(), "the new agreement").map_err(ConsortiumError::Agreement)?;
        let promise = Promise::of_agreement(&file.agreement, Partition::Records, None)?;
        let worth = Worth::of(file.agreement.terms(), Partition::Records);
        Ok(Agreed { promise, worth, file, text })
    }

    fn flips(&self) -> Result<Flips, Error> {
        match (&self.epsilon, self.no_flips) {
            (Some(_), true) => Err(ConsortiumError::FlipsOrNone.into()),
            (Some(epsilon), false) => Ok(Flips::PerBit(epsilon.clone())),
            (None, true) if self.unsound => Ok(Flips::None),
            (None, true) => Err(ConsortiumError::UnsoundAgreement.into()),
            (None, false) => Err(ConsortiumError::EpsilonNeeded.into()),
        }
    }

    fn bounds(&self) -> Result<Bounds, Error> {
        let named: Option<Vec<String>> = match &self.spec {
            BoundsSpec::Named(pairs) => Some(pairs.iter().map(|(name, _)| name.clone()).collect()),
            BoundsSpec::All(_) => None,
        };
        let columns = self.columns.as_ref().or(named.as_ref()).ok_or(ConsortiumError::ColumnsNeeded)?;
        let unfit = |name: &&String| name.trim().is_empty() || name.chars().any(shoal_privacy::is_unprintable);
        if let Some(name) = columns.iter().find(unfit) {
            return Err(ConsortiumError::ColumnName { name: name.clone() }.into());
        }
        self.spec.resolve(columns, named.as_ref().unwrap_or(columns)).map_err(Error::BoundsText)
    }
}

impl Agreed {
    /// The agreement with its secret.
    pub fn file(&self) -> &AgreementFile {
        &self.file
    }

    /// The file for custodians, and for nobody else: it opens their codes.
    pub fn to_json(&self) -> &str {
        &self.text
    }
}
