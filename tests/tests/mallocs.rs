//! The mallocs of the registry under the suite: conformance, and for those behind one lock a source that fails.

use std::sync::{PoisonError, RwLock};

use base::lock::Lock;
use base::{Check, Malloc};
use block::{buddy, fit, tlsf};
use compose::growing::Trim;
use compose::{Affix, BlockMalloc, Growing};
use malloc::DropIn;
use malloc::sharded::Sharded;
use malloc::superslab::Superslab;
use malloc::thread_caching::ThreadCaching;
use source::{Failing, os::Os};
use testkit::conformance::{Rule, conformance_some};
use testkit::{Distribution, Generator, Program, Subject, fault, kept};

/// Held for writing by who needs the process alone: the rules that count the addresses that blocks are on, as what other tests
/// free beside them would be handed out to them. All others run beside each other.
static ADDRESSES: RwLock<()> = RwLock::new(());

/// One `#[test]` per malloc of the registry.
macro_rules! conforms {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        module: [$($module:tt)*], settings: $settings:tt, abilities: $abilities:tt,
    })*) => {$(
        #[test]
        fn $id() {
            // For ever, as a process's malloc: so it is told of threads' ends.
            let heap: &'static _ = Box::leak(Box::new($($module)*::new()));
            heap.begin();
            let purge = || {
                heap.trim();
            };
            let small_align = <$($module)*::Malloc as DropIn>::SMALL_ALIGN;
            let holds = |chosen: fn(&Rule) -> bool| {
                let lend = |rule: &mut dyn FnMut(&Subject<'_>)| {
                    let subject = Subject::new(heap).with_check(heap).with_purge(&purge);
                    rule(&subject.with_small_align(small_align));
                };
                conformance_some(&lend, chosen).assert_passed();
            };
            let shared = ADDRESSES.read().unwrap_or_else(PoisonError::into_inner);
            holds(|rule| !rule.counts_addresses());
            drop(shared);
            let _alone = ADDRESSES.write().unwrap_or_else(PoisonError::into_inner);
            holds(Rule::counts_addresses);
        }
    )*};
}

mod conforms {
    use super::*;

    registry::mallocs!(conforms);
}

/// Every call to the source fails once, in programs of every distribution; `ask` asks something of a heap's source.
fn survives<M: Malloc + Check>(
    small_align: usize,
    new: impl Fn(Failing<Os>) -> M,
    trim: impl Fn(&M) -> usize + Sync,
    ask: impl Fn(&M, &mut dyn FnMut(&Failing<Os>)) + Sync,
) {
    let _shared = ADDRESSES.read().unwrap_or_else(PoisonError::into_inner);
    let calls = |heap: &M| {
        let mut calls = 0;
        ask(heap, &mut |source| calls = source.calls());
        calls
    };
    let sweep = |name: &str, program: &Program| {
        let swept = fault::sweep(60, |n| {
            let heap = Box::new(new(Failing::new(Os)));
            let purge = || {
                trim(&heap);
            };
            let faults =
                fault::By(|n| ask(&heap, &mut |source| source.fail_nth(n)), || calls(&heap));
            let subject = Subject::new(&*heap).with_check(&*heap).with_purge(&purge);
            let subject = subject.with_small_align(small_align);
            fault::run(&subject.with_faults(&faults), program, n)
        });
        swept.unwrap_or_else(|swept| panic!("{name}: {swept}"));
    };
    programs(sweep);
}

/// Calls `sweep` with a program of every distribution, and those that once failed.
fn programs(sweep: impl Fn(&str, &Program)) {
    for (distribution, ops) in [
        (Distribution::Small, 250),
        (Distribution::Edges, 250),
        (Distribution::Powers, 150),
        (Distribution::Large, 100),
        (Distribution::Drain, 200),
        (Distribution::Mixed, 250),
    ] {
        let by = Generator { distribution, ops, slots: 24, ..Generator::default() };
        sweep(&distribution.to_string(), &by.program(7));
    }
    for (name, program) in kept::kept() {
        sweep(name, &program);
    }
}

macro_rules! survives {
    ($($name:ident: $small_align:literal, $new:expr, $trim:expr, $ask:expr;)*) => {$(
        #[test]
        fn $name() {
            survives($small_align, $new, $trim, $ask);
        }
    )*};
}

/// One heap behind one lock.
fn locked<A>(inner: A) -> BlockMalloc<Lock<Os>, A> {
    BlockMalloc::new(inner)
}

survives! {
    sharded_survives_a_failing_source:
        16, Sharded::new, |heap| heap.trim_all(), |heap, f| f(heap.source());
    superslab_survives_a_failing_source:
        16, Superslab::new, |heap| heap.trim_all(), |heap, f| f(heap.source());
    thread_caching_survives_a_failing_source:
        8, ThreadCaching::new, |heap| heap.trim_all(), |heap, f| f(heap.source());
    tlsf_survives_a_failing_source:
        16,
        |source| locked(Growing::new(<tlsf::Tlsf>::new(), source)),
        |heap| heap.heap().with(Trim::trim),
        |heap, f| heap.heap().with(|inner| f(inner.source()));
    best_fit_survives_a_failing_source:
        16,
        |source| locked(Growing::new(fit::BestFit::new(), source)),
        |heap| heap.heap().with(Trim::trim),
        |heap, f| heap.heap().with(|inner| f(inner.source()));
    buddy_survives_a_failing_source:
        16,
        |source| locked(Affix::new(Growing::new(buddy::Buddy::new(), source))),
        |heap| heap.heap().with(Trim::trim),
        |heap, f| heap.heap().with(|inner| f(inner.inner().source()));
}
