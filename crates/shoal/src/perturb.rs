//! A crowd at once: each row of a table as one person's report.
//!
//! People who are not simulated make their own reports, on their own devices: see [`shoal_device`].

use std::fs::File;
use std::io::Write;
use std::path::Path;

use shoal_crowd::perturb_table;
use shoal_crowd::report_file::{Form, ReportWriter};
use shoal_device::choose_radius::{self, ChosenRadius, Remark2Note};
use shoal_device::{BpgmForm, Client, Design, Ending, Mechanism, Promises, Sampler};
use shoal_files::{BoundsSpec, Missing, Rows, TableFormat};
use shoal_lattice::Bounds;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Amount, Assumption, Epsilon, NonPrivate};

use crate::Error;
use crate::epsilon::IntoEpsilon;
use crate::input::{Input, Opened, Reading};
use crate::watch::{Notice, Phase, Watch, Watcher};

/// How BPM's radius is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Radius {
    /// The smallest that keeps nearly all information of a report.
    #[default]
    Information,
    /// By Remark 2 of YTL22, which runs to an end of its range.
    Remark2,
    /// Given, in widths of a column's range.
    Given(f64),
}

/// Which mechanism perturbs a record.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Perturbation {
    /// BPM of YTL22, the default.
    Bpm(Radius),
    /// Laplace noise on each column, ε in all.
    Laplace,
    /// Laplace noise on each column, ε per width.
    LaplaceMetric,
    /// nD-Laplace, with what happens to reports outside the bounds.
    NdLaplace(Ending),
    /// BPGM of CLZ25, which keeps no promise; needs [`Perturb::accept_unsound`].
    Bpgm {
        /// Largest noise in widths.
        bound: Amount,
        /// The published loop or its closed form.
        form: BpgmForm,
    },
}

impl Perturbation {
    /// The mechanism for a number of columns, from public numbers only.
    fn choose(&self, dims: usize, epsilon: &Epsilon) -> (Mechanism, Option<Remark2Note>) {
        let rate = epsilon.to_f64_up();
        match self {
            Self::Bpm(radius) => {
                let ChosenRadius { steps, note } = match radius {
                    Radius::Information => choose_radius::information(dims, rate),
                    Radius::Remark2 => choose_radius::remark_2(dims, rate),
                    Radius::Given(radius) => choose_radius::given(*radius),
                };
                (Mechanism::Bpm { radius_steps: steps }, note)
            }
            Self::Laplace => (Mechanism::Laplace, None),
            Self::LaplaceMetric => (Mechanism::LaplaceMetric, None),
            Self::NdLaplace(ending) => {
                let radius_steps = choose_radius::nd_laplace(dims, rate).steps;
                (Mechanism::NdLaplace { radius_steps, ending: *ending }, None)
            }
            Self::Bpgm { bound, form } => (Mechanism::Bpgm { bound: bound.clone(), form: *form }, None),
        }
    }
}

/// A crowd that is set up and waits for its table.
///
/// ```
/// use shoal::{Cluster, Perturb};
/// use shoal_files::{Matrix, Source};
///
/// let rows: Vec<f64> = (0..4000).map(|i| if i % 2 == 0 { 1.0 } else { 9.0 }).collect();
/// let mut reports = Vec::new();
/// let made = Perturb::new("10")?
///     .bounds("x=0:10")?
///     .run_to(Matrix::from_rows(&["x"], &rows)?, &mut reports, shoal_crowd::report_file::Form::Csv)?;
/// println!("{}", made.promises.guarantee);
/// let model = Cluster::new(2)?.run([Source::Memory(reports)])?;
/// assert_eq!(model.centres.len(), 2);
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone)]
pub struct Perturb {
    epsilon: Epsilon,
    bounds: Option<BoundsSpec>,
    perturbation: Perturbation,
    sampler: Sampler,
    unsound: bool,
    seed: Option<u64>,
    reading: Reading,
    watch: Watcher,
}

/// What became of a table.
#[non_exhaustive]
pub struct Made {
    /// Reports written.
    pub reports: u64,
    /// What everyone agreed on.
    pub design: Design,
    /// What each report promises to its sender, on all conditions.
    pub promises: Promises,
    /// Where the search of Remark 2 ended, where it was asked for.
    pub note: Option<Remark2Note>,
    /// Expected squared distance of a report from its record, in squared widths, where it is known.
    pub expected_squared_error: Option<f64>,
    /// Whether the noise came from a seed.
    pub seeded: bool,
    /// Records that had a value outside the bounds, which was moved to the nearest limit. No part of the reports.
    pub clamped: NonPrivate<u64>,
}

impl Perturb {
    /// A crowd whose reports lose ε per unit of distance (per report in all, for [`Perturbation::Laplace`]).
    pub fn new(epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        Ok(Self {
            epsilon: epsilon.into_epsilon()?,
            bounds: None,
            perturbation: Perturbation::Bpm(Radius::default()),
            sampler: Sampler::Exact,
            unsound: false,
            seed: None,
            reading: Reading::default(),
            watch: Watcher::default(),
        })
    }

    /// Public limits of each column, as [`crate::Fit::bounds`] takes them. A crowd cannot buy any.
    pub fn bounds(self, text: &str) -> Result<Self, Error> {
        Ok(self.public_bounds(BoundsSpec::parse(text).map_err(Error::BoundsText)?))
    }

    /// Public limits that were parsed or computed before.
    #[must_use]
    pub fn public_bounds(mut self, bounds: BoundsSpec) -> Self {
        self.bounds = Some(bounds);
        self
    }

    /// Columns of words with public levels, as [`crate::Fit::categories`] takes them: each person reports one of them by randomised
    /// response. Where ε is per unit of distance, a category of weight w gets ε·w, since a mismatch counts as the distance w;
    /// where it is that of a whole report (laplace), categories share it with the numbers, w parts for each beside one for each
    /// number.
    ///
    /// # Errors
    /// Levels that make no sense, and a column that is given twice.
    pub fn categories(mut self, text: &str) -> Result<Self, Error> {
        for category in shoal_files::categories(text).map_err(Error::BoundsText)? {
            self.reading.add_category(category)?;
        }
        Ok(self)
    }

    /// How much a mismatch counts, as a part of a column's range: `"gender=1"`; 0.5 where nothing is given. Numbers weigh 1.
    ///
    /// # Errors
    /// A text that is no list of weights.
    pub fn weight(mut self, text: &str) -> Result<Self, Error> {
        self.reading.scaling = self.reading.scaling.weights(text).map_err(Error::BoundsText)?;
        Ok(self)
    }

    /// The columns that together say whose row it is: each person then makes one report, of all their rows.
    #[must_use]
    pub fn person<N: Into<String>>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        self.reading.persons.columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Which rows of a person count: `mean` (the default: means and the most frequent word), `first:COLUMN` or `last:COLUMN`.
    ///
    /// # Errors
    /// A text that is none of these.
    pub fn per_person(mut self, way: &str) -> Result<Self, Error> {
        self.reading.persons.per_person = Some(way.parse()?);
        Ok(self)
    }

    /// The mechanism.
    #[must_use]
    pub fn mechanism(mut self, perturbation: Perturbation) -> Self {
        self.perturbation = perturbation;
        self
    }

    /// How the noise is drawn. BPGM has nothing but doubles, and the Laplace mechanisms nothing but exact noise.
    #[must_use]
    pub fn sampler(mut self, sampler: Sampler) -> Self {
        self.sampler = sampler;
        self
    }

    /// Lets a mechanism run that keeps no promise, for research.
    #[must_use]
    pub fn accept_unsound(mut self) -> Self {
        self.unsound = true;
        self
    }

    /// Draws the noise from a seed, for tests and papers: there is NO PRIVACY then, and the promises are void.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The columns to use, in this order.
    #[must_use]
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.reading.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// What to do with rows in which a value is missing. The default refuses the table.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.reading.missing = missing;
        self
    }

    /// The CSV file has no header; its columns are called c1, c2, and so on.
    #[must_use]
    pub fn no_header(mut self) -> Self {
        self.reading.no_header = true;
        self
    }

    /// How the table is written, where that has to be declared: separators, decimal commas, dates, a sheet.
    #[must_use]
    pub fn format(mut self, format: TableFormat) -> Self {
        self.reading.format = format;
        self
    }

    /// Quoted cells of the CSV file may span lines. Without this a record that does is refused: usually a quote was not closed,
    /// and the rows after it would be lost.
    #[must_use]
    pub fn multiline(mut self) -> Self {
        self.reading.multiline = true;
        self
    }

    /// Bytes of memory for a stream that cannot be read twice.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.reading.memory = bytes;
        self
    }

    /// Threads to use, instead of those of the current rayon pool. The reports do not depend on them.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.reading.threads = Some(threads.max(1));
        self
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    /// Refuses what makes no sense before a file is opened. [`Perturb::run`] begins with it.
    pub fn check(&self) -> Result<(), Error> {
        if let Perturbation::Bpgm { form, .. } = self.perturbation
            && !self.unsound
        {
            return Err(Error::Unsound { reason: shoal_device::bpgm::reason(form) });
        }
        self.reading.persons.check(false)?;
        if self.reading.persons.way().is_some_and(|way| way.most_rows() > 1) {
            return Err(Error::SeveralReportsOfAPerson);
        }
        if self.bounds.is_none() { Err(Error::BoundsNeeded) } else { Ok(()) }
    }

    /// The design for the columns that the bounds name, without a table: for a collector who publishes it.
    ///
    /// # Errors
    /// Bounds that do not name the columns, and a mechanism that keeps no promise and was not asked for as such.
    pub fn design(&self) -> Result<Design, Error> {
        self.check()?;
        let Some(BoundsSpec::Named(pairs)) = &self.bounds else { return Err(Error::BoundsWithoutNames) };
        let (names, intervals) = pairs.iter().cloned().unzip();
        let bounds = self.reading.with_categories(Bounds::new(names, intervals)?)?;
        let (mechanism, _) = self.perturbation.choose(bounds.numbers(), &self.epsilon);
        Ok(Design::new(mechanism, self.epsilon.clone(), bounds)?.with_sampler(self.sampler))
    }

    /// Writes the reports to a file, as CSV where its name ends in `.csv` and as Parquet otherwise. The file is whole when
    /// this returns, and gone when it fails.
    pub fn run<'a>(&self, input: impl Into<Input<'a>>, out: impl AsRef<Path>) -> Result<Made, Error> {
        let out = out.as_ref();
        self.check()?;
        let failed = |source| Error::Write { path: out.into(), source };
        let file = File::create_new(out).map_err(failed)?;
        let made = self.run_to(input, file, Form::of(out));
        if made.is_err() {
            // Half a file would be taken for reports; that it cannot be removed either is not the first trouble.
            let _ = std::fs::remove_file(out);
        }
        made
    }

    /// [`Perturb::run`] to any writer.
    pub fn run_to<'a, W: Write + Send>(&self, input: impl Into<Input<'a>>, out: W, form: Form) -> Result<Made, Error> {
        self.check()?;
        let spec = self.bounds.as_ref().ok_or(Error::BoundsNeeded)?;
        let (opened, bounds) = self.reading.open_within(input.into(), spec)?;
        if self.reading.persons.way().is_some() {
            self.reading.check_memory(&opened)?;
        }
        self.reading.announce_keys(&opened, &self.watch);
        let (mechanism, note) = self.perturbation.choose(bounds.numbers(), &self.epsilon);
        let design = Design::new(mechanism, self.epsilon.clone(), bounds)?.with_sampler(self.sampler);
        // A mechanism that keeps no promise was refused above, unless it was asked for.
        let client = Client::accepting_unsound(&design)?;
        let seeded = self.seed.is_some();
        let promises = if seeded { client.promises().with_seeded_noise() } else { client.promises() };
        // That a report is there at all reveals that its row had no gap, unless every row makes one.
        let promises = promises.assuming(match self.reading.missing {
            Missing::Refuse => vec![Assumption::RowsComplete],
            Missing::Drop => vec![Assumption::GapsPublic, Assumption::RowsReadable],
            Missing::Middle | Missing::Category => vec![Assumption::RowsReadable],
        });
        let person = (!self.reading.persons.columns.is_empty()).then_some(Assumption::PersonColumn);
        let promises = promises.assuming(person);
        if seeded {
            self.watch.notice(&Notice::Seeded);
        }
        let work = Work { opened: &opened, design: &design, client: &client, promises: &promises, form };
        let done = self.reading.on_threads(|| match self.seed {
            Some(seed) => work.run(self, SeededNoise::new(seed), out),
            None => work.run(self, OsNoise::new()?, out),
        })?;
        Ok(Made {
            reports: done.reports,
            expected_squared_error: client.expected_squared_error(),
            design,
            promises,
            note,
            seeded,
            clamped: done.clamped.without_privacy(),
        })
    }
}

/// All that is settled before the first row is read.
struct Work<'a> {
    opened: &'a Opened<'a>,
    design: &'a Design,
    client: &'a Client,
    promises: &'a Promises,
    form: Form,
}

impl Work<'_> {
    fn run<N: NoiseSource + Send, W: Write + Send>(
        &self,
        job: &Perturb,
        mut noise: N,
        out: W,
    ) -> Result<shoal_crowd::Perturbed, Error> {
        let seeded = job.seed.is_some();
        let failed = |source| Error::WriteReports { source };
        let mut out = ReportWriter::new(out, self.design, self.promises, seeded, self.form).map_err(failed)?;
        let perturbing = job.watch.phase(Phase::Perturbing);
        let persons = match job.reading.persons.way() {
            Some(_) => Some(job.reading.persons_within(self.opened, self.design.bounds(), job.seed, &perturbing)?),
            None => None,
        };
        let rows = persons.as_ref().map_or_else(|| self.opened.rows(), |persons| persons as &dyn Rows);
        let done = perturb_table(rows, self.design, self.client, &mut noise, &mut out, &perturbing)?;
        drop(perturbing);
        out.finish().map_err(failed)?;
        Ok(done)
    }
}
