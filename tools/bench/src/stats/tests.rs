use super::*;

fn some(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn medians_by_hand() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[3.0]), Some(3.0));
    assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 30.0]), Some(3.0));
}

#[test]
fn the_ratio_is_the_median_of_the_pairs_not_of_the_columns() {
    // The machine slows down by a factor of 8 over the session; in each round the subject takes half the time.
    let baseline = some(&[1.0, 2.0, 4.0, 8.0]);
    let subject = some(&[0.5, 1.0, 2.0, 4.0]);
    let ratio = Ratio::paired(&subject, &baseline, RESAMPLES, 1).unwrap();
    assert!(close(ratio.estimate, 0.5) && close(ratio.low, 0.5) && close(ratio.high, 0.5));
    assert!(!ratio.is_same());
    assert_eq!(ratio.pairs, 4);
}

#[test]
fn few_pairs_by_hand() {
    // Of two pairs the geometric middle. Of the four equally likely resamples one is (2, 2) and one is (8, 8): each has 25 %, so both
    // ends are reached. Of three pairs there are 27 resamples: the median is the smallest value in 7 of them, the largest in 7.
    for (values, wanted) in
        [(&[2.0, 8.0][..], [4.0, 2.0, 8.0]), (&[0.9, 1.1, 1.3], [1.1, 0.9, 1.3])]
    {
        let baseline = vec![Some(1.0); values.len()];
        let ratio = Ratio::paired(&some(values), &baseline, RESAMPLES, 5).unwrap();
        let found = [ratio.estimate, ratio.low, ratio.high];
        assert!(found.iter().zip(wanted).all(|(found, wanted)| close(*found, wanted)), "{ratio:?}");
        assert!(close(ratio.margin(), wanted[2] - wanted[0]));
        assert_eq!(ratio.is_same(), values.len() == 3);
    }
}

#[test]
fn eleven_pairs_by_hand() {
    // The median of a resample is at most the k-th smallest value when 6 or more of 11 draws are:
    //   P(k=2) = Σ_{j≥6} C(11,j) (2/11)^j (9/11)^(11-j) = 0.0072    P(k=3) = 0.0512
    // so the 2.5 % point is the third smallest, and by symmetry the 97.5 % point the third largest.
    let values = [1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09, 1.10, 1.11];
    for seed in 0..10 {
        let ratio = Ratio::paired(&some(&values), &some(&[1.0; 11]), RESAMPLES, seed).unwrap();
        assert!(close(ratio.estimate, 1.06));
        assert!(close(ratio.low, 1.03) && close(ratio.high, 1.09), "{ratio:?}");
        assert!(!ratio.is_same());
    }
}

#[test]
fn half_missing_pairs_and_zeros_do_not_count() {
    let subject = [Some(2.0), None, Some(6.0), Some(0.0), Some(4.0)];
    let baseline = [Some(1.0), Some(1.0), Some(2.0), Some(1.0), None];
    let ratio = Ratio::paired(&subject, &baseline, RESAMPLES, 1).unwrap();
    assert_eq!(ratio.pairs, 2);
    assert!(close(ratio.low, 2.0) && close(ratio.high, 3.0));
    assert_eq!(Ratio::paired(&[None], &[Some(1.0)], RESAMPLES, 1), None);
    assert_eq!(Ratio::paired(&[], &[], RESAMPLES, 1), None);
}

#[test]
fn the_same_seed_gives_the_same_interval() {
    let subject = some(&[1.0, 1.2, 0.9, 1.1, 1.4, 0.8, 1.0, 1.3]);
    let baseline = some(&[1.1, 1.0, 1.0, 0.9, 1.2, 1.0, 1.1, 1.0]);
    let of = |seed| Ratio::paired(&subject, &baseline, 200, seed).unwrap();
    assert_eq!(of(9), of(9));
}

#[test]
fn an_interval_covers_the_truth_nineteen_times_of_twenty() {
    // 400 experiments of 21 pairs each, noise of some per cent, true ratio 1: the interval may miss about 5 % of them.
    let mut rng = Rng::with_seed(77);
    let mut noise = || 1.0 + 0.05 * (rng.f64() - 0.5);
    let misses = (0..400)
        .filter(|&seed| {
            let subject: Vec<_> = (0..21).map(|_| Some(noise())).collect();
            let baseline: Vec<_> = (0..21).map(|_| Some(noise())).collect();
            !Ratio::paired(&subject, &baseline, 500, seed).unwrap().is_same()
        })
        .count();
    assert!((4..=40).contains(&misses), "{misses} of 400 intervals missed");
}

fn mean_of(one: OnePair, ratios: &[(usize, f64)]) -> Ratio {
    let pair = |&(n, ratio): &(usize, f64)| (vec![Some(ratio); n], vec![Some(1.0); n]);
    geometric_mean(&ratios.iter().map(pair).collect::<Vec<_>>(), one, 100, 1).unwrap()
}

#[test]
fn a_figure_of_one_pass_does_not_make_the_mean_one_of_one_round() {
    let mean = mean_of(OnePair::Exact, &[(8, 2.0), (1, 0.5), (7, 1.0)]);
    assert_eq!(mean.pairs, 7);
    assert!(close(mean.estimate, 1.0), "{mean:?}");
    assert_eq!(mean_of(OnePair::Exact, &[(1, 2.0), (1, 0.5)]).pairs, 1);
}

#[test]
fn a_time_measured_once_leaves_the_interval_of_the_mean_unknown() {
    assert_eq!(mean_of(OnePair::Unknown, &[(8, 2.0), (1, 0.5), (7, 1.0)]).pairs, 1);
    assert_eq!(mean_of(OnePair::Unknown, &[(8, 2.0), (7, 1.0)]).pairs, 7);
}
