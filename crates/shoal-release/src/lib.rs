//! Releases as steps: a question about rows, the noise on its answer, and what both cost, as plain data.
//!
//! A [`Step`] is a [`Question`](shoal_scan::Question) and a [`NoiseSpec`]. It computes its own [`Claim`](shoal_privacy::Claim)
//! from the noise and from what one row can change, so nobody has to believe whoever wrote it; it knows how many numbers its
//! answer has before there is an answer; and it has canonical bytes and a JSON form, so that several parties can agree on it.
//!
//! A [`Releaser`] turns steps into released numbers. [`LocalReleaser`] does it where one party holds all rows: a scan, an
//! accountant and a source of noise. Where several parties hold rows, each computes [`Step::answer_wrapped`] on its own, and
//! whoever adds noise draws all of it with [`PreparedStep::draw_wrapped`].
//!
//! Not everything is a step. k-means in random blocks, the choice of the best candidate and the hidden comparisons of a
//! growing tree are no sums with noise on them.
//!
//! | question | [`Take`] | noise | one row changes |
//! |---|---|---|---|
//! | cell counts, box counts, row count | whole | Laplace, Gaussian | one number, by 1 |
//! | sums and counts | counts | Laplace, Gaussian | one number, by 1 |
//! | bucket counts of d columns | whole | Laplace | d numbers, each by 1 |
//! | capped cost | whole | Laplace | the number, by at most the cap |
//! | clipped sums | sums, sums and counts | cube, Gaussian | the numbers of one centre, each by at most its half-width |
//! | moments | each variance, one variance | cube, Gaussian | all, each by at most `HALF_WIDTH` |
//!
//! The mechanisms behind the steps are here, too ([`KNormSumsMechanism`], [`NoisyCountsMechanism`], …), with what they share
//! ([`RowMechanism`]) and the record that audits read ([`transcript`]).
//!
//! ```
//! use shoal_files::PointStore;
//! use shoal_lattice::LatticePoints;
//! use shoal_noise::SeededNoise;
//! use shoal_privacy::{Accountant, Allowance};
//! use shoal_release::{LocalReleaser, Releaser, Step, StepBudget, Take};
//! use shoal_scan::{LocalScan, Question};
//!
//! let step = Step::for_budget(Question::RowCount, Take::Whole, &StepBudget::Pure("1/2".parse()?))?;
//! assert_eq!((step.numbers(), step.claim().loss.symbols().as_str()), (1, "ε = 0.5"));
//! assert_eq!(Step::from_bytes(&step.to_bytes())?, step);
//!
//! let scan = LocalScan::new(PointStore::InMemory(LatticePoints::new(2)));
//! let mut accountant = Accountant::new(Allowance::without_ledger(step.claim()));
//! // A seed is for examples and tests; use `OsNoise` to protect people.
//! let mut noise = SeededNoise::new(1);
//! let rows = LocalReleaser::new(&scan, &mut accountant, &mut noise).release(&step)?;
//! assert_eq!(rows.get().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod budget;
mod error;
mod exact_text;
mod local;
mod mechanisms;
mod noise_spec;
mod prepared;
mod releaser;
mod sentence;
mod step;
mod step_bytes;
mod step_json;
mod take;

pub use budget::StepBudget;
pub use error::{ReleaseError, StepError};
pub use local::{Local, LocalReleaser};
pub use mechanisms::capped_cost::CappedCostMechanism;
pub use mechanisms::distribution::{Noise, Part, RecordedPart};
pub use mechanisms::gaussian_counts::GaussianCountsMechanism;
pub use mechanisms::gaussian_sums::GaussianSumsMechanism;
pub use mechanisms::knorm_sums::KNormSumsMechanism;
pub use mechanisms::noisy_column_counts::NoisyColumnCountsMechanism;
pub use mechanisms::noisy_counts::NoisyCountsMechanism;
pub use mechanisms::row_mechanism::{RowMechanism, Running, concentrated, noisy, pure};
pub use mechanisms::scaled_sums::ScaledSums;
pub use mechanisms::transcript;
pub use noise_spec::NoiseSpec;
pub use prepared::{PreparedStep, wrapped};
pub use releaser::Releaser;
pub use step::Step;
pub use take::Take;
