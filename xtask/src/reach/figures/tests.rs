use super::*;
use crate::reach::measure::Values;
use crate::reach::plan::Sample;

fn samples(values: &[(&str, &[f64])]) -> Samples {
    let mut samples = Samples::default();
    for (allocator, rounds) in values {
        for (round, value) in (1u32..).zip(*rounds) {
            samples.all.push(Sample {
                round,
                workload: "work".to_owned(),
                allocator: (*allocator).to_owned(),
                values: Values::from([("key".to_owned(), *value)]),
            });
        }
    }
    samples
}

fn figure(against: Against, at_most: f64) -> Figure {
    Figure {
        says: "it".to_owned(),
        key: "key".to_owned(),
        divide: 1.0,
        against,
        at_most,
        unit: "KiB".to_owned(),
    }
}

const NAMES: [&str; 2] = [GLIBC, "other"];

fn names() -> Names<'static> {
    Names { subject: "ours", peers: NAMES.to_vec() }
}

#[test]
fn a_ratio_is_that_of_medians_to_the_best_peer() {
    let samples = samples(&[
        ("ours", &[1.0, 3.0, 2.0]),
        (GLIBC, &[4.0, 4.0, 4.0]),
        ("other", &[2.0, 2.0, 9.0]),
    ]);
    let found = line(&figure(Against::BestPeer, 1.0), "work", &samples, &names());
    assert_eq!(found.figure, "1.000 × other");
    assert_eq!(found.spread, "0.222 – 1.500");
    assert!(found.holds);
    assert!(!line(&figure(Against::Glibc, 0.4), "work", &samples, &names()).holds);
}

#[test]
fn a_difference_from_glibc_and_a_plain_value_have_units() {
    let samples = samples(&[("ours", &[1600.0]), (GLIBC, &[1100.0])]);
    let above = line(&figure(Against::AboveGlibc, 585.9), "work", &samples, &names());
    assert_eq!((above.figure.as_str(), above.holds), ("500.0 KiB", true));
    let plain = line(&figure(Against::Nothing, 1562.0), "work", &samples, &names());
    assert_eq!((plain.figure.as_str(), plain.holds), ("1600 KiB", false));
}

#[test]
fn what_did_not_run_does_not_hold() {
    let found = line(&figure(Against::Nothing, 1.0), "work", &Samples::default(), &names());
    assert_eq!((found.figure.as_str(), found.holds), ("did not run", false));
}

#[test]
fn a_geometric_mean_needs_every_value() {
    assert_eq!(geometric([Some(1.0), None].into_iter()), None);
    let mean = geometric([Some(2.0), Some(8.0)].into_iter());
    assert!(mean.is_some_and(|m| (m - 4.0).abs() < 1e-9));
}
