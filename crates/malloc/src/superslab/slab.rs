//! Slabs of 64 KiB and superslabs of 32 of them.
//!
//! ```text
//! superslab, 2 MiB at a multiple of it
//! [ head: free, clean │ descriptor × 32 │ slab 0: 60 KiB │ slab 1 │ … │ slab 31 ]
//!
//! slab  [ object │ object │ … │ never handed out ]     of a class: `free` is a chain of objects, `fresh` counts the rest
//! run   [ one block over 1 to 16 slabs           ]
//! ```
//!
//! - **slab-S1** of a slab of a class `used + chain + fresh` is its capacity.
//! - **slab-S2** a superslab's free pieces (module `chunks`) are the slabs that are neither of a class nor of a run.
//!
//! Only the owner's thread changes any of it (or who holds the lock of the members while no thread owns it).
use base::bits::low32;
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};

use object::size_class::info;

use crate::chunks::{Chunk, PIECE, Pieces};
use crate::links::{self, Linked, List, next_of, set_next};

pub(super) const SLAB: usize = PIECE;
pub(super) const SUPER: usize = 2 << 20;
pub(super) const SLABS: usize = SUPER / SLAB;
/// Where the first slab's objects begin: a page, so that blocks aligned to one can be there.
pub(super) const HEAD: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Free, or inside of a run.
    Free = 0,
    /// Of a class, and on no list: full, or the one that serves now.
    Taken = 1,
    /// Of a class, and on its list of slabs that have an object.
    Open = 2,
    /// The first of a run.
    Run = 3,
}

#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Slab {
    links: [AtomicUsize; 2],
    start: AtomicUsize,
    free: AtomicUsize,
    /// The heap it belongs to: the address of a record.
    owner: AtomicUsize,
    class: AtomicU32,
    used: AtomicU32,
    fresh: AtomicU32,
    capacity: AtomicU32,
    /// Slabs of the run.
    run: AtomicU32,
    state: AtomicU32,
}

// SAFETY: its superslab, or its own mapping, is given back when it is on no list.
unsafe impl Linked for Slab {
    fn links(&self) -> &[AtomicUsize; 2] {
        &self.links
    }
}

impl Slab {
    pub(super) fn start(&self) -> usize {
        self.start.load(Ordering::Relaxed)
    }

    pub(super) fn owner(&self) -> usize {
        self.owner.load(Ordering::Relaxed)
    }

    /// The class of its objects; 0: there are none.
    pub(super) fn class(&self) -> usize {
        self.class.load(Ordering::Relaxed) as usize
    }

    pub(super) fn used(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    pub(super) fn is(&self, state: State) -> bool {
        self.state.load(Ordering::Relaxed) == state as u32
    }

    pub(super) fn set_state(&self, state: State) {
        self.state.store(state as u32, Ordering::Relaxed);
    }

    pub(super) fn run(&self) -> usize {
        self.run.load(Ordering::Relaxed) as usize
    }

    /// Bytes of the run's block: what was asked for in whole pages, so that the rest is never touched.
    pub(super) fn run_bytes(&self) -> usize {
        self.capacity.load(Ordering::Relaxed) as usize * HEAD
    }

    /// The run's block has `size` bytes from now on. `false`: that takes another number of slabs.
    pub(super) fn resize_run(&self, size: usize) -> bool {
        let fits = size > 0 && size.div_ceil(SLAB) == self.run();
        if fits {
            self.capacity.store(low32(size.div_ceil(HEAD)), Ordering::Relaxed);
        }
        fits
    }

    /// Whether it is a run that begins at `address`.
    pub(super) fn is_run_at(&self, address: usize) -> bool {
        self.is(State::Run) && self.start() == address
    }

    /// It is of a class from now on: `len` bytes from `start`, objects of `size`. `lazy`: none is touched.
    pub(super) fn open(
        &self,
        owner: usize,
        class: usize,
        size: usize,
        (start, len): (usize, usize),
        lazy: bool,
    ) {
        let capacity = low32(len / size);
        self.start.store(start, Ordering::Relaxed);
        self.owner.store(owner, Ordering::Relaxed);
        self.used.store(0, Ordering::Relaxed);
        self.capacity.store(capacity, Ordering::Relaxed);
        let mut free = 0;
        if !lazy {
            for index in (0..capacity as usize).rev() {
                set_next(start + index * size, free);
                free = start + index * size;
            }
        }
        self.free.store(free, Ordering::Relaxed);
        self.fresh.store(if lazy { capacity } else { 0 }, Ordering::Relaxed);
        self.set_state(State::Taken);
        self.class.store(low32(class), Ordering::Relaxed);
    }

    /// It is a run of `slabs` from now on, for a block of `size` bytes.
    pub(super) fn open_run(&self, owner: usize, start: usize, slabs: usize, size: usize) {
        self.start.store(start, Ordering::Relaxed);
        self.owner.store(owner, Ordering::Relaxed);
        self.run.store(low32(slabs), Ordering::Relaxed);
        self.capacity.store(low32(size.div_ceil(HEAD)), Ordering::Relaxed);
        self.class.store(0, Ordering::Relaxed);
        self.set_state(State::Run);
    }

    /// It is free from now on.
    pub(super) fn close(&self) {
        self.class.store(0, Ordering::Relaxed);
        self.set_state(State::Free);
    }

    #[inline]
    pub(super) fn take(&self, size: usize) -> usize {
        let free = self.free.load(Ordering::Relaxed);
        if free != 0 {
            self.free.store(next_of(free), Ordering::Relaxed);
            self.used.raise(1);
            return free;
        }
        let fresh = self.fresh.load(Ordering::Relaxed);
        if fresh == 0 {
            return 0;
        }
        self.fresh.store(fresh - 1, Ordering::Relaxed);
        self.used.raise(1);
        self.start() + (self.capacity.load(Ordering::Relaxed) - fresh) as usize * size
    }

    #[inline]
    pub(super) fn put(&self, object: usize) {
        set_next(object, self.free.load(Ordering::Relaxed));
        self.free.store(object, Ordering::Relaxed);
        self.used.lower(1);
    }

    /// Whether `object` came back last.
    pub(super) fn is_last_freed(&self, object: usize) -> bool {
        self.free.load(Ordering::Relaxed) == object
    }

    /// Whether an object of its class, which is `class`, begins at an address in the slab.
    pub(super) fn is_object(&self, address: usize, class: usize) -> bool {
        let (offset, info) = (address.wrapping_sub(self.start()), info(class));
        let index = info.object_at(offset);
        index < self.capacity.load(Ordering::Relaxed) as usize
            && index * info.size as usize == offset
    }

    pub(super) fn has_free(&self) -> bool {
        self.free.load(Ordering::Relaxed) != 0 || self.fresh.load(Ordering::Relaxed) != 0
    }

    /// Whether its objects add up (slab-S1). O(chain).
    pub(super) fn adds_up(&self) -> bool {
        let mut count = self.used() + self.fresh.load(Ordering::Relaxed);
        let mut free = self.free.load(Ordering::Relaxed);
        while free != 0 {
            count += 1;
            free = next_of(free);
        }
        count == self.capacity.load(Ordering::Relaxed)
    }
}

/// A superslab: what stands at its beginning.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Super {
    pieces: Pieces,
    slabs: [Slab; SLABS],
}

const _: () = assert!(size_of::<Super>() <= HEAD, "the head has its place");

// SAFETY: a chunk is unmapped when it is on no list.
unsafe impl Linked for Super {
    fn links(&self) -> &[AtomicUsize; 2] {
        self.pieces().links()
    }
}

impl Chunk for Super {
    const LEN: usize = SUPER;
    const HEAD: usize = HEAD;

    fn pieces(&self) -> &Pieces {
        &self.pieces
    }
}

impl Super {
    /// The descriptor of the slab that `address` lies in.
    pub(super) fn slab_of(&self, address: usize) -> &Slab {
        &self.slabs[address / SLAB % SLABS]
    }

    /// The descriptor of slab `index`, where it begins, and its length.
    pub(super) fn slab(&self, index: usize) -> (&Slab, (usize, usize)) {
        let head = if index == 0 { HEAD } else { 0 };
        (&self.slabs[index], (self.piece_at(index) + head, SLAB - head))
    }

    /// Where its descriptors are.
    pub(super) fn table(&self) -> usize {
        links::address(&self.slabs)
    }

    pub(super) fn index_of(&self, slab: &Slab) -> usize {
        (links::address(slab) - self.table()) / size_of::<Slab>()
    }

    /// The slabs of classes.
    pub(super) fn in_use(&self) -> impl Iterator<Item = &Slab> {
        let is_of_class =
            |(index, slab): &(usize, &Slab)| self.is_used(*index) && slab.class() != 0;
        self.slabs.iter().enumerate().filter(is_of_class).map(|(_, slab)| slab)
    }
}

pub(super) type Slabs = List<Slab>;
