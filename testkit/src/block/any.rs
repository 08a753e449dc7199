//! A kind whose allocator's type is forgotten: the suite is compiled once, and not for each type.
use core::ops::ControlFlow;
use core::ptr::NonNull;

use base::{AddMemory, BlockAllocator, BlockStats, Broken, Piece, RemoveError};

use super::kind::Kind;

pub type AnyKind<'k> = Kind<dyn Able + 'k, &'k dyn Make<'k>>;

/// What every allocator of blocks has.
pub trait Blocks: BlockAllocator + AddMemory {}

impl<A: BlockAllocator + AddMemory> Blocks for A {}

/// An allocator of any type. Only what its kind has a function for may be called.
#[expect(clippy::missing_safety_doc, reason = "each is as the kind's function of its name")]
pub trait Able {
    /// The allocator itself.
    fn blocks(&mut self) -> &mut dyn Blocks;
    fn check(&self) -> Result<(), Broken>;
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>);
    fn stats(&self) -> BlockStats;
    unsafe fn usable(&self, block: NonNull<u8>) -> usize;
    unsafe fn resize(&mut self, block: NonNull<u8>, size: usize) -> bool;
    unsafe fn free(&mut self, block: NonNull<u8>);
    fn remove(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError>;
    fn owns(&self, at: *const u8) -> bool;
    unsafe fn reset(&mut self);
}

/// Makes an allocator of a kind.
pub trait Make<'k> {
    fn make(&'k self) -> Box<dyn Able + 'k>;
}

impl<'k, A: BlockAllocator + AddMemory> Make<'k> for Kind<A> {
    fn make(&'k self) -> Box<dyn Able + 'k> {
        Box::new(Made { allocator: (self.make)(), kind: self })
    }
}

impl core::fmt::Debug for dyn Make<'_> + '_ {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Make")
    }
}

impl<A: BlockAllocator + AddMemory> Kind<A> {
    pub fn any(&self) -> AnyKind<'_> {
        Kind {
            name: self.name,
            make: self,
            room: self.room,
            enough: self.enough,
            merges: self.merges,
            recovers: self.recovers,
            counts_largest: self.counts_largest,
            grows: self.grows,
            check: self.check.map(|_| <dyn Able>::check as _),
            walk: self.walk.map(|_| <dyn Able>::walk as _),
            stats: self.stats.map(|_| <dyn Able>::stats as _),
            usable: self.usable.map(|_| <dyn Able>::usable as _),
            resize: self.resize.map(|_| <dyn Able>::resize as _),
            free: self.free.map(|_| <dyn Able>::free as _),
            remove: self.remove.map(|_| <dyn Able>::remove as _),
            owns: self.owns.map(|_| <dyn Able>::owns as _),
            reset: self.reset.map(|_| <dyn Able>::reset as _),
        }
    }
}

struct Made<'k, A> {
    allocator: A,
    kind: &'k Kind<A>,
}

const ABLE: &str = "asked only where the kind has the function";

impl<A: BlockAllocator + AddMemory> Able for Made<'_, A> {
    fn blocks(&mut self) -> &mut dyn Blocks {
        &mut self.allocator
    }

    fn check(&self) -> Result<(), Broken> {
        self.kind.check.expect(ABLE)(&self.allocator)
    }

    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        self.kind.walk.expect(ABLE)(&self.allocator, visit);
    }

    fn stats(&self) -> BlockStats {
        self.kind.stats.expect(ABLE)(&self.allocator)
    }

    unsafe fn usable(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise.
        unsafe { self.kind.usable.expect(ABLE)(&self.allocator, block) }
    }

    unsafe fn resize(&mut self, block: NonNull<u8>, size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.kind.resize.expect(ABLE)(&mut self.allocator, block, size) }
    }

    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { self.kind.free.expect(ABLE)(&mut self.allocator, block) }
    }

    fn remove(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        self.kind.remove.expect(ABLE)(&mut self.allocator, start)
    }

    fn owns(&self, at: *const u8) -> bool {
        self.kind.owns.expect(ABLE)(&self.allocator, at)
    }

    unsafe fn reset(&mut self) {
        // SAFETY: the caller's promise.
        unsafe { self.kind.reset.expect(ABLE)(&mut self.allocator) }
    }
}
