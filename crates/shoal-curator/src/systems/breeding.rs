//! Sets of centres that have children: the crossover and mutation of PrivGene (SCL16 §4.1.3).
//!
//! *Privacy.* Nothing here sees a record: children are made of sets that were picked, which are released, and of fresh
//! randomness.

use shoal_noise::NoiseSource;
use shoal_noise::uniform::{below, symmetric};

use shoal_lattice::HALF_WIDTH;

/// k centres with d lattice coordinates each, one after the other: the paper's vector of ℓ = k·d dimensions.
pub type Genome = Vec<i16>;

/// A genome of `length` coordinates, uniform in the box.
pub fn random_genome(length: usize, noise: &mut dyn NoiseSource) -> Genome {
    (0..length).map(|_| symmetric(noise, HALF_WIDTH as u128) as i16).collect()
}

/// `count` children of random pairs of `parents`, each with one coordinate moved by up to `reach` lattice units.
pub fn children(parents: &[Genome], count: usize, reach: u16, noise: &mut dyn NoiseSource) -> Vec<Genome> {
    let mut born = Vec::with_capacity(count + 1);
    while born.len() < count {
        let (a, b) = pair(parents.len(), noise);
        let mut twins = crossover(&parents[a], &parents[b], noise);
        twins.iter_mut().for_each(|child| mutate(child, reach, noise));
        born.extend(twins);
    }
    born.truncate(count);
    born
}

/// Two numbers below `count`, different ones if there are two.
fn pair(count: usize, noise: &mut dyn NoiseSource) -> (usize, usize) {
    let first = below(noise, count as u64) as usize;
    if count == 1 {
        return (first, first);
    }
    let second = below(noise, count as u64 - 1) as usize;
    (first, second + usize::from(second >= first))
}

/// Swaps the tails of two genomes behind a random cut 0 < ℓ̄ < ℓ; with one coordinate there is no cut.
fn crossover(a: &Genome, b: &Genome, noise: &mut dyn NoiseSource) -> [Genome; 2] {
    let mut twins = [a.clone(), b.clone()];
    if a.len() > 1 {
        let cut = 1 + below(noise, a.len() as u64 - 1) as usize;
        let [first, second] = &mut twins;
        first[cut..].swap_with_slice(&mut second[cut..]);
    }
    twins
}

/// Moves one random coordinate by a uniform number of lattice units up to `reach`, and back into the box.
fn mutate(genome: &mut Genome, reach: u16, noise: &mut dyn NoiseSource) {
    let at = below(noise, genome.len() as u64) as usize;
    let moved = i32::from(genome[at]) + symmetric(noise, reach.into()) as i32;
    genome[at] = moved.clamp(-HALF_WIDTH, HALF_WIDTH) as i16;
}

#[cfg(test)]
mod tests {
    use shoal_noise::SeededNoise;

    use super::*;

    #[test]
    fn crossover_swaps_tails_and_every_cut_occurs() {
        let (a, b) = (vec![1i16; 5], vec![2i16; 5]);
        let mut noise = SeededNoise::new(1);
        let mut cuts = [0; 6];
        for _ in 0..400 {
            let [first, second] = crossover(&a, &b, &mut noise);
            let cut = first.iter().filter(|&&x| x == 1).count();
            assert_eq!(first, [vec![1; cut], vec![2; 5 - cut]].concat());
            assert_eq!(second, [vec![2; cut], vec![1; 5 - cut]].concat());
            cuts[cut] += 1;
        }
        assert!(cuts[0] == 0 && cuts[5] == 0 && cuts[1..5].iter().all(|&n| n > 60), "{cuts:?}");
        assert_eq!(crossover(&vec![7], &vec![8], &mut noise), [[7], [8]], "one coordinate has no cut");
    }

    #[test]
    fn mutation_moves_one_coordinate_within_reach_and_the_box() {
        let mut noise = SeededNoise::new(2);
        let start = vec![0i16, 32_767, -32_767, 5];
        let mut farthest = 0;
        for _ in 0..2000 {
            let mut child = start.clone();
            mutate(&mut child, 1000, &mut noise);
            let moves: Vec<_> = child.iter().zip(&start).map(|(a, b)| (i32::from(*a) - i32::from(*b)).abs()).collect();
            assert!(moves.iter().filter(|&&m| m > 0).count() <= 1);
            assert!(child.iter().all(|&x| x != i16::MIN));
            farthest = farthest.max(moves.into_iter().max().unwrap());
        }
        assert!((990..=1000).contains(&farthest), "{farthest}");
    }

    #[test]
    fn pairs_are_different_and_reach_all() {
        let mut noise = SeededNoise::new(3);
        let mut seen = [[0; 3]; 3];
        for _ in 0..900 {
            let (a, b) = pair(3, &mut noise);
            seen[a][b] += 1;
        }
        assert!((0..3).all(|a| (0..3).all(|b| (seen[a][b] > 100) == (a != b))), "{seen:?}");
        assert_eq!(pair(1, &mut noise), (0, 0));
    }

    #[test]
    fn as_many_children_as_asked_for() {
        let mut noise = SeededNoise::new(4);
        let parents: Vec<Genome> = (0..3).map(|_| random_genome(6, &mut noise)).collect();
        for count in [1, 2, 7, 200] {
            assert_eq!(children(&parents, count, 5, &mut noise).len(), count);
        }
        assert_eq!(children(&[vec![3]], 4, 0, &mut noise), vec![vec![3]; 4], "one parent, nothing to swap");
    }
}
