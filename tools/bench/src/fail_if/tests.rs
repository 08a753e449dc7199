use super::*;

fn named(workload: &str, allocator: &str, metric: Metric, estimate: f64) -> Named {
    let workload = (!workload.is_empty()).then(|| workload.to_owned());
    let ratio = Ratio { estimate, low: estimate - 0.01, high: estimate + 0.01, pairs: 9 };
    Named { workload, allocator: allocator.to_owned(), metric, ratio }
}

fn figures() -> Vec<Named> {
    vec![
        named("larson", "heapwright", Metric::Time, 0.90),
        named("cfrac", "heapwright", Metric::Time, 1.10),
        named("cfrac", "heapwright", Metric::Memory, 1.30),
        named("", "heapwright", Metric::Time, 1.00),
        named("larson", "jemalloc", Metric::Time, 1.50),
        named("", "jemalloc", Metric::Time, 1.20),
    ]
}

fn fails(rule: &str) -> bool {
    parse(rule).unwrap().strict(true).check(&figures(), true).is_failure()
}

#[test]
fn one_round_is_judged_without_an_interval_and_says_so() {
    let rule = parse("cfrac>1.05").unwrap();
    let mut once = named("cfrac", "heapwright", Metric::Time, 1.145);
    once.ratio = Ratio { estimate: 1.145, low: 1.145, high: 1.145, pairs: 1 };
    let sentence = rule.sentence(&rule.check(&[once], true));
    assert!(
        sentence.ends_with(": 1.145 (one round: no interval, noise alone may decide)"),
        "{sentence}"
    );
}

#[test]
fn the_interval_decides_unless_strict() {
    // Of each the interval is the estimate ± 0.01.
    for (rule, by_interval, by_estimate) in [
        ("cfrac>1.05", true, true),
        ("cfrac>1.095", false, true),
        ("cfrac>1.105", false, false),
        ("larson<0.95", true, true),
        ("larson<0.905", false, true),
        ("max>1.095", false, true),
        ("max<1.105", false, true),
        ("larson.ns>9", true, true),
    ] {
        let rule = parse(rule).unwrap();
        let is_failure = |strict| rule.strict(strict).check(&figures(), true).is_failure();
        assert_eq!((is_failure(false), is_failure(true)), (by_interval, by_estimate), "{rule:?}");
    }
}

#[test]
fn what_a_rule_is_about() {
    assert!(!fails("geomean>1.02"), "ours, unless another is named");
    assert!(fails("geomean@jemalloc > 1.02"));
    assert!(fails("geomean>=1.00") && fails("geomean<=1.00"));
    assert!(!fails("geomean>1.00") && !fails("geomean<1.00"));
    assert!(fails(" max > 1.05 ") && !fails("max>1.2") && fails("max@jemalloc>1.2"));
    assert!(fails("max.memory>1.2") && fails("cfrac.memory@heapwright>1.2"));
    assert!(fails("larson<0.95") && !fails("larson.time<0.85"));
    assert!(fails("larson.ns>9"), "what cannot be judged has not passed");
    let mut others = figures();
    others.retain(|r| r.allocator != "heapwright");
    let rule = parse("geomean>1.02").unwrap();
    assert!(rule.check(&others, false).is_failure(), "any, without ours");
    others
        .iter_mut()
        .for_each(|r| r.ratio = Ratio { estimate: 0.5, low: 0.5, high: 0.5, pairs: 9 });
    assert_eq!(
        rule.check(&others, true),
        Verdict::NoFigure,
        "ours failed, others do not stand for it"
    );
}

#[test]
fn what_is_said() {
    let rule = parse("max>1.095").unwrap();
    assert_eq!(
        rule.sentence(&rule.check(&figures(), true)),
        "fail-if  max>1.095: passed: cfrac, time of heapwright: 1.100 [1.090, 1.110]; \
         the estimate is beyond the bound, not the whole interval: --strict would fail"
    );
    let rule = parse("max>1.105").unwrap().strict(true);
    let verdict = rule.check(&figures(), true);
    assert_eq!(verdict, Verdict::Passed(figures()[1].clone()));
    assert_eq!(
        rule.sentence(&verdict),
        "fail-if  max>1.105: passed: cfrac, time of heapwright: 1.100 [1.090, 1.110]; \
         the bound lies in the interval: another measurement may say otherwise"
    );
    let rule = parse("geomean@jemalloc>1.02").unwrap();
    assert_eq!(
        rule.sentence(&rule.check(&figures(), true)),
        "fail-if  geomean@jemalloc>1.02: FAILED: geometric mean, time of jemalloc: 1.200 [1.190, 1.210]"
    );
}

#[test]
fn what_is_wrong_with_it() {
    let said = |rule: &str| match parse(rule) {
        Err(Error::Form { at, expected, found, .. }) => format!("{at} {expected} {found}"),
        other => panic!("{rule}: {other:?}"),
    };
    assert_eq!(said(""), "1 geomean, max or the name of a workload the end");
    assert_eq!(said(">1.02"), "1 geomean, max or the name of a workload '>1.02'");
    assert_eq!(said("geomean"), "8 >, >=, < or <= the end");
    assert_eq!(said("geomean=1"), "8 >, >=, < or <= '=1'");
    assert_eq!(
        said("geomean.tme>1"),
        "9 time, memory, ns or cpu, or of --counted instructions, d1, ll, faults or calls 'tme>1'"
    );
    assert_eq!(said("geomean@ >1"), "10 the name of an allocator '>1'");
    assert_eq!(said("geomean>>1.02"), "9 a ratio above 0, such as 1.02 '>1.02'");
    assert_eq!(said("geomean>2%"), "9 a ratio above 0, such as 1.02 '2%'");
    assert_eq!(said("größe >"), "8 a ratio above 0, such as 1.02 the end");
    assert_eq!(said("max>nan"), "5 a ratio above 0, such as 1.02 'nan'");
    assert_eq!(said("max>0"), "5 a ratio above 0, such as 1.02 '0'");
}

#[test]
fn names_may_have_signs_in_them() {
    let rule = parse("larson:threads=8.memory@magazine=0 >= 1.5").unwrap();
    assert_eq!(rule.known(&["larson:threads=8"], &["magazine=0"]), Ok(()));
    let ratio = named("larson:threads=8", "magazine=0", Metric::Memory, 1.6);
    assert!(rule.check(&[ratio], true).is_failure());
}

#[test]
fn names_that_do_not_take_part() {
    let known = |rule: &str| {
        parse(rule).unwrap().known(&["larson", "my.program"], &["heapwright", "glibc"])
    };
    assert_eq!(known("larson.memory@glibc>1"), Ok(()));
    assert_eq!(known("my.program>1"), Ok(()));
    let said = known("larsen>1").unwrap_err().to_string();
    assert_eq!(said, "--fail-if 'larsen>1': there is no workload larsen; close to it: larson");
    assert!(known("larson.tme>1").unwrap_err().to_string().ends_with("close to it: larson"));
    let said = known("max@glib>1").unwrap_err().to_string();
    assert_eq!(said, "--fail-if 'max@glib>1': there is no allocator glib; close to it: glibc");
}
