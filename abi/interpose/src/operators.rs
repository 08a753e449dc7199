//! C++'s operators. Where the next malloc brings its own they are recorded; where they are the C++ library's they end in `malloc`
//! and `free`, and are passed by.
//!
//! An operator of a malloc may itself call `malloc`, or another operator, by its exported name. So an allocation is written only
//! if the thread's last event is not that very block's; and a free of a block that is on its way out is none.
//!
//! A program without C++ may load a library of C++ later: its operators are looked for when they are first called.

use core::ffi::CStr;
use core::mem::offset_of;
use core::sync::atomic::Ordering;

use crate::errno::Kept;
use crate::names::{self, NAMES, Slot, Table, each_name};
use crate::next::{self, PASS, next};
use crate::record;
use crate::thread::Thread;

/// The places of the operators in a table.
const ALL: core::ops::RangeInclusive<usize> = {
    const WORD: usize = size_of::<usize>();
    let last = offset_of!(Table, _ZdaPvSt11align_val_tRKSt9nothrow_t) / WORD;
    offset_of!(Table, _Znwm) / WORD..=last
};

/// The libraries of C++ that a program may have loaded where the loader does not find it for us.
const LIBRARIES: [&CStr; 3] = [c"libstdc++.so.6", c"libc++abi.so.1", c"libc++.so.1"];

/// Sets the operators' slots where others are recorded: to `ours` of a malloc that brings its own.
pub(crate) fn settle(ours: &Table) {
    for at in ALL {
        let found = names::words(next())[at].load(Ordering::Relaxed);
        let is_malloc_s = !is_missing(at) && next::are_together(found, next().malloc.address());
        let function = &names::words(if is_malloc_s { ours } else { &PASS })[at];
        names::set(at, function.load(Ordering::Relaxed));
    }
}

/// Has operators that are missing looked for when they are called, in the functions for where nothing is recorded.
pub(crate) fn look_for_missing() {
    for at in ALL.filter(|&at| is_missing(at)) {
        let late = names::words(&LATE)[at].load(Ordering::Relaxed);
        names::words(&PASS)[at].store(late, Ordering::Relaxed);
    }
}

fn is_missing(at: usize) -> bool {
    names::words(next())[at].load(Ordering::Relaxed) == next::stand_in_for(at)
}

/// Looks for operators that were not there at first.
extern "C" fn look_again() {
    let _errno = Kept::now();
    for library in LIBRARIES {
        // SAFETY: only finds a library that is loaded already.
        let library =
            unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if library.is_null() {
            continue;
        }
        for at in ALL.filter(|&at| is_missing(at)) {
            // SAFETY: looks a name up.
            let found = unsafe { libc::dlsym(library, NAMES[at].as_ptr()) };
            if !found.is_null() {
                next::found(at, found.cast());
                names::set(at, found.cast());
            }
        }
    }
}

macro_rules! late {
    ($($name:ident: $type:ty;)*) => {
        /// What the slots of missing operators have.
        static LATE: Table = Table { $($name: Slot::of(late::$name as *const ()),)* };

        #[allow(non_snake_case, reason = "the names of C++")]
        mod late {
            $(
                #[unsafe(naked)]
                pub(super) unsafe extern "C" fn $name() {
                    crate::imp::jump_after!(
                        super::look_again, crate::next::NEXT, core::mem::offset_of!(super::Table, $name)
                    )
                }
            )*
        }
    };
}
each_name!(late);

/// Where the thread writes, before it asks.
pub(crate) extern "C" fn before() -> usize {
    Thread::this().position().0
}

/// Whether an event about this block was written since.
fn is_written(block: *mut u8, since: usize) -> bool {
    let (at, units) = Thread::this().position();
    at != since && units == block.addr() as u64 >> 4
}

pub(crate) extern "C" fn after(block: *mut u8, size: usize, _: usize, since: usize) -> *mut u8 {
    if !is_written(block, since) {
        record::answered_new(block, size, None);
    }
    block
}

pub(crate) extern "C" fn after_aligned(
    block: *mut u8,
    size: usize,
    align: usize,
    since: usize,
) -> *mut u8 {
    if !is_written(block, since) {
        record::answered_new(block, size, Some(align));
    }
    block
}

/// Each `operator new` between two functions: the one before it, a function of the table, and behind it one of the two that take a block
/// with or without an alignment.
macro_rules! new {
    ($before:path, $table:path, $plain:path, $aligned:path) => {
        crate::operators::new! { @ $before, $table;
            _Znwm => $plain;
            _Znam => $plain;
            _ZnwmRKSt9nothrow_t => $plain;
            _ZnamRKSt9nothrow_t => $plain;
            _ZnwmSt11align_val_t => $aligned;
            _ZnamSt11align_val_t => $aligned;
            _ZnwmSt11align_val_tRKSt9nothrow_t => $aligned;
            _ZnamSt11align_val_tRKSt9nothrow_t => $aligned;
        }
    };
    (@ $before:path, $table:path; $($name:ident => $after:path;)*) => {$(
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            crate::imp::call_between!(
                $before, $table, core::mem::offset_of!(crate::names::Table, $name), $after
            )
        }
    )*};
}
pub(crate) use new;

/// Each `operator delete`: a function that is given the block, and what frees it.
macro_rules! delete {
    ($freed:path) => {
        crate::operators::delete! { @ $freed;
            _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
            _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t
            _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t
            _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t
            _ZdlPvSt11align_val_tRKSt9nothrow_t _ZdaPvSt11align_val_tRKSt9nothrow_t
        }
    };
    (@ $freed:path; $($name:ident)*) => {$(
        pub(crate) unsafe extern "C" fn $name(block: *mut u8, second: usize, third: usize) {
            // SAFETY: the caller's promise.
            $freed(block, || unsafe { crate::next::next().$name.get()(block, second, third) });
        }
    )*};
}
pub(crate) use delete;

/// The operators, recorded.
#[allow(non_snake_case, reason = "the names of C++")]
pub(crate) mod recorded {
    use super::*;

    new!(crate::operators::before, crate::next::NEXT, after, after_aligned);

    delete!(record::freed);
}
/// The operators where no library of C++ is: through `malloc` and `free`, which are recorded.
#[allow(non_snake_case, reason = "the names of C++")]
pub(crate) mod stand_in {
    use crate::names::SLOTS;

    /// A block, or the end: without C++ nothing can be thrown.
    fn or_end(block: *mut u8) -> *mut u8 {
        if block.is_null() {
            let why = b"heapwright: operator new: out of memory, and no C++ library to throw\n";
            // SAFETY: reads the bytes.
            unsafe { libc::syscall(libc::SYS_write, 2, why.as_ptr(), why.len()) };
            // SAFETY: ends the process.
            unsafe { libc::abort() };
        }
        block
    }

    macro_rules! new {
        ($($name:ident($size:ident, $second:ident) = $ask:expr;)*) => {$(
            pub(crate) unsafe extern "C" fn $name($size: usize, $second: usize, _: usize) -> *mut u8 {
                // SAFETY: the caller's promise.
                unsafe { $ask }
            }
        )*};
    }
    new! {
        _Znwm(size, _second) = or_end(SLOTS.malloc.get()(size));
        _Znam(size, _second) = or_end(SLOTS.malloc.get()(size));
        _ZnwmRKSt9nothrow_t(size, _second) = SLOTS.malloc.get()(size);
        _ZnamRKSt9nothrow_t(size, _second) = SLOTS.malloc.get()(size);
        _ZnwmSt11align_val_t(size, align) = or_end(SLOTS.memalign.get()(align, size));
        _ZnamSt11align_val_t(size, align) = or_end(SLOTS.memalign.get()(align, size));
        _ZnwmSt11align_val_tRKSt9nothrow_t(size, align) = SLOTS.memalign.get()(align, size);
        _ZnamSt11align_val_tRKSt9nothrow_t(size, align) = SLOTS.memalign.get()(align, size);
    }

    macro_rules! delete {
        ($($name:ident)*) => {$(
            pub(crate) unsafe extern "C" fn $name(block: *mut u8, _: usize, _: usize) {
                // SAFETY: the caller's promise.
                unsafe { SLOTS.free.get()(block) }
            }
        )*};
    }
    delete! {
        _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
        _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t
        _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t
        _ZdlPvSt11align_val_tRKSt9nothrow_t _ZdaPvSt11align_val_tRKSt9nothrow_t
    }
}
