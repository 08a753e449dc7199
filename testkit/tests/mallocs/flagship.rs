//! The flagship under the whole suite: conformance, kept programs, and a source that fails.
use heapwright_testkit::conformance::conformance_some;
use heapwright_testkit::{Distribution, Generator, Subject, fault, kept};
use malloc::{Flagship, HEAP};
use source::{Failing, os::Os};
use thread::tls::solo::SoloTls;

#[test]
fn it_conforms() {
    let purge = || {
        HEAP.purge();
    };
    let lend = |rule: &mut dyn FnMut(&Subject<'_>)| {
        rule(&Subject::new(&HEAP).with_check(&HEAP).with_purge(&purge));
    };
    conformance_some(&lend, |_| true).assert_passed();
}

/// Every call to the source fails once, in programs of every distribution.
fn sweep(distribution: Distribution, ops: usize) {
    for seed in 0..2 {
        let by = Generator { distribution, ops, slots: 24, ..Generator::default() };
        let program = by.program(seed);
        let failed = fault::sweep(200, |n| {
            let heap = Flagship::new(Failing::new(Os), SoloTls::new());
            let purge = || {
                heap.purge();
            };
            let source = fault::By(|n| heap.source().fail_nth(n), || heap.source().calls());
            let subject = Subject::new(&heap).with_check(&heap).with_purge(&purge);
            fault::run(&subject.with_faults(&source), &program, n)
        });
        let failed = failed.unwrap_or_else(|swept| panic!("{distribution}, {seed}: {swept}"));
        assert!(failed > 2, "{distribution}, {seed}: only {failed} calls could fail");
    }
}

#[test]
fn small_blocks_survive_a_failing_source() {
    sweep(Distribution::Small, 250);
    sweep(Distribution::Edges, 250);
}

#[test]
fn runs_survive_a_failing_source() {
    sweep(Distribution::Powers, 150);
    sweep(Distribution::Large, 100);
}

#[test]
fn mappings_survive_a_failing_source() {
    sweep(Distribution::Huge, 40);
}

#[test]
fn mixtures_survive_a_failing_source() {
    sweep(Distribution::Drain, 200);
    sweep(Distribution::Mixed, 250);
}

#[test]
fn kept_programs_survive_a_failing_source() {
    for (name, program) in kept::kept() {
        let swept = fault::sweep(50, |n| {
            let heap = Flagship::new(Failing::new(Os), SoloTls::new());
            let source = fault::By(|n| heap.source().fail_nth(n), || heap.source().calls());
            let subject = Subject::new(&heap).with_check(&heap);
            fault::run(&subject.with_faults(&source), &program, n)
        });
        swept.unwrap_or_else(|swept| panic!("{name}: {swept}"));
    }
}
