//! Mallocs on a system that promises no more than it has: what is free is promised to others, and a refusal is null.
use base::{Check, Malloc};
use heapwright_testkit::run::Nulls;
use heapwright_testkit::{Distribution, Generator, Op, Options, Program, Subject, fault, run};
use malloc::Flagship;
use malloc::sharded::Sharded;
use malloc::superslab::Superslab;
use malloc::thread_caching::ThreadCaching;
use source::PageSource as _;
use thread::tls::solo::SoloTls;

mod strict;

use strict::Strict;

const MIB: usize = 1 << 20;

/// A malloc on such a system, which knows that it is one.
trait OnStrict: Malloc + Check + Sized {
    fn new(source: Strict) -> Box<Self>;
    fn source(&self) -> &Strict;
    fn trim(&self);
}

impl OnStrict for Flagship<Strict, SoloTls> {
    fn new(source: Strict) -> Box<Self> {
        let heap = Box::new(Flagship::new(source, SoloTls::new()));
        heap.before_confinement();
        heap
    }

    fn source(&self) -> &Strict {
        self.source()
    }

    fn trim(&self) {
        self.purge();
    }
}

/// A classic malloc looks when a second thread allocates.
macro_rules! classic {
    ($($malloc:ident)*) => {$(
        impl OnStrict for $malloc<Strict> {
            fn new(source: Strict) -> Box<Self> {
                let heap = Box::new($malloc::new(source));
                let touch = || {
                    let block = heap.malloc(1);
                    assert!(!block.is_null());
                    // SAFETY: allocated above.
                    unsafe { heap.free(block) };
                };
                touch();
                std::thread::scope(|scope| scope.spawn(touch).join().expect("it ends"));
                heap
            }

            fn source(&self) -> &Strict {
                self.source()
            }

            fn trim(&self) {
                self.trim_all();
            }
        }
    )*};
}

classic!(Sharded Superslab ThreadCaching);

/// Programs of every distribution that give back all the time, under the shadow model, on a system of `limit` bytes.
fn programs(ops: usize) -> impl Iterator<Item = (Distribution, Program)> {
    Distribution::ALL.into_iter().map(move |distribution| {
        let ops = if distribution == Distribution::Huge { ops / 5 } else { ops };
        let by = Generator { distribution, ops, slots: 32, ..Generator::default() };
        let mut program = by.program(5);
        program.ops.retain(|op| *op != Op::Fork);
        program.ops = program.ops.chunks(9).flat_map(|ops| [ops, &[Op::Purge]].concat()).collect();
        (distribution, program)
    })
}

fn lives_on<M: OnStrict>(small_align: usize) {
    for limit in [24 * MIB, 160 * MIB, 1 << 40] {
        for (distribution, program) in programs(600) {
            let heap = M::new(Strict::new(limit));
            let purge = || heap.trim();
            let subject = Subject::new(&*heap).with_check(&*heap).with_purge(&purge);
            let nulls = if limit == 1 << 40 { Nulls::Wrong } else { Nulls::Allowed };
            let options = Options { nulls, small_align, ..Options::default() };
            let ran = run(&subject, &program, &options);
            ran.unwrap_or_else(|failure| panic!("{distribution}, {limit}: {failure}"));
        }
    }
}

/// Each call in turn is refused, those that give up and take back among them.
fn survives<M: OnStrict>(small_align: usize) {
    for (distribution, program) in programs(80) {
        let swept = fault::sweep(100, |n| {
            let heap = M::new(Strict::new(1 << 40));
            let purge = || heap.trim();
            let inner = &heap.source().inner;
            let faults = fault::By(|n| inner.fail_nth(n), || inner.calls());
            let subject = Subject::new(&*heap).with_check(&*heap).with_purge(&purge);
            fault::run(&subject.with_faults(&faults).with_small_align(small_align), &program, n)
        });
        swept.unwrap_or_else(|swept| panic!("{distribution}: {swept}"));
    }
}

/// Blocks until the system promises no more.
fn fill(heap: &impl Malloc, size: usize) -> Vec<*mut u8> {
    core::iter::from_fn(|| Some(heap.malloc(size)).filter(|block| !block.is_null())).collect()
}

fn free(heap: &impl Malloc, blocks: Vec<*mut u8>) {
    // SAFETY: live blocks of this heap.
    blocks.into_iter().for_each(|block| unsafe { heap.free(block) });
}

/// What was full and is free is promised to others after a trim, and to other sizes at once.
fn gives_up<M: OnStrict>() {
    const LIMIT: usize = 256 * MIB;
    let heap = M::new(Strict::new(LIMIT));
    let start = heap.source().charged();
    for size in [100, 5000, 40_000, 200_000, MIB, 5 * MIB, 100] {
        let blocks = fill(&*heap, size);
        assert!(blocks.len() * size > LIMIT / 3, "{size}: {}", blocks.len());
        let full = heap.source().charged().saturating_sub(start);
        free(&*heap, blocks);
        let large = heap.malloc(LIMIT * 3 / 4);
        assert!(!large.is_null(), "after blocks of {size}");
        free(&*heap, vec![large]);
        heap.check().expect("intact");
        heap.trim();
        let trimmed = heap.source().charged().saturating_sub(start);
        assert!(trimmed <= full / 10, "{size}: {full}, {trimmed}");
        let others = heap.source().map(LIMIT * 3 / 4, 4096).expect("promised");
        // SAFETY: mapped above.
        assert!(unsafe { heap.source().release(others, LIMIT * 3 / 4) });
        heap.check().expect("intact");
    }
}

macro_rules! on_strict {
    ($($module:ident: $malloc:ty, $small_align:expr;)*) => {$(
        mod $module {
            use super::*;

            #[test]
            fn lives_on_it() {
                lives_on::<$malloc>($small_align);
            }

            #[test]
            fn gives_up_what_is_free() {
                gives_up::<$malloc>();
            }
        }
    )*};
}

#[test]
fn flagship_survives_refusals() {
    survives::<Flagship<Strict, SoloTls>>(16);
}

#[test]
fn thread_caching_survives_refusals() {
    survives::<ThreadCaching<Strict>>(8);
}

on_strict! {
    flagship: Flagship<Strict, SoloTls>, 16;
    thread_caching: ThreadCaching<Strict>, 8;
    sharded: Sharded<Strict>, 16;
    superslab: Superslab<Strict>, 16;
}
