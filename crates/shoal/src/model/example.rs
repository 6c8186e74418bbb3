//! A model for tests: three clusters of age and hours, with intervals.

use shoal_curator::{ExpectedError, Explained};
use shoal_lattice::{Interval, Widths};
use shoal_privacy::{Assumption, Claim, Guarantee, Loss, Neighbours, Numerics, Published, Spent};

use super::{Certainty, HowRead, Kind, Model, VERSION};

pub(crate) fn example() -> Model {
    let claim = Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss: Loss::Pure("1".parse().unwrap()),
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
    };
    let centres = vec![vec![30.0, 10.0], vec![50.0, 40.0], vec![70.0, 30.0]];
    let sizes = vec![5000.0, 3000.0, 2000.0];
    let certainty = Certainty {
        intervals: centres.iter().map(|c| c.iter().map(|x| [x - 1.0, x + 1.0]).collect()).collect(),
        rerun_distance: vec![vec![1.5; 2]; 3],
        size_intervals: sizes.iter().map(|n| [n - 200.0, n + 200.0]).collect(),
        stability: vec![1.0, 0.95, 0.92],
        spread: vec![vec![5.0, 4.0]; 3],
        sampling_distance: Vec::new(),
        explained: Some(Explained { share: 0.8, low: 0.75, high: 0.84 }),
        intervals_at_least: false,
        evidence: None,
    };
    let noise = vec![vec![Widths(0.001); 2]; 3];
    Model {
        version: VERSION,
        kind: Kind::Curator,
        method: "auto".into(),
        columns: vec!["age".into(), "hours".into()],
        bounds: vec![Interval::new(0.0, 100.0).unwrap(), Interval::new(0.0, 50.0).unwrap()],
        scales: Vec::new(),
        weights: Vec::new(),
        categories: Vec::new(),
        expected_error: ExpectedError::of(&noise, &sizes),
        centres,
        size_sd: vec![20.0; 3],
        sizes,
        centre_sd: vec![vec![0.1, 0.05]; 3],
        guarantee: Guarantee::Holds(claim),
        also: Vec::new(),
        published: Published::new("nothing yet", "Shoal"),
        spent: Some(Spent { epsilon: "1".parse().unwrap(), delta: None }),
        paid_before: None,
        nicv_estimate: None,
        certainty: Some(certainty),
        k_asked: None,
        numbering: None,
        decisions: Vec::new(),
        from_reports: None,
        merged_from: None,
        split: None,
        reading: HowRead::default(),
        seeded: false,
        shoal: "0.1.0".into(),
    }
}
