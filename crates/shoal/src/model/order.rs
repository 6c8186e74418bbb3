//! Which cluster comes first, and which number it has.
//!
//! Noise and restarts shuffle the clusters of every run. A model has them by size, the largest first, so that two runs
//! on the same table can be laid side by side; where an earlier model is given, its numbers are kept.

use serde::{Deserialize, Serialize};

use super::matching::{self, OtherColumns};
use super::{Certainty, Model};

/// The numbers of clusters that follow those of an earlier model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbering {
    /// The number of each cluster, in ascending order.
    pub numbers: Vec<usize>,
    /// Numbers of clusters that the earlier model does not have.
    pub new: Vec<usize>,
    /// Numbers of clusters of the earlier model that this one does not have.
    pub gone: Vec<usize>,
}

impl Numbering {
    /// Why these numbers cannot be those of `k` clusters.
    pub(super) fn fault(&self, k: usize) -> Option<&'static str> {
        let ascending = self.numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = self.numbers.len() == k && ascending && self.numbers.first().is_none_or(|first| *first > 0);
        let new_are_there = self.new.iter().all(|number| self.numbers.contains(number));
        (!fits || !new_are_there).then_some("the numbers of its clusters are not ascending, or not one for each")
    }
}

impl Model {
    /// The number of cluster `j`, counted from zero: `j + 1`, or the number that an earlier model gave it.
    pub fn number(&self, j: usize) -> usize {
        self.numbering.as_ref().map_or(j + 1, |it| it.numbers[j])
    }

    /// The same model with the numbers of an earlier one: clusters that match keep their number, others get new ones.
    ///
    /// Both are released, so this is post-processing.
    pub fn matched_with(self, earlier: &Self) -> Result<Self, OtherColumns> {
        let partners = matching::partners(earlier, &self)?;
        let mut next = (0..earlier.k()).map(|j| earlier.number(j)).max().unwrap_or(0);
        let mut new = Vec::new();
        let number = |partner: &Option<usize>| match partner {
            Some(j) => earlier.number(*j),
            None => {
                next += 1;
                new.push(next);
                next
            }
        };
        let numbers: Vec<usize> = partners.iter().map(number).collect();
        let gone = (0..earlier.k()).filter(|j| !partners.contains(&Some(*j))).map(|j| earlier.number(j)).collect();
        let mut order: Vec<usize> = (0..self.k()).collect();
        order.sort_by_key(|j| numbers[*j]);
        let numbering = Numbering { numbers: order.iter().map(|j| numbers[*j]).collect(), new, gone };
        Ok(Self { numbering: Some(numbering), ..self.permuted(&order) })
    }

    /// The same model with its clusters by size, the largest first; without sizes by the first column, then the next.
    pub(super) fn in_order(self) -> Self {
        let by_place = |a: &usize, b: &usize| {
            let pairs = self.centres[*a].iter().zip(&self.centres[*b]);
            pairs.map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        };
        let size = |j: usize| self.sizes.get(j).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..self.k()).collect();
        order.sort_by(|a, b| size(*b).total_cmp(&size(*a)).then_with(|| by_place(a, b)));
        self.permuted(&order)
    }

    /// The same model with cluster `order[j]` at place `j`. Everything that is kept per cluster moves with it.
    fn permuted(mut self, order: &[usize]) -> Self {
        self.centres = pick(&self.centres, order);
        self.sizes = pick(&self.sizes, order);
        self.size_sd = pick(&self.size_sd, order);
        self.centre_sd = pick(&self.centre_sd, order);
        self.certainty = self.certainty.map(|it| it.permuted(order));
        if let Some(from) = &mut self.from_reports {
            from.cluster_sd = pick(&from.cluster_sd, order);
        }
        self
    }
}

impl Certainty {
    fn permuted(self, order: &[usize]) -> Self {
        // Every field by name, so that a new one cannot be forgotten here.
        let Self {
            intervals,
            rerun_distance,
            size_intervals,
            stability,
            spread,
            sampling_distance,
            explained,
            intervals_at_least,
            evidence,
        } = self;
        Self {
            intervals: pick(&intervals, order),
            rerun_distance: pick(&rerun_distance, order),
            size_intervals: pick(&size_intervals, order),
            stability: pick(&stability, order),
            spread: pick(&spread, order),
            sampling_distance: pick(&sampling_distance, order),
            explained,
            intervals_at_least,
            evidence,
        }
    }
}

/// The items in another order; nothing where there are none.
fn pick<T: Clone>(items: &[T], order: &[usize]) -> Vec<T> {
    order.iter().filter_map(|j| items.get(*j).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use crate::model::example;

    #[test]
    fn the_largest_comes_first_and_takes_everything_along() {
        let mut shuffled = example();
        for (j, size) in [10.0, 30.0, 20.0].into_iter().enumerate() {
            shuffled.sizes[j] = size;
            shuffled.size_sd[j] = size / 10.0;
            shuffled.centres[j] = vec![size, -size];
            shuffled.centre_sd[j] = vec![size / 100.0; 2];
            let certainty = shuffled.certainty.as_mut().unwrap();
            certainty.intervals[j] = vec![[size - 1.0, size + 1.0]; 2];
            certainty.rerun_distance[j] = vec![size / 5.0; 2];
            certainty.size_intervals[j] = [size - 2.0, size + 2.0];
            certainty.stability[j] = size / 30.0;
            certainty.spread[j] = vec![size / 7.0; 2];
        }
        let ordered = shuffled.clone().in_order();
        assert_eq!(ordered.sizes, [30.0, 20.0, 10.0]);
        let certainty = ordered.certainty.as_ref().unwrap();
        for (j, size) in [30.0, 20.0, 10.0].into_iter().enumerate() {
            assert_eq!((ordered.size_sd[j], ordered.centre_sd[j][0]), (size / 10.0, size / 100.0));
            assert_eq!((ordered.centres[j][0], certainty.intervals[j][0][0]), (size, size - 1.0));
            assert_eq!((certainty.size_intervals[j][1], certainty.stability[j]), (size + 2.0, size / 30.0));
            assert_eq!((certainty.spread[j][1], certainty.rerun_distance[j][1]), (size / 7.0, size / 5.0));
        }
        shuffled.sizes.clear();
        shuffled.size_sd.clear();
        shuffled.certainty.as_mut().unwrap().size_intervals.clear();
        let by_place: Vec<f64> = shuffled.in_order().centres.iter().map(|centre| centre[0]).collect();
        assert_eq!(by_place, [10.0, 20.0, 30.0]);
    }

    #[test]
    fn numbers_of_an_earlier_model_stay_and_new_clusters_get_new_ones() {
        let earlier = example();
        // Without intervals: those of the example belong to other places.
        let mut later = crate::Model { certainty: None, ..example() };
        // The first is where it was, the second is gone, a third one is new; and the sizes order them differently.
        later.centres = vec![vec![95.0, 45.0], vec![30.0, 10.0], vec![70.5, 30.2]];
        let matched = later.matched_with(&earlier).unwrap();
        let numbering = matched.numbering.clone().unwrap();
        assert_eq!((numbering.numbers, numbering.new, numbering.gone), (vec![1, 3, 4], vec![4], vec![2]));
        assert_eq!(matched.centres, [[30.0, 10.0], [70.5, 30.2], [95.0, 45.0]]);
        assert_eq!((matched.number(1), earlier.number(1)), (3, 2));
        let back = crate::Model::from_json(&matched.to_json()).unwrap();
        assert_eq!(back, matched);
        // What was new once is old the next time.
        assert_eq!(example().matched_with(&matched).unwrap().numbering.unwrap().numbers, [1, 3, 5]);
        let broken = matched.to_json().replace("\"numbers\": [\n      1,", "\"numbers\": [\n      7,");
        assert!(crate::Model::from_json(&broken).is_err());
    }
}
