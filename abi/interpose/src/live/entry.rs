//! What is exported where what is live is kept: functions that allocate as with stacks, and functions that free of its own.

use core::mem::offset_of;

use crate::names::{Table, each_name, table};
use crate::next::next;

// The functions that keep what is live.
each_name!(table pub(crate) LIVE:);

/// By the names they are exported under.
#[allow(non_snake_case, reason = "the names of C++")]
mod of {
    use super::{Table, next, offset_of};
    use crate::live;
    pub(super) use crate::noting::of::*;

    pub(super) unsafe extern "C" fn free(block: *mut u8) {
        // SAFETY: the caller's promise.
        live::freed(block, || unsafe { next().free.get()(block) });
    }

    pub(super) unsafe extern "C" fn cfree(block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { free(block) }
    }

    pub(super) unsafe extern "C" fn free_sized(block: *mut u8, size: usize) {
        // SAFETY: the caller's promise.
        live::freed(block, || unsafe { next().free_sized.get()(block, size) });
    }

    pub(super) unsafe extern "C" fn free_aligned_sized(block: *mut u8, align: usize, size: usize) {
        // SAFETY: the caller's promise.
        live::freed(block, || unsafe { next().free_aligned_sized.get()(block, align, size) });
    }

    #[unsafe(naked)]
    pub(super) unsafe extern "C" fn malloc_usable_size() {
        crate::imp::jump!(crate::next::PASS, offset_of!(Table, malloc_usable_size))
    }

    crate::operators::delete!(crate::live::freed);
}
