//! A record of every release of a run, and a source of noise that makes one or repeats one. For audits only.
//!
//! A run on one table is *recorded*: for each release its charge, the distribution of its noise with the exact numbers, and
//! what it released. A run on a neighbouring table then *replays* the record: each release gives what it gave before, so
//! everything that follows from released values is the same, and the exact numbers of the second table are recorded beside.
//! Privacy composes over releases for every sequence of outputs, so what is lost at each release is lost between these two
//! lists of exact numbers.
//!
//! [`WitnessedNoise`] counts as seeded, so no guarantee holds for a run that it takes part in.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shoal_noise::{NoiseSource, RBig, SeededNoise};
use shoal_privacy::Loss;

use crate::mechanisms::distribution::{Part, RecordedPart};
use crate::mechanisms::row_mechanism::RowMechanism;

/// One release.
#[derive(Clone, Debug)]
pub struct RecordedStep {
    /// The type of the mechanism.
    pub mechanism: &'static str,
    /// What the accountant was asked to charge.
    pub charge: Loss,
    /// The noise.
    pub drawn: Drawn,
}

impl RecordedStep {
    /// A release of `exact` by a mechanism.
    pub fn of<M: RowMechanism + ?Sized>(mechanism: &M, exact: &M::Input) -> Self {
        let drawn = mechanism
            .distribution(exact)
            .map_or(Drawn::Unknown, |parts| Drawn::Parts(parts.into_iter().map(Part::recorded).collect()));
        Self { mechanism: short_name::<M>(), charge: mechanism.claim().loss, drawn }
    }
}

/// The noise of a release.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// Independent parts.
    Parts(Vec<RecordedPart>),
    /// The decisions of a tree, one box after the other.
    Splits {
        /// Of the noise, per row.
        decay: RBig,
        /// θ.
        threshold: i64,
        /// δ.
        bias: u64,
        /// γ.
        floor: u64,
        /// Rows and depth of each box that was decided about. As sensitive as the table.
        boxes: Vec<(u64, u32)>,
    },
    /// The mechanism does not say.
    Unknown,
}

/// What a run released, step by step, to be released again.
#[derive(Clone, Default)]
pub struct Script {
    outputs: Vec<Rc<dyn Any>>,
}

impl Script {
    /// The first releases only: after them a run draws anew.
    #[must_use]
    pub fn first(&self, steps: usize) -> Self {
        Self { outputs: self.outputs[..steps.min(self.outputs.len())].to_vec() }
    }
}

/// A source of noise that records each release, or repeats what was released before.
pub struct WitnessedNoise {
    /// Randomness that is no mechanism's: initial centres, deals of rows to blocks.
    common: SeededNoise,
    record: Transcript,
}

/// The record itself.
struct Transcript {
    seed: u64,
    steps: Vec<RecordedStep>,
    released: Vec<Rc<dyn Any>>,
    replays: Script,
    /// Draws the decisions of the tree that is growing.
    tree: SeededNoise,
    count: Arc<AtomicUsize>,
    strayed: Option<usize>,
}

impl WitnessedNoise {
    /// Records a run. Its common randomness follows `common`, its draws follow `draws`.
    #[must_use]
    pub fn recording(common: u64, draws: u64) -> Self {
        Self::replaying(common, draws, Script::default())
    }

    /// Records a run that releases what `script` says for as long as it lasts.
    #[must_use]
    pub fn replaying(common: u64, draws: u64, script: Script) -> Self {
        let record = Transcript {
            seed: draws,
            steps: Vec::new(),
            released: Vec::new(),
            replays: script,
            tree: SeededNoise::new(0),
            count: Arc::default(),
            strayed: None,
        };
        Self { common: SeededNoise::new(common), record }
    }

    /// How many releases there have been, for whoever has to know between which two of them something happens.
    #[must_use]
    pub fn count(&self) -> Arc<AtomicUsize> {
        self.record.count.clone()
    }

    /// The releases, what they gave, and the first one that was of another kind than its script, if any.
    #[must_use]
    pub fn finish(self) -> (Vec<RecordedStep>, Script, Option<usize>) {
        (self.record.steps, Script { outputs: self.record.released }, self.record.strayed)
    }
}

impl Transcript {
    fn fresh(&self) -> SeededNoise {
        let mut key = [0_u8; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..16].copy_from_slice(&(self.steps.len() as u64 + 1).to_le_bytes());
        SeededNoise::from_key(key)
    }

    fn push(&mut self, step: RecordedStep, output: Rc<dyn Any>) {
        self.steps.push(step);
        self.released.push(output);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn release<M: RowMechanism + ?Sized>(&mut self, mechanism: &M, exact: M::Input) -> M::Output {
        let step = RecordedStep::of(mechanism, &exact);
        let at = self.steps.len();
        let before = self.replays.outputs.get(at).map(|output| output.downcast_ref::<M::Output>().cloned());
        if matches!(before, Some(None)) {
            // Another kind of release than in the script.
            self.strayed.get_or_insert(at);
        }
        let output = before.flatten().unwrap_or_else(|| mechanism.draw(exact, &mut self.fresh()));
        self.push(step, Rc::new(output.clone()));
        output
    }

    fn begin_tree(&mut self, split: &impl HiddenSplits) {
        self.tree = self.fresh();
        let (decay, threshold) = (split.decay().clone(), split.threshold());
        let (bias, floor) = (split.bias(), split.floor());
        let drawn = Drawn::Splits { decay, threshold, bias, floor, boxes: Vec::new() };
        let step = RecordedStep { mechanism: short_name_of(split), charge: split.loss(), drawn };
        self.push(step, Rc::new(Cuts::default()));
    }

    fn cut(&mut self, split: &impl HiddenSplits, rows: u64, depth: u32) -> bool {
        let at = self.steps.len().saturating_sub(1);
        let Some(RecordedStep { drawn: Drawn::Splits { boxes, .. }, .. }) = self.steps.last_mut() else {
            // A decision that belongs to no tree has no charge.
            self.steps.push(RecordedStep {
                mechanism: short_name_of(split),
                charge: Loss::NONE,
                drawn: Drawn::Unknown,
            });
            self.released.push(Rc::new(()));
            return split.cuts(rows, depth, &mut self.tree);
        };
        let number = boxes.len();
        boxes.push((rows, depth));
        let cut = match self.replays.outputs.get(at) {
            Some(before) => {
                let cut = before.downcast_ref::<Cuts>().and_then(|cuts| cuts.borrow().get(number).copied());
                if cut.is_none() {
                    self.strayed.get_or_insert(at);
                }
                cut.unwrap_or(false)
            }
            None => split.cuts(rows, depth, &mut self.tree),
        };
        if let Some(cuts) = self.released[at].downcast_ref::<Cuts>() {
            cuts.borrow_mut().push(cut);
        }
        cut
    }
}

/// The decisions of a tree, in the order in which they are made.
type Cuts = RefCell<Vec<bool>>;

/// Decisions that are made about exact counts and released without them: those of a tree that grows.
pub trait HiddenSplits {
    /// What all decisions of a tree cost together.
    fn loss(&self) -> Loss;

    /// Of the noise, per row.
    fn decay(&self) -> &RBig;

    /// θ, in rows.
    fn threshold(&self) -> i64;

    /// δ, in rows.
    fn bias(&self) -> u64;

    /// γ, in rows.
    fn floor(&self) -> u64;

    /// Draws whether a box of `rows` rows is cut.
    fn cuts(&self, rows: u64, depth: u32, noise: &mut dyn NoiseSource) -> bool;
}

/// The name of a mechanism's type.
fn short_name_of<M>(_: &M) -> &'static str {
    short_name::<M>()
}

/// The last part of a type's name.
fn short_name<T: ?Sized>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}

fn of(noise: &mut dyn NoiseSource) -> Option<&mut Transcript> {
    noise.witness()?.downcast_mut()
}

/// The output of a release, if somebody records releases: whoever does also draws.
pub(crate) fn witnessed<M: RowMechanism + ?Sized>(
    mechanism: &M,
    exact: M::Input,
    noise: &mut dyn NoiseSource,
) -> Result<M::Output, M::Input> {
    match of(noise) {
        Some(transcript) => Ok(transcript.release(mechanism, exact)),
        None => Err(exact),
    }
}

/// Records that a tree starts to grow.
pub fn witness_tree(split: &impl HiddenSplits, noise: &mut dyn NoiseSource) {
    if let Some(transcript) = of(noise) {
        transcript.begin_tree(split);
    }
}

/// Whether a box is cut, if somebody records releases.
pub fn witnessed_cut(split: &impl HiddenSplits, rows: u64, depth: u32, noise: &mut dyn NoiseSource) -> Option<bool> {
    Some(of(noise)?.cut(split, rows, depth))
}

impl NoiseSource for WitnessedNoise {
    fn next_u64(&mut self) -> u64 {
        self.common.next_u64()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.common.fill_bytes(bytes);
    }

    fn witness(&mut self) -> Option<&mut dyn Any> {
        Some(&mut self.record)
    }

    /// A fork is not recorded: an audit finds that releases are missing.
    fn fork(&mut self, label: u64) -> Self {
        let draws = self.record.seed ^ label.rotate_left(32);
        Self { common: self.common.fork(label), ..Self::recording(0, draws) }
    }
}
