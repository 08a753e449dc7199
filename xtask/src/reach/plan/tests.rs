use super::*;

fn sample(round: u32, allocator: &str, value: f64) -> Sample {
    let values = Values::from([("key".to_owned(), value)]);
    Sample { round, workload: "work".to_owned(), allocator: allocator.to_owned(), values }
}

#[test]
fn medians_are_the_middle_or_the_mean_of_the_two_middle_values() {
    assert_eq!(median(vec![]), None);
    assert_eq!(median(vec![5.0, 1.0, 3.0]), Some(3.0));
    assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
}

#[test]
fn an_allocator_that_failed_once_has_no_median() {
    let all = vec![sample(1, "a", 1.0), sample(1, "b", 2.0), sample(2, "b", 4.0)];
    let mut samples = Samples { all, ..Samples::default() };
    samples.failures.insert(("work".to_owned(), "a".to_owned()), "it crashed".to_owned());
    assert_eq!(samples.median("work", "a", "key"), None);
    assert_eq!(samples.median("work", "b", "key"), Some(3.0));
    assert_eq!(samples.median("work", "b", "other"), None);
}

#[test]
fn a_shuffle_keeps_every_item() {
    let mut items: Vec<u32> = (0..100).collect();
    Order::seeded().shuffle(&mut items);
    assert_ne!(items, (0..100).collect::<Vec<_>>());
    items.sort_unstable();
    assert_eq!(items, (0..100).collect::<Vec<_>>());
}
