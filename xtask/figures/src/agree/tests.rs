use super::*;
use bench::stats::Ratio;

fn measured(estimate: f64, margin: f64, noise: f64) -> Measured {
    let (low, high) = (estimate - margin, estimate + margin);
    Measured { ratio: Ratio { estimate, low, high, pairs: 10 }, noise, glibc_seconds: 1.0 }
}

#[test]
fn intervals_with_their_noise_overlap_or_do_not() {
    let of = |a, b| Verdict::of(&a, &b);
    assert_eq!(of(measured(0.80, 0.01, 0.0), measured(0.81, 0.01, 0.0)), Verdict::Agree);
    assert_eq!(of(measured(0.80, 0.01, 0.0), measured(0.84, 0.01, 0.0)), Verdict::Disagree);
    assert_eq!(of(measured(0.80, 0.01, 0.02), measured(0.84, 0.01, 0.02)), Verdict::Agree);
    assert_eq!(of(measured(0.80, 0.01, 0.15), measured(0.84, 0.01, 0.02)), Verdict::TooWide);
    let itself = Ratio { estimate: 1.0, low: 0.98, high: 1.01, pairs: 10 };
    assert!((verdict::floor(&itself) - 0.02).abs() < 1e-9);
}

#[test]
fn the_command_line() {
    let of = |line| crate::parsed::<Options>(line);
    let usual = of("--quick").unwrap();
    assert_eq!((usual.rounds(), usual.workloads.len()), (10, 3));
    assert_eq!(of("larson").unwrap().workloads, ["larson"]);
    for wrong in ["--rounds 2", "--rounds", "--fast"] {
        assert!(of(wrong).is_err(), "{wrong:?}");
    }
}
