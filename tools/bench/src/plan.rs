//! The order of one round: every subject once, freshly shuffled, so that drift of the machine hits all alike.

use crate::rng::Rng;

/// Hands out the order of each round; the same seed gives the same orders.
#[derive(Debug, Clone)]
pub struct Plan {
    subjects: usize,
    rng: Rng,
}

impl Plan {
    /// A plan for `subjects` subjects.
    #[must_use]
    pub fn new(subjects: usize, seed: u64) -> Self {
        Self { subjects, rng: Rng::new(seed) }
    }

    /// The next round: the indices `0..subjects` in a random order.
    pub fn round(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.subjects).collect();
        self.rng.shuffle(&mut order);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_runs_everyone_once_and_orders_differ() {
        let mut plan = Plan::new(4, 42);
        let rounds: Vec<Vec<usize>> = (0..50).map(|_| plan.round()).collect();
        for round in &rounds {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
        }
        let mut distinct = rounds.clone();
        distinct.sort();
        distinct.dedup();
        assert!(distinct.len() > 12, "{} of 24 orders", distinct.len());
        for place in 0..4 {
            let firsts = rounds.iter().filter(|r| r[0] == place).count();
            assert!((4..=24).contains(&firsts), "subject {place} came first {firsts} times of 50");
        }
    }

    #[test]
    fn the_seed_decides() {
        let orders = |seed| {
            let mut plan = Plan::new(6, seed);
            [plan.round(), plan.round()]
        };
        assert_eq!(orders(1), orders(1));
        assert_ne!(orders(1), orders(2));
    }
}
