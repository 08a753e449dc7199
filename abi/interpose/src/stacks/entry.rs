//! The recording functions where stacks are recorded: those that allocate note first where they were called from.

use core::mem::offset_of;

use crate::names::{Slot, Table, each_name};
use crate::stacks;
use crate::thread::Thread;

macro_rules! table {
    ($($name:ident: $type:ty;)*) => {
        /// The recording functions, with stacks.
        pub(crate) static STACKS: Table = Table { $($name: Slot::of(of::$name as *const ()),)* };
    };
}
each_name!(table);

/// Where a thread notes its caller.
const SP: usize = offset_of!(Thread, caller) + stacks::SP;
const RBP: usize = offset_of!(Thread, caller) + stacks::RBP;

/// Whether the thread is in a call already, whose caller it is that counts.
const BUSY: usize = offset_of!(Thread, busy);

macro_rules! noting {
    ($($name:ident => $function:path;)*) => {$(
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name() {
            crate::imp::note_caller!(super::BUSY, super::SP, super::RBP, $function)
        }
    )*};
}

/// By the names they are exported under: those that allocate stand in place of those of [`record`](crate::record).
#[allow(non_snake_case, reason = "the names of C++")]
mod of {
    use super::after;
    use crate::names::Table;
    use crate::record;
    pub(super) use crate::record::of::*;

    noting! {
        malloc => record::malloc;
        calloc => record::calloc;
        realloc => record::realloc;
        reallocarray => record::reallocarray;
        memalign => record::memalign;
        aligned_alloc => record::aligned_alloc;
        posix_memalign => record::posix_memalign;
        valloc => record::valloc;
        pvalloc => record::pvalloc;
    }

    crate::operators::new! {
        _Znwm => after::plain;
        _Znam => after::plain;
        _ZnwmRKSt9nothrow_t => after::plain;
        _ZnamRKSt9nothrow_t => after::plain;
        _ZnwmSt11align_val_t => after::aligned;
        _ZnamSt11align_val_t => after::aligned;
        _ZnwmSt11align_val_tRKSt9nothrow_t => after::aligned;
        _ZnamSt11align_val_tRKSt9nothrow_t => after::aligned;
    }
}

/// Behind an operator's call, where all is as it was before it.
mod after {
    use crate::operators;

    noting! {
        plain => operators::after;
        aligned => operators::after_aligned;
    }
}
