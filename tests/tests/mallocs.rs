//! The mallocs of the registry under the suite: conformance, and for those behind one lock a source that fails.

use std::sync::{PoisonError, RwLock};

use base::lock::Lock;
use base::{Check, Malloc};
use block::{buddy, fit, tlsf};
use compose::growing::{AllocateFresh, Trim};
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

type Grown<A> = Growing<A, Failing<Os>>;

/// Every call to the source fails once, in programs of every distribution.
fn survives<A>(new: impl Fn() -> BlockMalloc<Lock<Os>, A>, source: fn(&mut A) -> &Failing<Os>)
where
    A: AllocateFresh + Trim + base::Free + base::UsableSize + base::ResizeInPlace + Send,
    BlockMalloc<Lock<Os>, A>: Malloc + Check,
{
    let _shared = ADDRESSES.read().unwrap_or_else(PoisonError::into_inner);
    let sweep = |name: &str, program: &Program| {
        let swept = fault::sweep(60, |n| {
            let heap = new();
            let purge = || {
                heap.heap().with(Trim::trim);
            };
            let faults = fault::By(
                |n| heap.heap().with(|inner| source(inner).fail_nth(n)),
                || heap.heap().with(|inner| source(inner).calls()),
            );
            let subject = Subject::new(&heap).with_check(&heap).with_purge(&purge);
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

/// As [`survives`], for a malloc that is none behind one lock.
macro_rules! malloc_survives {
    ($($name:ident: $new:expr, $trim:expr, $small_align:expr;)*) => {$(
        #[test]
        fn $name() {
            let _shared = ADDRESSES.read().unwrap_or_else(PoisonError::into_inner);
            let sweep = |name: &str, program: &Program| {
                let swept = fault::sweep(60, |n| {
                    let heap = Box::new($new(Failing::new(Os)));
                    let purge = || {
                        $trim(&heap);
                    };
                    let faults =
                        fault::By(|n| heap.source().fail_nth(n), || heap.source().calls());
                    let subject = Subject::new(&*heap).with_check(&*heap).with_purge(&purge);
                    let subject = subject.with_small_align($small_align);
                    fault::run(&subject.with_faults(&faults), program, n)
                });
                swept.unwrap_or_else(|swept| panic!("{name}: {swept}"));
            };
            programs(sweep);
        }
    )*};
}

malloc_survives! {
    sharded_survives_a_failing_source:
        Sharded::new, Sharded::trim_all, 16;
    superslab_survives_a_failing_source:
        Superslab::new, Superslab::trim_all, 16;
    thread_caching_survives_a_failing_source:
        ThreadCaching::new, ThreadCaching::trim_all, 8;
}

#[test]
fn tlsf_survives_a_failing_source() {
    survives(
        || BlockMalloc::new(Grown::new(<tlsf::Tlsf>::new(), Failing::new(Os))),
        |inner: &mut Grown<tlsf::Tlsf>| inner.source(),
    );
}

#[test]
fn best_fit_survives_a_failing_source() {
    survives(
        || BlockMalloc::new(Grown::new(fit::BestFit::new(), Failing::new(Os))),
        |inner: &mut Grown<fit::BestFit>| inner.source(),
    );
}

#[test]
fn buddy_survives_a_failing_source() {
    survives(
        || BlockMalloc::new(Affix::new(Grown::new(buddy::Buddy::new(), Failing::new(Os)))),
        |inner: &mut Affix<Grown<buddy::Buddy>>| inner.inner().source(),
    );
}
