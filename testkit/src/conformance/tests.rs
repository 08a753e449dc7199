use super::*;
use crate::c::C;
use crate::toys::{Flaw, Toy};

#[test]
fn the_right_toy_passes() {
    conformance_checked(|| Toy::new(Flaw::None)).assert_passed();
}

#[test]
fn the_c_malloc_of_this_process_passes() {
    conformance(C::new).assert_passed();
}

fn failed(flaw: Flaw) -> Vec<&'static str> {
    let report = conformance_checked(|| Toy::new(flaw));
    let failed = report.outcomes.iter().filter(|outcome| outcome.result.is_err());
    failed.map(|outcome| outcome.rule.name).collect()
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
        let failed = failed(flaw);
        assert!(failed.contains(&rule), "{flaw:?} failed only {failed:?}");
    }
}

#[test]
fn a_report_names_the_rule_and_what_is_wrong() {
    let lend = |rule: &mut dyn FnMut(&Subject<'_>)| rule(&Subject::new(&Toy::new(Flaw::Refuses)));
    let report = conformance_some(&lend, |rule| rule.name == "sizes").to_string();
    assert!(report.starts_with("FAILED sizes"), "{report}");
    assert!(report.contains("operation 513 (malloc 9 513): null: 513 bytes"), "{report}");
}
