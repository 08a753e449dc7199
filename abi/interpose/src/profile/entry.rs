//! What is exported while only samples are taken: a few instructions in front of the next malloc.

use crate::names::{each_name, table};
use crate::thread::{BUSY, RBP, SP, UNTIL};
use recorder::blocks::{COUNTS, PAGE};

// The functions that sample.
each_name!(table pub(crate) PROFILE:);

/// Those that allocate: what the size takes to compute, and where it is then.
macro_rules! counting {
    ($($name:ident: $prepare:literal, $size:literal;)*) => {$(
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name() {
            crate::imp::count_down!(
                [super::UNTIL, super::BUSY, super::SP, super::RBP], $prepare, $size,
                [crate::next::PASS, core::mem::offset_of!(Table, $name)], super::super::$name
            )
        }
    )*};
}

/// Those that free.
macro_rules! filtering {
    ($($name:ident)*) => {$(
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name() {
            crate::imp::filtered!(
                [super::COUNTS, super::PAGE],
                [crate::next::NEXT, crate::next::PASS, core::mem::offset_of!(Table, $name)],
                recorder::sampling::gone
            )
        }
    )*};
}

/// Those that do both.
macro_rules! resizing {
    ($($name:ident: $prepare:literal, $size:literal;)*) => {$(
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name() {
            crate::imp::filtered_and_counted!(
                [super::COUNTS, super::PAGE],
                [super::UNTIL, super::BUSY, super::SP, super::RBP], $prepare, $size,
                [crate::next::PASS, core::mem::offset_of!(Table, $name)], super::super::$name
            )
        }
    )*};
}

/// Those of which nothing is written.
macro_rules! passing {
    ($($name:ident)*) => {$(
        #[unsafe(naked)]
        pub(super) unsafe extern "C" fn $name() {
            crate::imp::jump!(crate::next::PASS, core::mem::offset_of!(Table, $name))
        }
    )*};
}

/// By the names they are exported under.
#[allow(non_snake_case, reason = "the names of C++")]
mod of {
    use super::after;
    use crate::names::Table;
    pub(super) use crate::process::{
        dlclose, execv, execve, execvp, execvpe, fork, heapwright_mark,
    };

    counting! {
        malloc: "", "rdi";
        calloc: "mov rax, rdi\nimul rax, rsi", "rax";
        memalign: "", "rsi";
        aligned_alloc: "", "rsi";
        posix_memalign: "", "rdx";
        valloc: "", "rdi";
        pvalloc: "", "rdi";
    }

    resizing! {
        realloc: "", "rsi";
        reallocarray: "mov rax, rsi\nimul rax, rdx", "rax";
    }

    filtering! {
        free cfree free_sized free_aligned_sized
        _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
        _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t
        _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t
        _ZdlPvSt11align_val_tRKSt9nothrow_t _ZdaPvSt11align_val_tRKSt9nothrow_t
    }

    passing! { malloc_usable_size mmap mmap64 munmap }

    crate::operators::new!(
        crate::profile::before_new,
        crate::next::PASS,
        after::plain,
        after::aligned
    );
}

/// Behind an operator's call, where all is as it was before it.
mod after {
    crate::noting::noting! {
        plain => crate::profile::after_new;
        aligned => crate::profile::after_aligned_new;
    }
}
