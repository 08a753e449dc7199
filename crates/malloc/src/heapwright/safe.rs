//! Safe mode: what a call says of a block is compared with what the block is.
//!
//! - **safe-V1** a claim is refused only when no legal program could make it. A block has the size that
//!   its request is rounded up to, or has shrunk in place: objects while they waste less than
//!   half, mappings where the system refuses to cut them; runs are always cut.
//! - **safe-V2** what has an alignment beyond every block's was never resized in place: C's and C++'s
//!   aligned blocks cannot be resized, Rust's move.
//!
//! Threads have no magazines then, so that every call comes by here and the fast paths test
//! nothing for it.
use base::bits::align_up;
use base::sync::Ordering;
use object::Slab;
use object::size_class::{QUANTUM, class_of_aligned, info};
use page::geometry::granules_for;
use page::region::Span;
use page::{GRANULE, System};
use thread::Tls;

use super::Flagship;
use super::large::MIN_MAPPING;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    Run,
    Mapping,
    /// Any block of a first-class heap, or a spare one.
    OfHeap,
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// Whether safe mode is on.
    #[inline]
    pub fn is_safe(&self) -> bool {
        self.safe.load(Ordering::Relaxed)
    }

    /// In safe mode: ends the process unless `address` is the start of a live block. 0 is nobody's.
    #[inline]
    pub(super) fn verify(&self, address: usize, caller: &'static str) {
        if self.is_safe() && address != 0 && !S::is_busy() {
            self.live_block(address, caller);
        }
    }

    /// In safe mode: ends the process if the block at `ptr` cannot be one of `size` bytes at a
    /// multiple of `align`. Null can be any.
    #[inline]
    pub fn verify_size(&self, ptr: *mut u8, align: usize, size: usize, caller: &'static str) {
        if self.is_safe() && !ptr.is_null() && !S::is_busy() {
            self.verify_size_now(ptr.addr(), align, size, caller);
        }
    }

    #[cold]
    #[inline(never)]
    fn verify_size_now(&self, address: usize, align: usize, size: usize, caller: &'static str) {
        let (held, kind) = self.live_block(address, caller);
        // As operator new rounds it.
        let align = align.checked_next_power_of_two().unwrap_or(1);
        if !address.is_multiple_of(align) {
            S::fatal(format_args!("{caller}: {address:#x} is not at a multiple of {align}"));
        }
        if !self.fits(held, kind, align, size) {
            S::fatal(format_args!(
                "{caller}: {address:#x} is a block of {held} bytes, not of {size}"
            ));
        }
    }

    /// The usable size of the live block at `address`, and what it is; else the process ends.
    #[cold]
    #[inline(never)]
    fn live_block(&self, address: usize, caller: &'static str) -> (usize, Kind) {
        if let Some(held) = self.spare.len_of(address) {
            return (held, Kind::OfHeap);
        }
        let Some(held) = self.size_of_block(address) else { self.foreign(caller, address) };
        let region = &self.pages.region;
        let Some(granule) = region.granule_of(address) else { return (held, Kind::Mapping) };
        let descriptor = match region.span(granule) {
            Span::Slab(descriptor) => descriptor,
            Span::Run(_) => return (held, Kind::Run),
            Span::Kept(_) | Span::None => return (held, Kind::Mapping),
        };
        // SAFETY: the span map names descriptors only.
        let large = unsafe { Slab::at(descriptor) }.large().is_some();
        if !large {
            self.end_process_on_fault(caller, self.central.is_taken(&self.pages, address));
        }
        let of_heap = region.class(granule) == 0;
        (held, if of_heap { Kind::OfHeap } else { Kind::Object })
    }

    /// Whether a block of `held` usable bytes can be one of `size` (safe-V1).
    fn fits(&self, held: usize, kind: Kind, align: usize, size: usize) -> bool {
        let asked = size.max(1);
        let class = class_of_aligned(asked, align);
        match kind {
            Kind::Object => {
                let given = class.is_some_and(|class| info(class).size as usize == held);
                // safe-V2: only what malloc aligns to by itself can have shrunk.
                given || align <= QUANTUM && size <= held && size > held / 2
            }
            Kind::Run => class.is_none() && granules_for(asked).checked_mul(GRANULE) == Some(held),
            Kind::Mapping => {
                let pages = align_up(asked.min(held), self.pages.source.page_size());
                size <= held && (pages == held || size >= MIN_MAPPING)
            }
            Kind::OfHeap => size <= held,
        }
    }
}
