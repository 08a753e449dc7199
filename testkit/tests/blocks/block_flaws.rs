//! The suite finds what is wrong: first fit with one flaw each.
use core::alloc::Layout;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use base::{AddError, AddMemory, BlockAllocator, BlockStats, Broken, Check, Piece, Stats, Walk};
use block::fit::FirstFit;
use heapwright_testkit::block::{Kind, conformance};

const NONE: u8 = 0;
const MISALIGNED: u8 = 1;
const TWICE: u8 = 2;
const DIRTY: u8 = 3;
const FORGETS: u8 = 4;
const LEAKS: u8 = 5;
const MISCOUNTS: u8 = 6;
const REFUSES: u8 = 7;
const BEYOND: u8 = 8;
const TAKES_NULL: u8 = 9;
const HIDES: u8 = 10;

#[derive(Default)]
struct Flawed<const FLAW: u8> {
    heap: FirstFit,
    calls: usize,
    last: Option<NonNull<u8>>,
}

impl<const FLAW: u8> AddMemory for Flawed<FLAW> {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        if FLAW == TAKES_NULL && start.is_null() {
            return Ok(());
        }
        let len = if FLAW == BEYOND && (2049..1 << 20).contains(&len) { len + 64 } else { len };
        // SAFETY: the caller's promise; beyond it are the suite's guards.
        unsafe { self.heap.add_memory(start, len) }
    }
}

// SAFETY: it is not what it says, as the test is to find out.
unsafe impl<const FLAW: u8> BlockAllocator for Flawed<FLAW> {
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.calls += 1;
        let size = layout.size();
        if FLAW == TWICE && self.calls.is_multiple_of(9) && size < 32 && layout.align() <= 8 {
            return self.last;
        }
        if FLAW == REFUSES && (513..520).contains(&size) {
            return None;
        }
        let block = self.heap.allocate(layout)?;
        self.last = Some(block);
        if FLAW == MISALIGNED && layout.align() == 64 && size > 100 {
            // SAFETY: eight of more than a hundred bytes.
            return Some(unsafe { block.add(8) });
        }
        Some(block)
    }

    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        if FLAW == LEAKS && layout.size() == 700 || FLAW == MISALIGNED || FLAW == TWICE {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { self.heap.deallocate(block, layout) }
    }

    fn allocate_zeroed(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let block = self.allocate(layout)?;
        if FLAW != DIRTY {
            // SAFETY: just allocated with this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        Some(block)
    }

    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        let wanted = Layout::from_size_align(new_size, layout.align()).ok()?;
        let new = self.allocate(wanted)?;
        let kept = layout.size().min(new_size).saturating_sub(usize::from(FLAW == FORGETS));
        // SAFETY: both are live, of at least `kept` bytes, and apart.
        unsafe { new.copy_from_nonoverlapping(block, kept) };
        // SAFETY: the caller gives it up.
        unsafe { self.deallocate(block, layout) };
        Some(new)
    }
}

impl<const FLAW: u8> Check for Flawed<FLAW> {
    fn check(&self) -> Result<(), Broken> {
        self.heap.check()
    }
}

impl<const FLAW: u8> Walk for Flawed<FLAW> {
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        let mut nth = 0;
        self.heap.walk(&mut |piece| {
            nth += 1;
            if FLAW == HIDES && nth == 3 { ControlFlow::Continue(()) } else { visit(piece) }
        });
    }
}

impl<const FLAW: u8> Stats for Flawed<FLAW> {
    fn stats(&self) -> BlockStats {
        let stats = self.heap.stats();
        let more = if FLAW == MISCOUNTS && stats.failures > 1 { 16 } else { 0 };
        BlockStats { used: stats.used + more, ..stats }
    }
}

fn failed<const FLAW: u8>() -> (usize, String) {
    let make: fn() -> Flawed<FLAW> = Flawed::default;
    let kind = Kind::new("flawed", make).check().walk().stats().with_enough(8 << 10);
    let report = conformance(&kind);
    (report.failed, report.text)
}

#[test]
fn without_a_flaw_every_rule_holds() {
    let (failed, text) = failed::<NONE>();
    assert_eq!(failed, 0, "{text}");
}

macro_rules! found {
    ($($name:ident: $flaw:ident, $says:literal;)*) => {$(
        #[test]
        fn $name() {
            let (failed, text) = failed::<$flaw>();
            assert!(failed > 0 && text.contains($says), "{text}");
        }
    )*};
}

found! {
    a_misaligned_block_is_found: MISALIGNED, "misaligned: ";
    a_block_handed_out_twice_is_found: TWICE, "overlap: ";
    dirty_zeroes_are_found: DIRTY, "not-zero: ";
    a_byte_forgotten_is_found: FORGETS, "not-kept: ";
    a_leak_is_found: LEAKS, "B3: ";
    wrong_counts_are_found: MISCOUNTS, "B2: ";
    a_wrong_refusal_is_found: REFUSES, "were refused, though";
    memory_beyond_the_end_is_found: BEYOND, "outside the memory";
    null_memory_is_found: TAKES_NULL, "not Null";
    a_gap_in_the_walk_is_found: HIDES, "B2: ";
}
