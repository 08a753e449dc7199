//! `DropIn`: what a drop-in library asks of a malloc beside the calls of a program.
//!
//! ```text
//! malloc, free ──────────────────► a fast half, which is inlined, and a slow one
//! mallinfo, malloc_info, stats=1 ─► figures, write_stats; stats=/PATH: write_fields
//! malloc_trim ───────────────────► trim
//! heapwright_walk ───────────────► walk
//! HEAPWRIGHT="key=value" ────────► set
//! before main, around fork ──────► begin, before_fork, after_fork
//! prctl, before a filter ────────► before_confinement
//! ```
//!
//! A signal handler that interrupted one of its calls ([`base::lock::Park::is_busy`]) calls none of these but the fast halves,
//! `size_in_handler` and what is around `fork`: the library has spare blocks for it.
//!
//! A malloc with a row in `crates/registry` and this trait is a library `libheapwright-NAME.so`. The flagship has more (heaps, a
//! safe mode), and `abi` knows it by itself.
use core::fmt;

use base::{Check, Malloc};

use crate::heapwright::Block;

/// What a malloc can say of itself, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Memory that costs, free or in use.
    pub committed: usize,
    /// In blocks that the program holds.
    pub live: usize,
    /// Kept by threads.
    pub cached: usize,
    /// Blocks that are mappings of their own: bytes and number.
    pub huge: (usize, usize),
}

/// What [`DropIn`] forwards where a malloc's threads have records: its halves, the records, its numbers.
macro_rules! by_halves {
    () => {
        #[inline(always)]
        fn malloc_fast(&self, size: usize) -> *mut u8 {
            self.malloc_ready(size)
        }

        #[inline(always)]
        fn malloc_slow(&self, size: usize) -> *mut u8 {
            self.malloc_any(size)
        }

        #[inline(always)]
        unsafe fn free_fast(&self, ptr: *mut u8) -> bool {
            self.free_ready(ptr.expose_provenance())
        }

        #[inline(always)]
        unsafe fn free_slow(&self, ptr: *mut u8) {
            self.free_any(ptr.expose_provenance());
        }

        fn begin(&'static self) {
            self.threads.announce(self);
        }

        fn before_fork(&self, mut timeout_ms: u32, last: bool) -> bool {
            let each = |visit: &mut dyn FnMut(&_) -> bool| self.each_lock(visit);
            let held = crate::fork::hold_all(each, &self.missing, &mut timeout_ms, last);
            if held && !self.missing.is_partial() {
                self.make_way_for_fork();
            }
            held
        }

        fn trim(&self) -> usize {
            self.trim_all()
        }

        fn figures(&self) -> Figures {
            self.numbers()
        }
    };
}
pub(crate) use by_halves;

/// A malloc that can be a whole program's.
pub trait DropIn: Malloc + Check {
    /// What a block of less than 16 bytes is aligned to: C asks for no more than such a block can hold (C23 7.24.3).
    const SMALL_ALIGN: usize = 16;

    /// Whether the fast halves take a lock. Then a signal handler that interrupted this calls none of them.
    const IS_LOCKED: bool = false;

    /// The fast half of `malloc`. Null: [`malloc_slow`](Self::malloc_slow) is to be asked.
    fn malloc_fast(&self, size: usize) -> *mut u8 {
        self.malloc(size)
    }

    /// The slow half. Null: out of memory.
    fn malloc_slow(&self, size: usize) -> *mut u8 {
        let _ = size;
        core::ptr::null_mut()
    }

    /// The fast half of `free`. `false`: nothing is done, and [`free_slow`](Self::free_slow) is to be called.
    /// # Safety
    /// As [`Malloc::free`].
    unsafe fn free_fast(&self, ptr: *mut u8) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.free(ptr) };
        true
    }

    /// The slow half.
    /// # Safety
    /// As [`Malloc::free`], which the fast half refused.
    unsafe fn free_slow(&self, ptr: *mut u8) {
        let _ = ptr;
    }

    /// Once, before `main`, on the instance that the process uses.
    fn begin(&'static self) {}

    /// Sets one of the `settings` of its row. `false`: the value is none of it.
    fn set(&self, key: &str, value: &str) -> bool {
        let _ = (key, value);
        false
    }

    /// The process is about to be confined: what a large heap asks the system for is asked for now. Takes no lock: a signal
    /// handler may confine.
    fn before_confinement(&self) {}

    /// The usable size of the block at `address`, without waiting for a lock: for a signal handler that interrupted this.
    /// `None`: only who waits can know; `Some(None)`: there is none.
    fn size_in_handler(&self, address: usize) -> Option<Option<usize>> {
        let _ = address;
        None
    }

    /// Before a fork: no other thread is inside from here to [`after_fork`](Self::after_fork). `false`: one still is after
    /// `timeout_ms`, and nothing is held; the `last` time what can be had is held then, and the answer is `true`.
    fn before_fork(&self, timeout_ms: u32, last: bool) -> bool;

    /// Before a fork that the system may refuse for what is free: it goes back. No other thread is inside, or there is none; a
    /// signal handler may have interrupted this one.
    fn make_way_for_fork(&self) {}

    /// After a fork, in the parent and in the child, which has none of the other threads.
    fn after_fork(&self, in_child: bool);

    /// Gives back what is free; the bytes.
    fn trim(&self) -> usize;

    /// What it can say of itself.
    fn figures(&self) -> Figures;

    /// Shows each block, its usable size and what it is to `visit`, which must not allocate; other threads may wait meanwhile.
    /// `false`: this malloc cannot tell its blocks.
    fn walk(&self, visit: &mut dyn FnMut(usize, usize, Block)) -> bool {
        let _ = visit;
        false
    }

    /// One line for `stats=1`, without its end.
    /// Errors: those of `out`.
    fn write_stats(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Its own fields of the file of `stats=/PATH`, each with a comma before it.
    /// Errors: those of `out`.
    fn write_fields(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let _ = out;
        Ok(())
    }
}
