//! What an aggregator should know about decoded distances before they are believed.

use shoal::consortium::Pooled;

use super::promised;

/// The warnings that people see on the screen, for programs.
pub fn warnings(pooled: &Pooled) -> Vec<String> {
    let promise = pooled.promise();
    let nothing = promise.guarantee.claim().is_none().then(|| promised::sentence(promise));
    nothing.into_iter().chain(mostly_noise(pooled)).collect()
}

/// A warning where a single distance is too noisy to use in every attribute.
pub fn mostly_noise(pooled: &Pooled) -> Option<String> {
    let times = Some(pooled.noise_share()).filter(|times| *times >= 1.0)?;
    Some(format!(
        "WARNING: the noise of a single decoded distance is {} times the largest distance that its attribute can show, or more; what is made of so few bits, or so small an ε, is mostly noise.",
        promised::short(times)
    ))
}

/// How many pairs stay as decoded, where distances go through records in between.
pub fn unreached_text(share: Option<f64>) -> Option<String> {
    let share = share?;
    Some(if share > 0.0 {
        format!(
            "{} % of the pairs are connected by no chain of records and stay as decoded, at most what a code shows.\n",
            promised::short(100.0 * share)
        )
    } else {
        "All pairs are connected by chains of records.\n".into()
    })
}
