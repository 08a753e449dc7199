//! `Heap`: an allocator on guarded memory under the shadow model, checked around each call.
//!
//! After each call hold, where the kind has the ability to ask:
//!
//! - **B1** `check` finds nothing broken, and no byte outside the memory was written.
//! - **B2** the walk's pieces lie in the memory, in address order, without a gap between two of
//!   one memory; their bytes are the statistics', in use and free.
//! - **B3** a live block lies within one piece in use; with merging, a piece in use is one block
//!   and two free pieces do not touch.
//! - **B4** a request is refused only where no free piece has room for it.
use core::alloc::Layout;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use base::{AddError, AddMemory, BlockAllocator, BlockStats, Piece, RemoveError};

use super::any::{Able, AnyKind};
use super::kind::Kind;
use super::memory::Memory;
use super::shape::shape_by;
use crate::shadow::{Block, Request, Shadow};

/// An allocator under test and everything known about it.
pub struct Heap<'k> {
    kind: AnyKind<'k>,
    allocator: Box<dyn Able + 'k>,
    memories: Vec<Memory>,
    shadow: Shadow,
    /// Whether B1 to B4 are looked at after each call.
    watched: bool,
    /// The pieces of the empty heap, where they are known: memory may come to a heap in use.
    empty: Option<Vec<Piece>>,
}

impl core::fmt::Debug for Heap<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Heap").field("kind", &self.kind.name).finish_non_exhaustive()
    }
}

impl<'k> Heap<'k> {
    pub fn new<A: BlockAllocator + AddMemory>(kind: &'k Kind<A>) -> Heap<'k> {
        Heap::of(kind.any())
    }

    pub fn of(kind: AnyKind<'k>) -> Heap<'k> {
        Heap {
            kind,
            allocator: kind.make.make(),
            memories: Vec::new(),
            shadow: Shadow::new(),
            watched: true,
            empty: None,
        }
    }

    /// With one memory of `len` bytes.
    /// Errors: it was not taken, or something is wrong.
    pub fn with_memory(kind: AnyKind<'k>, len: usize) -> Result<Heap<'k>, String> {
        let mut heap = Heap::of(kind);
        let added = heap.add(Memory::new(len, 0))?;
        added.map_err(|error| format!("{len} bytes were not taken: {error}"))?;
        Ok(heap)
    }

    /// The checks only when asked for: for long programs.
    pub fn unwatched(mut self) -> Self {
        self.watched = false;
        self
    }

    pub fn kind(&self) -> AnyKind<'k> {
        self.kind
    }

    /// The allocator itself, for what the suite has no word for.
    pub fn allocator(&mut self) -> &mut (dyn Able + 'k) {
        &mut *self.allocator
    }

    pub fn shadow(&self) -> &Shadow {
        &self.shadow
    }

    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// Adds memory.
    /// Errors: something is wrong; a refusal is a value.
    pub fn add(&mut self, memory: Memory) -> Result<Result<(), AddError>, String> {
        // SAFETY: the memory is its own, and lives as long as the allocator uses it.
        let added = unsafe { self.allocator.blocks().add_memory(memory.start(), memory.len()) };
        if added.is_ok() {
            self.memories.push(memory);
        } else {
            memory.check()?;
        }
        self.empty = self.shadow.is_empty().then(|| self.pieces());
        self.watch()?;
        Ok(added)
    }

    /// Removes the `index`-th memory; `None` when the kind cannot.
    /// Errors: something is wrong; a refusal is a value.
    pub fn remove(&mut self, index: usize) -> Result<Option<Result<(), RemoveError>>, String> {
        let Some(remove) = self.kind.remove else { return Ok(None) };
        let (start, len) = (self.memories[index].start(), self.memories[index].len());
        let removed = remove(&mut *self.allocator, start);
        if let Ok(given) = removed {
            let (at, bytes) = (given.cast::<u8>().as_ptr(), given.len());
            if at != start || bytes != len {
                return Err(format!("{start:p} + {len} was added, {at:p} + {bytes} given up"));
            }
            self.memories.remove(index).check()?;
            self.empty = self.shadow.is_empty().then(|| self.pieces());
        }
        self.watch()?;
        Ok(Some(removed.map(|_| ())))
    }

    pub fn allocate(&mut self, layout: Layout, zeroed: bool) -> Result<Option<usize>, String> {
        let before = self.room(layout);
        let block = match zeroed {
            false => self.allocator.blocks().allocate(layout),
            true => self.allocator.blocks().allocate_zeroed(layout),
        };
        let Some(block) = block else {
            self.watch()?;
            return match before {
                Some(piece) => Err(refused(layout, piece)),
                None => Ok(None),
            };
        };
        self.within(block, layout)?;
        let request = Request { size: layout.size(), align: layout.align(), zeroed };
        let usable = self.usable(block, layout);
        // SAFETY: just returned for this request.
        let placed = unsafe { self.shadow.allocated(block.as_ptr(), usable, request) };
        placed.map_err(|wrong| wrong.to_string())?;
        self.watch()?;
        Ok(Some(block.addr().get()))
    }

    pub fn free(&mut self, address: usize, by_pointer: bool) -> Result<(), String> {
        let block = self.take(address)?;
        block.verify().map_err(|wrong| wrong.to_string())?;
        let pointer = NonNull::new(block.pointer()).expect("a live block");
        match self.kind.free {
            // SAFETY: the block is live, and taken out of the shadow.
            Some(free) if by_pointer => unsafe { free(&mut *self.allocator, pointer) },
            // SAFETY: as above, with the layout it was allocated with.
            _ => unsafe { self.allocator.blocks().deallocate(pointer, layout_of(&block)) },
        }
        self.watch()
    }

    /// Reallocates the live block at `address`; `None`, and the block as it was, where that is
    /// right.
    pub fn reallocate(&mut self, address: usize, size: usize) -> Result<Option<usize>, String> {
        let old = self.take(address)?;
        old.verify().map_err(|wrong| wrong.to_string())?;
        let layout = layout_of(&old);
        let wanted = Layout::from_size_align(size, layout.align()).map_err(|e| e.to_string())?;
        let excuse = if size <= layout.size() { None } else { self.room(wanted) };
        let pointer = NonNull::new(old.pointer()).expect("a live block");
        // SAFETY: live, with its layout, and the new size makes a layout.
        let Some(new) = (unsafe { self.allocator.blocks().reallocate(pointer, layout, size) })
        else {
            old.verify().map_err(|wrong| format!("after a refused reallocate: {wrong}"))?;
            self.shadow.put(old).map_err(|wrong| wrong.to_string())?;
            self.watch()?;
            return match excuse {
                Some(piece) => Err(refused(wanted, piece)),
                None => Ok(None),
            };
        };
        self.within(new, wanted)?;
        let request = Request { size, align: layout.align(), zeroed: false };
        let usable = self.usable(new, wanted);
        // SAFETY: just returned in exchange for `old`.
        let placed = unsafe { self.shadow.reallocated(&old, new.as_ptr(), usable, request) };
        placed.map_err(|wrong| wrong.to_string())?;
        self.watch()?;
        Ok(Some(new.addr().get()))
    }

    /// Resizes the live block at `address` where it is; `None` when the kind cannot.
    pub fn resize(&mut self, address: usize, size: usize) -> Result<Option<bool>, String> {
        let Some(resize) = self.kind.resize else { return Ok(None) };
        let old = self.take(address)?;
        old.verify().map_err(|wrong| wrong.to_string())?;
        let pointer = NonNull::new(old.pointer()).expect("a live block");
        // SAFETY: the block is live.
        if !unsafe { resize(&mut *self.allocator, pointer, size) } {
            old.verify().map_err(|wrong| format!("after a refused resize: {wrong}"))?;
            self.shadow.put(old).map_err(|wrong| wrong.to_string())?;
            self.watch()?;
            return Ok(Some(false));
        }
        let wanted = Layout::from_size_align(size, old.align()).map_err(|e| e.to_string())?;
        self.within(pointer, wanted)?;
        let request = Request { size, align: old.align(), zeroed: false };
        let usable = self.usable(pointer, wanted);
        // SAFETY: the block in its new size.
        let placed = unsafe { self.shadow.reallocated(&old, old.pointer(), usable, request) };
        placed.map_err(|wrong| wrong.to_string())?;
        self.watch()?;
        Ok(Some(true))
    }

    /// Frees everything, the oldest first, and looks whether the memory is whole again (B2, B3).
    pub fn drain(&mut self) -> Result<(), String> {
        for address in self.shadow.by_age() {
            self.free(address, true)?;
        }
        self.look()?;
        if self.kind.recovers && self.kind.walk.is_some() {
            let now = self.pieces();
            let whole = match &self.empty {
                Some(empty) => *empty == now,
                None => now.iter().all(|piece| !piece.used),
            };
            if !whole {
                return Err(format!("everything is free, and the heap is {}", self.shape()));
            }
        }
        Ok(())
    }

    /// Its pieces; none when it cannot be walked.
    pub fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if let Some(walk) = self.kind.walk {
            walk(&*self.allocator, &mut |piece| {
                pieces.push(piece);
                ControlFlow::Continue(())
            });
        }
        pieces
    }

    /// As one line.
    pub fn shape(&self) -> String {
        let Some(walk) = self.kind.walk else { return "not to be walked".to_owned() };
        shape_by(&mut |visit| walk(&*self.allocator, visit))
    }

    pub fn stats(&self) -> Option<BlockStats> {
        self.kind.stats.map(|stats| stats(&*self.allocator))
    }

    fn take(&mut self, address: usize) -> Result<Block, String> {
        self.shadow.take(address).ok_or_else(|| format!("no block is live at {address:#x}"))
    }

    fn usable(&self, block: NonNull<u8>, layout: Layout) -> usize {
        // SAFETY: the block is live.
        self.kind.usable.map_or(layout.size(), |usable| unsafe { usable(&*self.allocator, block) })
    }

    /// A free piece with room, so that a refusal would be wrong (B4).
    fn room(&self, layout: Layout) -> Option<Piece> {
        let room = |piece: &Piece| !piece.used && (self.kind.room)(piece.len, layout);
        self.pieces().into_iter().find(room)
    }

    fn within(&self, block: NonNull<u8>, layout: Layout) -> Result<(), String> {
        let at = block.addr().get();
        if !self.memories.iter().any(|memory| memory.holds(at, layout.size())) {
            let size = layout.size();
            return Err(format!("the block {at:#x} + {size} is outside the memory added"));
        }
        if self.kind.owns.is_some_and(|owns| !owns(&*self.allocator, block.as_ptr())) {
            return Err(format!("the allocator does not own its block {at:#x}"));
        }
        Ok(())
    }

    fn watch(&self) -> Result<(), String> {
        if self.watched { self.look() } else { Ok(()) }
    }

    /// B1 to B3, now.
    /// Errors: the first that does not hold.
    pub fn look(&self) -> Result<(), String> {
        if let Some(check) = self.kind.check {
            check(&*self.allocator).map_err(|broken| broken.to_string())?;
        }
        self.memories.iter().try_for_each(Memory::check)?;
        if self.kind.walk.is_none() {
            return Ok(());
        }
        let pieces = self.pieces();
        self.tiles(&pieces)?;
        self.lives(&pieces)
    }

    fn tiles(&self, pieces: &[Piece]) -> Result<(), String> {
        let mut total = 0;
        let mut used = 0;
        for (i, piece) in pieces.iter().enumerate() {
            let Piece { at, len, .. } = *piece;
            let inside = |memory: &Memory| memory.holds(at, len);
            let Some(memory) = self.memories.iter().position(inside) else {
                return Err(format!("B2: the piece {at:#x} + {len} is outside the memory added"));
            };
            if let Some(below) = i.checked_sub(1).map(|i| pieces[i])
                && self.memories[memory].holds(below.at, below.len)
            {
                if below.at + below.len != at {
                    return Err(format!("B2: a gap below {at:#x}: {}", self.shape()));
                }
                if self.kind.merges && !below.used && !piece.used {
                    return Err(format!("B3: free pieces touch at {at:#x}: {}", self.shape()));
                }
            }
            total += len;
            used += if piece.used { len } else { 0 };
        }
        let Some(stats) = self.stats() else { return Ok(()) };
        if (stats.total, stats.used) != (total, used) || stats.peak < used {
            return Err(format!("B2: {stats:?}, but the walk has {used} of {total}"));
        }
        Ok(())
    }

    fn lives(&self, pieces: &[Piece]) -> Result<(), String> {
        let mut sorted = pieces.to_vec();
        sorted.sort_by_key(|piece| piece.at);
        let mut holding = 0;
        let mut last = None;
        for block in self.shadow.blocks() {
            let (at, size) = (block.address(), block.size());
            let below = sorted.partition_point(|piece| piece.at <= at);
            let piece = below.checked_sub(1).map(|i| sorted[i]);
            let inside = piece.filter(|p| p.used && at + size <= p.at + p.len);
            let Some(piece) = inside else {
                return Err(format!("B3: {at:#x} + {size} is live: {}", self.shape()));
            };
            if self.kind.merges && last == Some(piece.at) {
                return Err(format!("B3: two live blocks in one piece at {:#x}", piece.at));
            }
            last = Some(piece.at);
            holding += 1;
        }
        let in_use = |pieces: &[Piece]| pieces.iter().filter(|piece| piece.used).count();
        let own = self.empty.as_deref().map_or(0, in_use);
        if self.kind.merges && in_use(&sorted) != holding + own {
            return Err(format!("B3: {holding} blocks are live: {}", self.shape()));
        }
        Ok(())
    }
}

fn refused(layout: Layout, Piece { at, len, .. }: Piece) -> String {
    let (size, align) = (layout.size(), layout.align());
    format!("{size} bytes at a multiple of {align} were refused, though {len} are free at {at:#x}")
}

fn layout_of(block: &Block) -> Layout {
    Layout::from_size_align(block.size(), block.align()).expect("it was a layout")
}
