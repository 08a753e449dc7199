//! Runs every program of `tests/c` and of the workspace's `tests/misuse` on `libheapwright.so`.
//!
//! Each program checks one rule of C, C++, POSIX or glibc, or one way of surviving; its first line names the rule. Here it
//! is compiled with the system's compiler, run with the library preloaded, and, where it says `// also: glibc`, run
//! on the C library's own malloc too, which proves the program itself. See [`source`] for the marks a program can carry.
//!
//! The rules that are for any malloc are tried on the drop-in libraries of the classic designs too, and under a kernel that
//! refuses.
//!
//! `HEAPWRIGHT_SO=/path/lib.so cargo test -p heapwright-abi` runs them on another library; `cargo xtask port` on another C
//! library or processor, see [`target`].
#![expect(
    clippy::disallowed_macros,
    reason = "the runner is no part of the allocator: it may format and print"
)]

#[path = "runner/build.rs"]
mod build;
#[path = "runner/exports.rs"]
mod exports;
#[path = "runner/library.rs"]
mod library;
#[path = "runner/readme.rs"]
mod readme;
#[path = "runner/refused.rs"]
mod refused;
#[path = "runner/run.rs"]
mod run;
#[path = "runner/source.rs"]
mod source;
#[path = "runner/target.rs"]
mod target;

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
        aligned_alloc aligned_alloc_invalid aligned_overflow aligned_realloc archive_dlopen background_begins background_confined background_idle
        background_raw_exit calloc_overflow calloc_untouched calloc_zero calloc_zero_size cfree cgroup_limit
        cgroup_limit_hidden cgroup_limit_mapped cgroup_limit_near
        clock_replaced config_safe config_setuid config_unknown_key config_unknown_keys confined confined_fork confined_threads descriptors dlmopen dlopen_deepbind
        dlopen_deepbind_early dlopen_deepbind_exchange dlopen_deepbind_threads dlopen_library dlopen_mode dlopen_origin
        dlopen_plugins dlopen_same dlopen_static_tls dump_reserved early_malloc exhaustion exit_detached
        exit_with_threads fork_chain fork_few_faults fork_handlers fork_heaps fork_in_child_thread fork_locker fork_nested fork_pool
        fork_raw fork_signal fork_signal_threads fork_starting_thread fork_stdio fork_step fork_threads fork_untouched
        free_aligned_sized free_errno free_null free_sized growth_asks_nothing header hidden_thread huge_disabled huge_sparse huge_unasked huge_waste interrupted_exit interrupted_threads late_malloc libc_aliases
        libc_internal_callers linked linked_archive linked_static mallinfo mallinfo_first_thread mallinfo_trim malloc_alignment malloc_disjoint malloc_info
        malloc_info_invalid malloc_stats malloc_too_large malloc_trim malloc_trim_keep malloc_zero mallopt maps_exhausted maps_few
        maps_realloc maps_split memalign mlockall overflow_guards own_check own_check_moved own_check_pending own_check_shrunk own_heap
        own_heap_count own_heap_errors own_heap_large own_heap_sized own_heap_threads own_purge own_stats own_stats_print own_walk
        posix_memalign posix_memalign_invalid purge_after_shrinking purge_does_nothing purge_small_after_large purge_while_quiet
        realloc_contents realloc_failure realloc_moved_rest realloc_neighbours realloc_null realloc_rlimit realloc_steps realloc_swing
        realloc_too_large realloc_vectors realloc_zero reallocarray
        refused_calls_few refused_futex refused_madvise refused_memory refused_mlock_part refused_mlockall
        region_full region_terabyte rlimit_as rlimit_as_again rlimit_as_freed rlimit_as_growth rlimit_as_holes rlimit_as_late rlimit_as_lifted
        rlimit_as_running rlimit_as_runs rlimit_as_small rlimit_as_thread rlimit_as_tiny rlimit_data rlimit_data_freed rlimit_stack seccomp
        signal_limits small_stack static_dlopen stats_file stats_timed stderr_is_ours stress syscall_dispatch thread_cancel thread_churn thread_detached_idle thread_exit_main thread_few_kept thread_idle_runs
        thread_frees_all thread_keys thread_keys_taken thread_late_bulk thread_late_free thread_phases
        thread_producer thread_vanished thread_wave_idle thread_wave_trimmed threads_exit_order trim_while_busy untouched_blocks usable_size usable_size_waste
        usable_size_writable valloc valloc_overflow vfork_exec
    }
}

mod cxx {
    programs! { "tests/c", "cc":
        archive_new_bad_alloc archive_new_replaced archive_new_replaced_array delete_null header_cxx
        new_bad_alloc new_forms new_handler new_handler_frees new_mixed_with_malloc new_nothrow new_replaced
        new_replaced_aligned new_replaced_array new_replaced_throws new_wraps new_zero safe_sized_delete static_new_bad_alloc
        static_new_handler static_thread_local thread_local
    }
}

mod misuse {
    programs! { "../tests/misuse", "c":
        free_aligned_sized_unaligned_safe free_aligned_sized_wrong_safe free_before_any_malloc free_integer free_interior_huge free_interior_large free_interior_pending_check
        free_interior_small free_interior_small_safe free_literal free_mmap free_never_allocated_safe
        free_offset_large free_sized_large_safe free_sized_run_wrong_safe
        free_sized_stack_pending_check free_sized_stack_safe free_sized_wrong_safe free_stack
        free_static free_twice_huge free_twice_kept_200000 free_twice_kept_70000 free_twice_large free_twice_large_thread free_twice_pending_check free_twice_small
        free_twice_small_safe free_twice_thread_safe free_unused_address free_wild free_wild_interrupted realloc_freed_huge
        realloc_freed_kept realloc_freed_large realloc_freed_small_safe realloc_interior_large
        realloc_interior_small_safe realloc_kept_thread realloc_stack usable_size_freed_safe usable_size_interior_safe
        usable_size_stack
    }
}

mod misuse_cxx {
    programs! { "../tests/misuse", "cc":
        delete_aligned_sized_wrong_safe delete_array_sized_wrong_safe delete_sized_wrong_safe delete_stack
        delete_twice_large
    }
}

/// A kernel that refuses what an allocator can do without: all programs that are for any malloc, but for those whose rule
/// needs what is refused.
mod refusing_kernel {
    #[test]
    fn every_call_at_once() {
        crate::refused::all_at_once();
    }

    #[test]
    fn one_call_at_a_time() {
        crate::refused::one_at_a_time();
    }

    /// `cargo test -p heapwright-abi --test c every_call_with_every_error -- --ignored`
    #[test]
    #[ignore = "6,000 runs, an hour"]
    fn every_call_with_every_error() {
        crate::refused::product();
    }
}

/// One `#[test]` per classic design: all programs that are for any malloc, one after the other, but for those that the
/// design cannot pass.
mod drop_ins {
    /// Programs that cannot pass, and why: on the designs named, or on those behind one lock.
    const WITHOUT: &[(&str, &str, &str)] = &[
        (
            "",
            "a block that cannot grow in place is copied, so old and new are there at once",
            "rlimit_as_growth realloc_steps realloc_vectors",
        ),
        ("", "calloc writes all of a block, but for one with a chunk of its own", "huge_disabled"),
        (
            "",
            "a header is written into each block, so a page of each becomes resident",
            "region_terabyte",
        ),
        ("", "an address that is no block's is not noticed, so nothing is said", "stderr_is_ours"),
        ("", "nothing is reserved, so a limit set late is one like any other", "rlimit_as_late"),
        (
            "",
            "memory goes back a piece at a time, when all of it is free, and a few blocks stay",
            "purge_while_quiet thread_few_kept",
        ),
        (
            "thread-caching",
            "a block of up to 8 bytes takes 8 and is aligned to 8, as C has it",
            "aligned_alloc malloc_alignment new_forms",
        ),
        (
            "thread-caching superslab sharded",
            "the message names free(), whatever was called",
            "delete_stack delete_twice_large",
        ),
        (
            "thread-caching superslab sharded",
            "what was freed serves again at once, in blocks of any size",
            "free_twice_kept_200000",
        ),
        (
            "superslab sharded",
            "what was freed serves again at once, in blocks of any size",
            "free_twice_kept_70000 free_twice_large_thread",
        ),
        (
            "superslab sharded",
            "a large block that another thread freed is live until its owner looks",
            "realloc_kept_thread",
        ),
        (
            "thread-caching",
            "an object is not looked at before it goes from a cache to its span",
            "free_interior_small",
        ),
        (
            "superslab sharded",
            "a slab or page of 64 KiB goes back when it is empty, and one block in 100 stays",
            "malloc_trim",
        ),
        (
            "sharded",
            "a segment is 4 MiB at a multiple of that, for which a limit of 6 MiB leaves no room",
            "rlimit_as_tiny",
        ),
        (
            "worst-fit",
            "every small block is cut from the largest free one, so soon no large one is left",
            "mlockall",
        ),
        (
            "buddy",
            "a block that cannot grow in place is copied, so old and new are there at once",
            "realloc_swing",
        ),
        (
            "buddy",
            "a block and its prefix take the next power of two",
            "cgroup_limit cgroup_limit_hidden huge_sparse mallinfo usable_size usable_size_waste",
        ),
        (
            "buddy",
            "a large block is at a multiple of its power of two, so there must be twice as much",
            "rlimit_as rlimit_as_running mlockall",
        ),
        ("buddy", "it takes half a minute there, half of what it has", "refused_madvise"),
        (
            "buddy",
            "two bits of state for each 16 bytes are written when memory is added",
            "calloc_untouched region_full",
        ),
    ];

    fn all_programs_on(design: &str) {
        let is_behind_one_lock =
            registry::BLOCKS.iter().any(|block| block.is_malloc && block.name == design);
        let of_design = |designs: &str| {
            let is_named = designs.split_whitespace().any(|one| one == design);
            is_named || (designs.is_empty() && is_behind_one_lock)
        };
        let without: Vec<(&str, &str)> = WITHOUT
            .iter()
            .filter(|(designs, ..)| of_design(designs))
            .flat_map(|(_, because, rules)| rules.split_whitespace().map(|rule| (rule, *because)))
            .collect();
        let row = registry::MALLOCS.iter().find(|row| row.name == design);
        let misuse = row.is_some_and(|row| row.abilities.contains(&"misuse"));
        crate::run::drop_in(design, misuse, &without);
    }

    /// Those that share the most with the others are tried when they are asked for: `cargo xtask ci designs`.
    macro_rules! tried {
        (best_fit $($rest:tt)*) => { tried! { @ignored best_fit $($rest)* } };
        (buddy $($rest:tt)*) => { tried! { @ignored buddy $($rest)* } };
        (first_fit $($rest:tt)*) => { tried! { @ignored first_fit $($rest)* } };
        (next_fit $($rest:tt)*) => { tried! { @ignored next_fit $($rest)* } };
        (worst_fit $($rest:tt)*) => { tried! { @ignored worst_fit $($rest)* } };
        (@ignored $id:ident $name:literal) => {
            #[test]
            #[ignore = "half a minute and more: cargo xtask ci designs"]
            fn $id() {
                all_programs_on($name);
            }
        };
        ($id:ident $name:literal) => {
            #[test]
            fn $id() {
                all_programs_on($name);
            }
        };
    }

    macro_rules! drop_ins {
        ($({
            name: $name:literal, id: $id:ident, about: $about:literal, module: $module:tt, settings: $settings:tt, abilities: $abilities:tt,
        })*) => {$(
            tried! { $id $name }
        )*};
    }

    registry::mallocs!(drop_ins);
}
