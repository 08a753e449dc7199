//! Runs every program of `tests/c` and of the workspace's `tests/misuse` on `libheapwright.so`.
//!
//! Each program checks one rule of C, C++, POSIX or glibc, or one way of surviving; its first line names the rule. Here it
//! is compiled with the system's compiler, run with the library preloaded, and, where it says `// also: glibc`, run
//! on the C library's own malloc too, which proves the program itself. See [`source`] for the marks a program can carry.
//!
//! `HEAPWRIGHT_SO=/path/lib.so cargo test -p heapwright-abi` runs them on another library.
#![expect(clippy::disallowed_macros, reason = "the runner is no part of the allocator: it may format and print")]

#[path = "runner/exports.rs"]
mod exports;
#[path = "runner/library.rs"]
mod library;
#[path = "runner/run.rs"]
mod run;
#[path = "runner/source.rs"]
mod source;

/// One `#[test]` per program, named like its file, and one that compares the list with the directory.
macro_rules! programs {
    ($directory:literal, $extension:literal: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            crate::run::program(concat!($directory, "/", stringify!($name), ".", $extension));
        })*

        #[test]
        fn the_list_is_complete() {
            crate::source::assert_listed($directory, $extension, &[$(stringify!($name)),*]);
        }
    };
}

mod c {
    programs! { "tests/c", "c":
        aligned_alloc aligned_alloc_invalid aligned_overflow aligned_realloc calloc_overflow calloc_zero calloc_zero_size
        cfree free_aligned_sized free_errno free_null free_sized header libc_aliases libc_internal_callers mallinfo
        malloc_alignment malloc_disjoint malloc_info malloc_info_invalid malloc_stats malloc_too_large malloc_trim
        malloc_zero mallopt memalign own_check own_heap own_heap_errors own_heap_threads own_purge own_stats
        own_stats_print posix_memalign posix_memalign_invalid realloc_contents realloc_failure realloc_neighbours
        realloc_null realloc_zero reallocarray usable_size usable_size_writable valloc valloc_overflow
    }
}

mod cxx {
    programs! { "tests/c", "cc":
        delete_null header_cxx new_bad_alloc new_forms new_handler new_handler_frees new_mixed_with_malloc new_nothrow
        new_replaced new_replaced_aligned new_replaced_array new_replaced_throws new_wraps new_zero
    }
}
