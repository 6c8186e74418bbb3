//! A person's device: values in, one noisy report out.

use shoal_lattice::{Category, LatticeMap, Steps};
use shoal_noise::{NoiseSource, OsNoise};

use crate::wire::{Day, DesignTag, Envelope, MOST_COLUMNS, ReportId, WireError};
use crate::{Client, Design, DeviceError, Limit, Promises, Report};

/// A device that reports under one design.
///
/// The guarantee is about one report per person. A second report reveals more: their ε add up, and a
/// [`DeviceLedger`](crate::DeviceLedger) keeps count.
///
/// ```
/// use shoal_device::{Design, Device, Limit, Mechanism, choose_radius};
/// use shoal_lattice::{Bounds, Interval};
///
/// # let bounds = Bounds::new(vec!["age".into(), "hours".into()], vec![Interval::new(17.0, 90.0)?, Interval::new(1.0, 99.0)?])?;
/// # let mechanism = Mechanism::Bpm { radius_steps: choose_radius::information(2, 4.0).steps };
/// # let published = Design::new(mechanism, "4".parse()?, bounds)?.to_json();
/// let design = Design::from_json(&published)?;
/// let mut device = Device::within(&design, &Limit::unit_of_distance("4".parse()?))?;
/// println!("{}", device.promises().guarantee);
/// let report = device.report(&[34.0, 40.0])?;
/// assert_eq!(report.steps.len(), 2);
/// assert_eq!(device.report(&[34.0, f64::NAN]).unwrap_err().code(), "not-a-number");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Device<N = OsNoise> {
    client: Client,
    map: LatticeMap,
    columns: Vec<String>,
    categories: Vec<Category>,
    digest: String,
    identifier: Option<String>,
    tag: DesignTag,
    mechanism: &'static str,
    noise: N,
}

impl Device {
    /// A device with randomness from the operating system.
    ///
    /// # Errors
    /// When the mechanism guarantees nothing (see [`Self::accepting_unsound`]), or the system gives no randomness.
    pub fn new(design: &Design) -> Result<Self, DeviceError> {
        Self::with_noise(design, OsNoise::new()?)
    }

    /// The same, if the design stays within the person's own limit.
    ///
    /// # Errors
    /// As [`Self::new`], and when the design exceeds the limit.
    pub fn within(design: &Design, limit: &Limit) -> Result<Self, DeviceError> {
        let device = Self::accepting_unsound(design)?;
        limit.check(design, &device.client.promises())?;
        Ok(device)
    }

    /// A device even for a mechanism whose reports protect nobody: for research.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub fn accepting_unsound(design: &Design) -> Result<Self, DeviceError> {
        Self::accepting_unsound_with_noise(design, OsNoise::new()?)
    }
}

impl<N: NoiseSource> Device<N> {
    /// A device with other randomness. If the source is seeded, the guarantee is void.
    ///
    /// # Errors
    /// When the mechanism guarantees nothing.
    pub fn with_noise(design: &Design, noise: N) -> Result<Self, DeviceError> {
        Ok(Self::around(Client::new(design)?, design, noise))
    }

    /// A device with other randomness, even for a mechanism whose reports protect nobody.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub fn accepting_unsound_with_noise(design: &Design, noise: N) -> Result<Self, DeviceError> {
        Ok(Self::around(Client::accepting_unsound(design)?, design, noise))
    }

    fn around(client: Client, design: &Design, noise: N) -> Self {
        Self {
            client,
            map: LatticeMap::new(design.bounds()),
            columns: design.bounds().columns().to_vec(),
            categories: design.categories().to_vec(),
            digest: design.digest(),
            identifier: design.identifier().map(str::to_owned),
            tag: design.tag(),
            mechanism: design.mechanism().name(),
            noise,
        }
    }

    /// What one report guarantees, computed from the noise that is added. Void if that comes from a seed.
    pub fn promises(&self) -> Promises {
        let promises = self.client.promises();
        if self.noise.is_seeded() { promises.with_seeded_noise() } else { promises }
    }

    /// The randomness.
    pub fn noise(&self) -> &N {
        &self.noise
    }

    /// A noisy report of one record, in the user's units and the order of the design's columns. Values outside the
    /// bounds are moved to the nearest bound first.
    ///
    /// # Errors
    /// When there are more or fewer values than columns, or one is not a finite number. Nothing is drawn then.
    pub fn report(&mut self, values: &[f64]) -> Result<Report, DeviceError> {
        self.report_with(values, &[])
    }

    /// The same for a design with columns of words: the word of each of [`Design::categories`], in their order, or nothing where
    /// the person gives none. A word that is no level counts as *other*, and so does a gap, unless gaps are a level.
    ///
    /// # Errors
    /// As [`Self::report`], and when there are more or fewer words than columns of words.
    pub fn report_with(&mut self, values: &[f64], words: &[Option<&str>]) -> Result<Report, DeviceError> {
        let record = self.record(values, words)?;
        let steps = self.drawn(&record);
        Ok(Report { design: self.digest.clone(), identifier: self.identifier.clone(), steps })
    }

    /// A noisy report in an envelope with a fresh identifier, ready for the wire. The report is drawn first.
    ///
    /// # Errors
    /// As [`Self::report`], and when the design has more columns than a report can carry.
    pub fn envelope(&mut self, values: &[f64], day: Day) -> Result<Envelope, DeviceError> {
        self.envelope_with(values, &[], day)
    }

    /// [`Self::report_with`] in an envelope.
    ///
    /// # Errors
    /// As [`Self::report_with`], and when the design has more columns than a report can carry.
    pub fn envelope_with(&mut self, values: &[f64], words: &[Option<&str>], day: Day) -> Result<Envelope, DeviceError> {
        let record = self.record(values, words)?;
        self.sealed(&record, day)
    }

    /// The record on the lattice.
    pub(crate) fn record(&self, values: &[f64], words: &[Option<&str>]) -> Result<Vec<i64>, DeviceError> {
        if values.len() != self.columns.len() {
            return Err(DeviceError::Length { columns: self.columns.clone(), given: values.len() });
        }
        let to_steps = |(i, &value): (usize, &f64)| {
            let column = || self.columns[i].clone();
            self.map.to_steps(i, value).map(|Steps(steps)| steps).ok_or_else(|| match value.is_nan() {
                true => DeviceError::NotANumber { column: column() },
                false => DeviceError::Infinite { column: column() },
            })
        };
        if words.len() != self.categories.len() {
            let columns = self.categories.iter().map(|category| category.column().to_owned()).collect();
            return Err(DeviceError::Words { columns, given: words.len() });
        }
        let mut record: Vec<i64> = values.iter().enumerate().map(to_steps).collect::<Result<_, _>>()?;
        record.extend(self.categories.iter().zip(words).map(|(category, word)| category.outcome(*word) as i64));
        Ok(record)
    }

    fn drawn(&mut self, record: &[i64]) -> Vec<Steps> {
        let mut steps = vec![0; record.len()];
        self.client.report(record, &mut self.noise, &mut steps);
        Steps::list(&steps)
    }

    pub(crate) fn sealed(&mut self, record: &[i64], day: Day) -> Result<Envelope, DeviceError> {
        if record.len() > MOST_COLUMNS {
            return Err(DeviceError::Wire(WireError::Columns { most: MOST_COLUMNS }));
        }
        let steps = self.drawn(record);
        Ok(Envelope { design: self.tag, id: ReportId::random(&mut self.noise), day, steps })
    }

    /// The name under which reports of this design are counted: its identifier, or its digest where it has none.
    pub fn collection(&self) -> &str {
        self.identifier.as_deref().unwrap_or(&self.digest)
    }

    /// The digest of the design.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn mechanism_name(&self) -> &'static str {
        self.mechanism
    }

    /// What a report would guarantee if its noise came from the system: what a ledger counts.
    pub(crate) fn promises_of_true_noise(&self) -> Promises {
        self.client.promises()
    }
}
