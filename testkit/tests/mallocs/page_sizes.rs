//! The flagship on sources with larger pages: every call speaks of whole pages, contents stay, structures hold.
use heapwright_testkit::{Distribution, Generator, Options, Subject, run};
use malloc::Flagship;
use source::{Paged, os::Os};
use thread::tls::solo::SoloTls;

/// Programs of every distribution under the shadow model, with `PAGE` bytes a page.
fn programs<const PAGE: usize>() {
    for distribution in Distribution::ALL {
        let ops = if distribution == Distribution::Huge { 60 } else { 400 };
        let by = Generator { distribution, ops, slots: 40, ..Generator::default() };
        for seed in 0..3 {
            let heap = Flagship::new(Paged::<Os, PAGE>::new(Os), SoloTls::new());
            let purge = || {
                heap.purge();
            };
            let subject = Subject::new(&heap).with_check(&heap).with_purge(&purge);
            let ran = run(&subject, &by.program(seed), &Options::default());
            if let Err(failure) = ran {
                panic!("pages of {PAGE}, {distribution}, {seed}: {failure}");
            }
            assert_eq!(heap.source().strays(), 0, "pages of {PAGE}, {distribution}, {seed}");
        }
    }
}

#[test]
fn pages_of_4_kib() {
    programs::<4096>();
}

#[test]
fn pages_of_16_kib() {
    programs::<16_384>();
}

#[test]
fn pages_of_64_kib() {
    programs::<65_536>();
}
