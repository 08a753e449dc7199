//! `Kind`: an allocator type for the suite, with the abilities it has and what is expected of it.
//!
//! An ability is a trait, and stable Rust cannot ask at run time whether a type has one; so a
//! kind keeps one function for each ability that its author says the type has.
use core::alloc::Layout;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use base::{
    AddMemory, BlockAllocator, BlockStats, Broken, Check, Free, Owns, Piece, RemoveError,
    RemoveMemory, Reset, ResizeInPlace, Stats, UsableSize, Walk,
};

type CheckFn<A> = fn(&A) -> Result<(), Broken>;
type WalkFn<A> = fn(&A, &mut dyn FnMut(Piece) -> ControlFlow<()>);
type UsableFn<A> = unsafe fn(&A, NonNull<u8>) -> usize;
type ResizeFn<A> = unsafe fn(&mut A, NonNull<u8>, usize) -> bool;
type FreeFn<A> = unsafe fn(&mut A, NonNull<u8>);
type RemoveFn<A> = fn(&mut A, *mut u8) -> Result<NonNull<[u8]>, RemoveError>;

/// Where a block may grow to without a copy to somewhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grows {
    /// It need not.
    Never,
    /// Into a free block behind it.
    Forward,
    /// And into one in front of it, by `reallocate`.
    BothWays,
}

#[derive(Debug)]
pub struct Kind<A: ?Sized, M = fn() -> A> {
    pub name: &'static str,
    pub make: M,
    /// Whether free memory of this many bytes in a row surely serves the layout.
    pub room: fn(usize, Layout) -> bool,
    /// A piece of memory this long is taken, wherever it begins.
    pub enough: usize,
    /// Whether neighbours that are free are one piece at once, and a piece in use is one block.
    pub merges: bool,
    /// Whether all memory is free again, in as few pieces as at first, when every block is.
    pub recovers: bool,
    /// Whether the largest free piece can be had with [`BlockStats::largest_free`].
    pub counts_largest: bool,
    pub grows: Grows,
    pub(super) check: Option<CheckFn<A>>,
    pub(super) walk: Option<WalkFn<A>>,
    pub(super) stats: Option<fn(&A) -> BlockStats>,
    pub(super) usable: Option<UsableFn<A>>,
    pub(super) resize: Option<ResizeFn<A>>,
    pub(super) free: Option<FreeFn<A>>,
    pub(super) remove: Option<RemoveFn<A>>,
    pub(super) owns: Option<fn(&A, *const u8) -> bool>,
    pub(super) reset: Option<unsafe fn(&mut A)>,
}

impl<A: ?Sized, M: Copy> Clone for Kind<A, M> {
    fn clone(&self) -> Kind<A, M> {
        *self
    }
}

// Functions and figures only, whatever the allocator is.
impl<A: ?Sized, M: Copy> Copy for Kind<A, M> {}

impl<A: BlockAllocator + AddMemory> Kind<A> {
    /// A kind of which nothing is known but the two traits everything has.
    pub const fn new(name: &'static str, make: fn() -> A) -> Kind<A> {
        Kind {
            name,
            make,
            room: super::room::generous,
            enough: 64 << 10,
            merges: true,
            recovers: true,
            counts_largest: true,
            grows: Grows::Never,
            check: None,
            walk: None,
            stats: None,
            usable: None,
            resize: None,
            free: None,
            remove: None,
            owns: None,
            reset: None,
        }
    }

    pub const fn complete(self) -> Kind<A>
    where
        A: Check + Walk + Stats + UsableSize + ResizeInPlace + Free + RemoveMemory + Owns + Reset,
    {
        let kind = self.check().walk().stats().usable().resize().free();
        kind.remove().owns().reset()
    }

    pub const fn with_room(self, room: fn(usize, Layout) -> bool) -> Kind<A> {
        Kind { room, ..self }
    }

    pub const fn with_enough(self, enough: usize) -> Kind<A> {
        Kind { enough, ..self }
    }

    pub const fn with_growth(self, grows: Grows) -> Kind<A> {
        Kind { grows, ..self }
    }

    /// Free neighbours may stay apart, or a piece in use may hold several blocks.
    pub const fn without_merging(self) -> Kind<A> {
        Kind { merges: false, ..self }
    }

    /// Memory may be kept for one size after every block is free.
    pub const fn without_recovery(self) -> Kind<A> {
        Kind { recovers: false, ..self }
    }
}

/// A method for each ability, by the word that rows of the registry have for it.
macro_rules! abilities {
    ($($word:ident: $ability:ident = $does:ident;)*) => {
        impl<A: BlockAllocator + AddMemory> Kind<A> {
            $(
                #[doc = concat!("It has [`", stringify!($ability), "`].")]
                pub const fn $word(self) -> Kind<A>
                where
                    A: $ability,
                {
                    Kind { $word: Some(A::$does), ..self }
                }
            )*
        }
    };
}

abilities! {
    check: Check = check;
    walk: Walk = walk;
    stats: Stats = stats;
    usable: UsableSize = usable_size;
    resize: ResizeInPlace = resize_in_place;
    free: Free = free;
    remove: RemoveMemory = remove_memory;
    owns: Owns = owns;
    reset: Reset = reset;
}
