use super::*;

/// Workload `i` had `spent` seconds, and a round of it takes `cost`.
fn candidates(all: &[(u64, u64)]) -> Vec<Candidate> {
    let candidate = |(i, &(spent, cost)): (usize, &(u64, u64))| Candidate {
        workload: WorkloadIndex(i),
        cost: Duration::from_secs(cost),
        spent: Duration::from_secs(spent),
    };
    all.iter().enumerate().map(candidate).collect()
}

fn chosen(all: &[(u64, u64)], left: u64) -> Vec<usize> {
    next(&candidates(all), Duration::from_secs(left)).iter().map(|w| w.0).collect()
}

#[test]
fn who_had_less_time_runs() {
    let all = [(170, 17), (20, 2), (50, 5), (30, 3)];
    assert_eq!(chosen(&all, 10), [1]);
    assert_eq!(chosen(&all, 30), [1, 3]);
    assert_eq!(chosen(&all, 200), [1, 2, 3]);
    assert_eq!(chosen(&all, 1000), [0, 1, 2, 3]);
}

#[test]
fn all_take_turns_where_a_round_of_nobody_fits() {
    assert_eq!(chosen(&[(50, 5), (51, 5)], 1), [0, 1]);
    assert_eq!(chosen(&[(50, 5)], 0), [0]);
    assert_eq!(chosen(&[], 60), [0; 0]);
}

/// A minute each in the end, whatever a round takes.
#[test]
fn in_the_end_all_had_the_same_time() {
    let mut all = [(170, 17), (20, 2), (50, 5), (30, 3), (40, 4)];
    let mut left = 300 - 140;
    loop {
        let next = chosen(&all, left);
        let costs: u64 = next.iter().map(|&w| all[w].1).sum();
        if costs > left {
            break;
        }
        left -= costs;
        next.iter().for_each(|&w| all[w].0 += all[w].1);
    }
    assert_eq!(all[0].0, 170);
    for (spent, cost) in &all[1..] {
        assert!((75 - 2 * cost..=75 + cost).contains(spent), "{all:?}");
    }
}
