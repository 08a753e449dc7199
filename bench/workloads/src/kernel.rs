//! The workloads of the kernel's allocators: compiled for each of them, so that nothing stands between a request and its answer.
//!
//! ```text
//! allocator=WORD ─► memory, a region of its own ─► blocks::kernel::one ─► Serve ─► the workload
//! allocator=malloc, null                        ─► Process, Nothing     ─┘
//! ```
//!
//! Who runs one has no lock: these are single-threaded designs, and a kernel's locks are not a process's.

mod chain;
mod pairs;
mod stack;
mod sweep;
mod word;

use core::ptr::NonNull;

use blocks::kernel::{Chosen, PageCost, Serve, Visit, one};

use crate::heap;
use crate::heap::region::map;
use crate::list::Workload;

/// Pages cost nothing but the buddy system's work, and nothing is around a call.
pub(crate) const BARE: (PageCost, bool) = (PageCost::BARE, false);

pub(crate) const ALL: &[&Workload] =
    &[&sweep::SWEEP, &sweep::WIDE, &stack::WORKLOAD, &chain::WORKLOAD, &pairs::WORKLOAD];

pub(crate) fn has(workload: &Workload) -> bool {
    ALL.iter().any(|of| of.name == workload.name)
}

/// Whether this word means an allocator; else says which there are.
pub(crate) fn find(word: &str) -> Result<(), String> {
    word::read(word).map(drop)
}

/// Visits the allocator that this word means, on a region of `bytes` if it is one of this program. Pages cost as much, and with
/// `calls` what is around a call in a kernel is done too.
pub(crate) fn visit(
    word: &str,
    (cost, calls): (PageCost, bool),
    bytes: usize,
    visit: impl Visit,
) -> Result<(), String> {
    let (name, classes) = word::read(word)?;
    match name {
        "malloc" => visit.visit(Process),
        "null" => visit.visit(Nothing),
        _ => {
            let memory = map(bytes).ok_or_else(|| format!("cannot map {bytes} bytes"))?;
            // SAFETY: mapped just now, and never unmapped.
            if !unsafe { one(name, Chosen { classes, cost, calls }, memory, visit) } {
                return Err(format!("{name} cannot use a region of {bytes} bytes"));
            }
        }
    }
    Ok(())
}

struct Process;

impl Serve for Process {
    type Token = NonNull<u8>;

    #[inline(always)]
    fn allocate(&mut self, size: usize) -> Option<NonNull<u8>> {
        NonNull::new(heap::malloc(size))
    }

    #[inline(always)]
    unsafe fn free(&mut self, token: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { heap::free(token.as_ptr(), 0, 0) };
    }

    unsafe fn address(&mut self, token: NonNull<u8>) -> NonNull<u8> {
        token
    }
}

/// No allocator: what is left is the workload's own time.
struct Nothing;

impl Serve for Nothing {
    type Token = ();

    #[inline(always)]
    fn allocate(&mut self, size: usize) -> Option<()> {
        core::hint::black_box(size);
        Some(())
    }

    #[inline(always)]
    unsafe fn free(&mut self, (): ()) {}

    unsafe fn address(&mut self, (): ()) -> NonNull<u8> {
        NonNull::dangling()
    }
}
