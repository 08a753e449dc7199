use super::*;
use crate::toys::{Flaw, Toy};

#[test]
fn the_right_toy_passes() {
    conformance(|| Toy::new(Flaw::None)).assert_passed();
}

fn report(flaw: Flaw, name: &str) -> Report {
    let lend = |rule: &mut dyn FnMut(&Subject<'_>)| {
        let toy = Toy::new(flaw);
        rule(&Subject::new(&toy).with_check(&toy));
    };
    let report = conformance_some(&lend, |rule| rule.name == name);
    assert_eq!(report.text.matches(" ms  ").count(), 1, "there is a rule called {name}");
    report
}

#[test]
fn flaws_fail_the_rules_that_name_them() {
    for (flaw, rule) in [
        (Flaw::Misaligned, "sizes"),
        (Flaw::ForgetsOnRealloc, "realloc"),
        (Flaw::DirtyCalloc, "calloc"),
        (Flaw::ShortUsable, "usable"),
        (Flaw::Refuses, "sizes"),
        (Flaw::Wraps, "impossible"),
        (Flaw::Miscounts, "exit"),
    ] {
        assert_eq!(report(flaw, rule).failed, 1, "{flaw:?} passes {rule}");
    }
}

#[test]
fn a_report_names_the_rule_and_what_is_wrong() {
    let report = report(Flaw::Refuses, "sizes").text;
    assert!(report.starts_with("FAILED sizes"), "{report}");
    assert!(report.contains("operation 513 (malloc 9 513): null: 513 bytes"), "{report}");
}
