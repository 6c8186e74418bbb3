//! Steps of every kind, for the other tests.

use proptest::prelude::*;
use shoal_kernel::{Cap, LatticeCentres, Reach};
use shoal_privacy::{Amount, Epsilon, Rho};
use shoal_release::{Step, StepBudget, Take};
use shoal_scan::{BoxTree, Grid, Node, Question, ValueBuckets};

/// Attributes of all of them.
pub const DIMS: usize = 3;

pub fn budget() -> impl Strategy<Value = StepBudget> {
    let amount = (1_u64..5000, 1_u64..5000).prop_map(|(top, bottom)| Amount::ratio(top, bottom));
    prop_oneof![
        amount.clone().prop_map(|amount| StepBudget::Pure(Epsilon::new(amount))),
        amount.prop_map(|amount| StepBudget::Concentrated(Rho::new(amount))),
    ]
}

fn centres() -> impl Strategy<Value = LatticeCentres> {
    (1_usize..5).prop_flat_map(|k| {
        prop::collection::vec(-32_767_i16..=32_767, k * DIMS).prop_map(|all| LatticeCentres::new(DIMS, all))
    })
}

fn clipped() -> impl Strategy<Value = Question> {
    centres().prop_flat_map(|centres| {
        let widths = prop::collection::vec(1_u32..=Reach::MOST, centres.count() * DIMS);
        widths.prop_map(move |widths| Question::ClippedSums {
            centres: centres.clone(),
            reach: Reach::new(centres.clone(), widths),
        })
    })
}

pub fn tree() -> BoxTree {
    let split = |axis, at, below, above| Node::Split { axis, at, below, above };
    BoxTree::new(DIMS, vec![split(0, 5, 1, 2), Node::Leaf, split(2, -700, 3, 4), Node::Leaf, Node::Leaf])
}

/// A question about rows on the lattice, and what to take.
pub fn question() -> impl Strategy<Value = (Question, Take)> {
    prop_oneof![
        Just((Question::RowCount, Take::Whole)),
        Just((Question::BoxCounts { tree: tree() }, Take::Whole)),
        Just((Question::CellCounts { grid: Grid::new(vec![3, 1, 4], 100).unwrap() }, Take::Whole)),
        Just((Question::Moments { dims: DIMS }, Take::EachVariance)),
        Just((Question::Moments { dims: DIMS }, Take::OneVariance)),
        centres().prop_map(|centres| (Question::SumsAndCounts { centres }, Take::Counts)),
        clipped().prop_map(|question| (question, Take::Sums)),
        clipped().prop_map(|question| (question, Take::SumsAndCounts)),
        (centres(), 1_u64..1 << 40)
            .prop_map(|(centres, most)| (Question::CappedCost { centres, cap: Cap::near(most) }, Take::Whole)),
    ]
}

/// Bucket counts of raw columns.
pub fn buckets() -> Question {
    Question::Buckets { lists: vec![ValueBuckets::Magnitudes, ValueBuckets::equal_parts(0.0, 1.0, 4)] }
}

/// A step of any kind that is about the lattice.
pub fn step() -> impl Strategy<Value = Step> {
    (question(), budget()).prop_filter_map("noise of another kind", |((question, take), budget)| {
        Step::for_budget(question, take, &budget).ok()
    })
}
