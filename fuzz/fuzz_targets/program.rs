//! Any bytes, read as a program, on a flagship; the first byte may make a source call fail.
//!
//! The flagship lives on: every run frees all and purges. A failure prints the program, which
//! `-minimize_crash=1` makes smaller.
#![no_main]
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use malloc::Flagship;
use source::{Failing, os::Os};
use testkit::{Program, Subject, fault};
use thread::tls::solo::SoloTls;

static HEAP: LazyLock<Flagship<Failing<Os>, SoloTls>> =
    LazyLock::new(|| Flagship::new(Failing::new(Os), SoloTls::new()));

fuzz_target!(|data: &[u8]| {
    let Some((&n, rest)) = data.split_first() else { return };
    let n = u64::from(n % 32);
    let program = Program::from_bytes(rest, 16, 1 << 20);
    let purge = || {
        HEAP.purge();
    };
    let source = fault::By(|n| HEAP.source().fail_nth(n), || HEAP.source().calls());
    let subject = Subject::new(&*HEAP).with_check(&*HEAP).with_purge(&purge);
    if let Err(failure) = fault::run(&subject.with_faults(&source), &program, n) {
        panic!("with source call {n} failing (0: none): {failure}\n{program}");
    }
    purge();
});
