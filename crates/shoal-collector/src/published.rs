//! The newest model of a collection, as everybody may see it.

use serde_json::{Value, json};
use shoal::Model;
use shoal_privacy::{Claim, Loss};

use crate::collection::time_text;
use crate::error::CollectorError;
use crate::live::Live;
use crate::store::KeptModel;

/// A model with the JSON that is sent to whoever asks.
pub struct Published {
    /// 1, 2, … in each collection.
    pub version: u64,
    /// When it was made, in seconds since 1970 began.
    pub made: u64,
    /// Reports it was made from.
    pub reports: u64,
    /// Where it ends in the store.
    pub(crate) end: i64,
    /// The smallest batch of reports that are in exactly the same versions, up to this one.
    pub smallest_batch: u64,
    /// The model.
    pub model: Model,
    /// What is promised to those whose reports are in it.
    pub(crate) promise: Value,
    /// What is sent.
    pub(crate) json: String,
}

impl Published {
    /// A model from the store.
    ///
    /// # Errors
    /// A model that cannot be read.
    pub fn of(live: &Live, kept: &KeptModel) -> Result<Self, CollectorError> {
        let model = Model::from_json(&kept.json).map_err(|error| CollectorError::Library(error.into()))?;
        let promise = of_model(live, kept, &model);
        let json = describe(live, kept, &model, &promise).to_string();
        let KeptModel { version, made, reports, end, smallest_batch, .. } = *kept;
        Ok(Self { version, made, reports, end, smallest_batch, model, promise, json })
    }

    /// The widest interval of any coordinate, as a share of its column's range: half of it is the ± of the worst centre.
    /// Nothing where a cluster is too uncertain for an interval.
    pub fn widest(&self) -> Option<f64> {
        let facts = self.model.facts();
        let widths = self.model.bounds.iter().map(|interval| interval.width()).collect::<Vec<_>>();
        let share = |(i, value): (usize, &shoal::facts::Measured)| value.half_width().map(|half| half / widths[i]);
        let shares = facts.clusters.iter().flat_map(|cluster| cluster.values.iter().enumerate().map(share));
        shares.collect::<Option<Vec<f64>>>().map(|shares| shares.into_iter().fold(0.0, f64::max))
    }
}

/// Centres with their intervals, in the user's units, and what was promised to those who reported.
fn describe(live: &Live, kept: &KeptModel, model: &Model, promise: &Value) -> Value {
    let facts = model.facts();
    let clusters = facts.clusters.iter().map(|cluster| {
        let center: Vec<f64> = cluster.values.iter().map(|value| value.value).collect();
        let intervals: Vec<Option<[f64; 2]>> = cluster.values.iter().map(|value| value.interval()).collect();
        json!({
            "number": cluster.number,
            "center": center,
            "intervals": intervals,
            "share": cluster.share,
            "stability": cluster.stability,
            "reliance": cluster.reliance.words(),
        })
    });
    let notes = facts.notes.iter().map(|note| json!({ "title": note.title, "text": note.text }));
    json!({
        "collection": live.id(),
        "version": kept.version,
        "made": time_text(kept.made),
        "reports": kept.reports,
        "columns": model.columns,
        "bounds": model.bounds.iter().map(|interval| [interval.lo(), interval.hi()]).collect::<Vec<_>>(),
        "centers": model.centres,
        "clusters": clusters.collect::<Vec<_>>(),
        "notes": notes.collect::<Vec<_>>(),
        "promise": promise,
    })
}

/// What is promised to those whose reports are in a model: towards the collector, and towards everybody who sees this model
/// and those before it.
fn of_model(live: &Live, kept: &KeptModel, model: &Model) -> Value {
    let mut promise = live.promise().clone();
    promise["public"] = towards_public(model.towards_the_public(), kept.smallest_batch);
    promise
}

fn towards_public(claim: Option<&Claim>, hidden_among: u64) -> Value {
    let Some(claim) = claim else { return Value::Null };
    let statement = claim.statement();
    json!({
        "text": format!("{} {}", statement.plain, statement.formal),
        "conditions": statement.conditions,
        "loss": claim.loss.symbols(),
        "hidden_among": hidden_among,
        "amplified": matches!(claim.loss, Loss::Approximate { .. }),
        "claim": claim,
    })
}

/// What is promised to a person who sends a report, in words and as claims: towards the collector, and, where it is known
/// beforehand, towards the public, who sees clusters only.
pub(crate) fn promise(live: &Live) -> Value {
    let promises = live.checked.client.promises();
    let public = live.checked.towards_the_public();
    let composed = live.checked.composed();
    json!({
        "text": promises.guarantee.to_string(),
        "public": towards_public(public.as_ref(), live.checked.collection.minimum),
        "claims": promises.claims().collect::<Vec<_>>(),
        "most_per_day": live.checked.collection.most_per_day,
        "composed_per_day": composed.iter().map(|claim| claim.loss.symbols()).collect::<Vec<_>>(),
    })
}
