//! The registry: which allocators there are, and what each is, said once.
//!
//! ```text
//! a row ─► default types and features of the facade        crates/heapwright
//!        ─► a malloc, its drop-in and their tests          crates/malloc, abi, tests, tools/cli, xtask dist
//!        ─► a kind for the test kit, with its abilities    testkit, model-based tests, fuzz targets
//!        ─► a subject of the benches                       bench/blocks, `heapwright bench --region`, `bench kernel-sweep`
//! ```
//!
//! There are three tables: [`blocks!`], blocks of any size out of memory that is given; [`mallocs!`], whole mallocs; and
//! [`kernels!`], what a kernel has beside a malloc. A crate that needs types calls one of them with a macro of its own, which
//! is handed every row; what needs only names, such as a build script, reads [`BLOCKS`], [`MALLOCS`] and [`KERNELS`].
//! `docs/adding-an-allocator.md` adds one.
//!
//! Layer *registry*, below all others: no code, no dependency.
#![no_std]

// The macros name one another by this crate's name, here too.
extern crate self as registry;

/// Calls the macro `$then` with a row for every block allocator.
///
/// - `name`: what it is called on command lines, in tables and in files.
/// - `id`: the same as an identifier.
/// - `about`: one line for lists and documentation.
/// - `type`: the type, made by `new`. Whoever uses it depends on its crate.
/// - `feature`: the facade's feature that makes it the default; the first one of several counts.
/// - `malloc`: what makes it a malloc behind one lock, and so a drop-in. `Growing`: its blocks are freed by their
///   address alone. `Prefixed`: they are freed with their size, which goes in front of them. Nothing: it is no malloc.
/// - `abilities`: the traits it has beside the two that all have: `check walk stats usable resize free remove owns reset`.
/// - `serves`: a rule of the test kit's module `room`: which free memory surely serves a layout.
/// - `enough`: bytes of a piece of memory that it takes, wherever the piece begins; 2 KiB at the least.
/// - `grows`: whether a block can grow without a copy to somewhere else: `Never`, `Forward` or `BothWays`.
/// - `keeps`: `apart` if neighbours that are free may stay two pieces; `until_all` if what is freed serves again only
///   when all of its memory is free, so that no endless program runs on it; else nothing.
#[macro_export]
macro_rules! blocks {
    ($($then:ident)::+ $([$($with:tt)*])?) => {
        $($then)::+! {
            $([$($with)*])?
            {
                name: "tlsf", id: tlsf,
                about: "two-level segregated fit: constant time, whatever has been allocated before",
                type: ::block::tlsf::Tlsf, feature: ["alloc-tlsf"], malloc: [Growing],
                abilities: [check walk stats usable resize free remove owns reset],
                serves: good, enough: 8 << 10, grows: BothWays, keeps: [],
            }
            {
                name: "half-fit", id: half_fit,
                about: "bins of powers of two: constant time with less to search and more waste",
                type: ::block::tlsf::HalfFit, feature: [], malloc: [],
                abilities: [check walk stats usable resize free remove owns reset],
                serves: half, enough: 16 << 10, grows: Never, keeps: [],
            }
            {
                name: "first-fit", id: first_fit,
                about: "the lowest address that is large enough",
                type: ::block::fit::FirstFit, feature: ["alloc-first-fit"], malloc: [Growing],
                abilities: [check walk stats usable resize free remove owns reset],
                serves: exact, enough: 8 << 10, grows: Forward, keeps: [],
            }
            {
                name: "next-fit", id: next_fit,
                about: "the first that is large enough after the block served last",
                type: ::block::fit::NextFit, feature: ["alloc-next-fit"], malloc: [Growing],
                abilities: [check walk stats usable resize free remove owns reset],
                serves: exact, enough: 8 << 10, grows: Forward, keeps: [],
            }
            {
                name: "best-fit", id: best_fit,
                about: "the smallest that is large enough",
                type: ::block::fit::BestFit, feature: ["alloc-best-fit"], malloc: [Growing],
                abilities: [check walk stats usable resize free remove owns reset],
                serves: exact, enough: 8 << 10, grows: Forward, keeps: [],
            }
            {
                name: "worst-fit", id: worst_fit,
                about: "the largest",
                type: ::block::fit::WorstFit, feature: ["alloc-worst-fit"], malloc: [Growing],
                abilities: [check walk stats usable resize free remove owns reset],
                serves: exact, enough: 8 << 10, grows: Forward, keeps: [],
            }
            {
                name: "buddy", id: buddy,
                about: "powers of two, halved and joined again; no header in a block in use",
                type: ::block::buddy::Buddy, feature: ["alloc-buddy"], malloc: [Prefixed],
                abilities: [check walk stats remove owns reset],
                serves: powers, enough: 16 << 10, grows: Never, keeps: [apart],
            }
            {
                name: "slab", id: slab,
                about: "slabs of size classes over a buddy system of pages",
                type: ::kernel::size_slabs::SizeSlabs, feature: ["alloc-slab"], malloc: [],
                abilities: [check stats remove owns reset],
                serves: generous, enough: 256 << 10, grows: Never, keeps: [apart],
            }
            {
                name: "sharded", id: sharded,
                about: "mimalloc's design: pages of one size each, two free lists in each page, slices of a segment",
                type: ::block::sharded::Sharded, feature: ["alloc-sharded"], malloc: [],
                abilities: [check stats usable free remove owns reset],
                serves: generous, enough: 64 << 10, grows: Never, keeps: [apart],
            }
            // A new row goes here.
        }
    };
}

/// Calls the macro `$then` with the name, identifier, line, type and word of every block allocator that is a malloc.
#[macro_export]
macro_rules! single_locks {
    ($($then:ident)::+ $([$($with:tt)*])?) => {
        $crate::blocks! { registry::single_locks [[$($then)::+] $([$($with)*])?] }
    };
    ([[$($then:ident)::+] $($with:tt)?] $({
        name: $name:literal, id: $id:ident, about: $about:literal,
        type: $type:ty, feature: $feature:tt, malloc: [$($malloc:ident)?], $($rest:tt)*
    })*) => {
        $($then)::+! {
            $($with)?
            $($({ name: $name, id: $id, about: $about, type: $type, malloc: $malloc })?)*
        }
    };
}

/// Calls the macro `$then` with the name, identifier, line and module of every malloc but the flagship: those behind one lock,
/// and those of this table.
///
/// - `name`, `id`, `about`: as in [`blocks!`].
/// - `module`: where its type `Malloc` and its `new` are. Whoever uses it depends on its crate.
/// - `settings`: its own keys of the variable `HEAPWRIGHT`, beside those that all have.
/// - `abilities`: `threads` (no lock that all share on the usual path), `returns` (free memory goes back to the system without
///   being asked), `misuse` (what is freed twice or is no block ends the process with a message, where it is seen), `heaps`
///   (blocks that can all be freed at once).
#[macro_export]
macro_rules! mallocs {
    ($then:ident) => {
        $crate::single_locks! { registry::mallocs [$then] }
    };
    ([$then:ident] $({
        name: $name:literal, id: $id:ident, about: $about:literal, type: $type:ty, malloc: $malloc:ident
    })*) => {
        $then! {
            $({
                name: $name, id: $id, about: $about, module: [::malloc::single_lock::$id], settings: [],
                abilities: [returns],
            })*
            {
                name: "thread-caching", id: thread_caching,
                about: "TCMalloc's design: lists in each thread, central lists, spans of pages",
                module: [::malloc::thread_caching], settings: ["cache" "caches" "page" "walk"],
                abilities: [threads returns misuse],
            }
            {
                name: "superslab", id: superslab,
                about: "slabs in superslabs of 2 MiB, magazines, a queue for each thread",
                module: [::malloc::superslab],
                settings: ["superslab" "magazine" "lazy_init" "reuse_pool" "one_lookup" "depot" "remote_queue"],
                abilities: [threads returns misuse],
            }
            {
                name: "sharded", id: sharded,
                about: "mimalloc's design: a heap in each thread, three free lists in each page",
                module: [::malloc::sharded], settings: ["shuffle"],
                abilities: [threads returns misuse heaps],
            }
            // A new malloc's row goes here.
        }
    };
}

/// Calls the macro `$then` with a row for every allocator of the kernel's kind.
///
/// - `name`, `id`, `about`: as in [`blocks!`].
/// - `kind`: what it hands out, and so what `make` is: a closure that makes one. Whoever uses it depends on its crate.
///   - `handles`, `|pages, classes|`: objects that are reached by a handle, `base::HandleAllocator`. `classes` are
///     `handle::zsmalloc::Classes`, the sizes and chains, for what has some.
///   - `caches`, `|pages, size|`: objects of one size.
///   - `objects`, `|pages|`: objects of any size, at an address.
///   - `pages`, `|source|`: whole pages, out of a `source::FrameSource`.
///
///   `pages` are any `base::PageAllocator`.
/// - `settings`: what can be set where it is measured: `-a zsmalloc:chain=4`.
/// - `abilities`: the traits it has beside those of its kind, `check map pin compact`; and words for what is no trait: `bulk` (many
///   at once, or none), `reserve` (some that cannot fail later), `near` (beside another object), `ctor` (objects keep their state
///   while they are free), `shrink` (free memory goes back when asked), `misuse` (a wrong pointer is refused with a message),
///   `size` (says how many bytes an object has), `resize`, `aligned`, `map_frames` (frames of the caller's in a row).
#[macro_export]
macro_rules! kernels {
    ($($then:ident)::+ $([$($with:tt)*])?) => {
        $($then)::+! {
            $([$($with)*])?
            {
                name: "xvmalloc", id: xvmalloc,
                about: "best fit within a page, 4 bytes in front of an object; cannot be compacted",
                kind: handles, make: |pages, _| ::handle::XvMalloc::new(pages), settings: [],
                abilities: [check map pin],
            }
            {
                name: "zsmalloc", id: zsmalloc,
                about: "chains of 1 to 8 pages cut into objects of one class; compacts",
                kind: handles, make: |pages, classes| ::handle::ZsMalloc::new(pages, classes),
                settings: ["chain" "rule"],
                abilities: [check map pin compact],
            }
            {
                name: "zbud", id: zbud,
                about: "at most two objects in a page",
                kind: handles, make: |pages, _| ::handle::Zbud::new(pages), settings: [],
                abilities: [check map pin],
            }
            {
                name: "kmem_cache", id: kmem_cache,
                about: "a cache of objects of one size: slabs, magazines, constructors, checks",
                kind: caches,
                make: |pages, size| ::kernel::kmem_cache::KmemCache::new(
                    ::kernel::kmem_cache::Settings::new("cache", size)
                        .policy(::kernel::kmem_cache::Policy::Magazine(0)),
                    pages,
                ),
                settings: [],
                abilities: [check bulk reserve near ctor shrink misuse size],
            }
            {
                name: "kmalloc", id: kmalloc,
                about: "thirteen such caches from 8 bytes to 8 KiB, and pages above",
                kind: objects,
                make: |pages| ::kernel::kmalloc::Kmalloc::new(pages, ::kernel::kmalloc::Options::default()),
                settings: [],
                abilities: [check bulk shrink misuse size resize],
            }
            {
                name: "vmalloc", id: vmalloc,
                about: "whole pages in a row over frames that lie anywhere, a guard page behind them",
                kind: pages,
                make: |source| {
                    let limits = ::kernel::vmalloc::VmallocLimits::of(&source);
                    ::kernel::vmalloc::Vmalloc::new(source, limits)
                },
                settings: [],
                abilities: [check misuse size resize aligned map_frames],
            }
            // A new row of the kernel's goes here.
        }
    };
}

/// A row of [`blocks!`] without its types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// What it is called on command lines, in tables and in files.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// The facade's feature that makes it the default, if there is one.
    pub feature: Option<&'static str>,
    /// Whether it is a malloc behind one lock, and so a drop-in library.
    pub is_malloc: bool,
    /// The words for its traits.
    pub abilities: &'static [&'static str],
    /// What it does not give back as others do: `apart`, `until_all`.
    pub keeps: &'static [&'static str],
}

macro_rules! rows {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        type: $type:ty, feature: [$($feature:literal)?], malloc: [$($malloc:ident)?],
        abilities: [$($ability:ident)*],
        serves: $serves:ident, enough: $enough:expr, grows: $grows:ident, keeps: [$($keeps:ident)*],
    })*) => {
        /// Every block allocator, in the order of lists and tables.
        pub const BLOCKS: &[Block] = &[$(Block {
            name: $name,
            about: $about,
            feature: first(&[$($feature)?]),
            is_malloc: first(&[$(stringify!($malloc))?]).is_some(),
            abilities: &[$(stringify!($ability)),*],
            keeps: &[$(stringify!($keeps)),*],
        }),*];
    };
}

const fn first(of: &[&'static str]) -> Option<&'static str> {
    match of {
        [first, ..] => Some(*first),
        [] => None,
    }
}

blocks!(rows);

/// Whether what is freed serves again while other blocks live: a long program can run on it. Names that are no row's are others'.
#[must_use]
pub fn reuses(name: &str) -> bool {
    !BLOCKS.iter().any(|block| block.name == name && block.keeps.contains(&"until_all"))
}

/// A row of [`mallocs!`] without its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malloc {
    /// What it is called on command lines, in tables and in files.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// Its own keys of the variable `HEAPWRIGHT`.
    pub settings: &'static [&'static str],
    /// The words for what it can do beside a malloc's calls.
    pub abilities: &'static [&'static str],
}

/// The flagship's abilities: those of [`Malloc`], and a safe mode.
pub const FLAGSHIP: &[&str] = &["threads", "returns", "misuse", "heaps", "safe"];

macro_rules! names {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        module: $module:tt, settings: [$($setting:literal)*], abilities: [$($ability:ident)*],
    })*) => {
        /// Every malloc but the flagship, each a drop-in library.
        pub const MALLOCS: &[Malloc] = &[$(Malloc {
            name: $name,
            about: $about,
            settings: &[$($setting),*],
            abilities: &[$(stringify!($ability)),*],
        }),*];
    };
}

mallocs!(names);

/// The names of all mallocs but the flagship.
pub fn mallocs() -> impl Iterator<Item = &'static str> {
    MALLOCS.iter().map(|malloc| malloc.name)
}

/// Allocators of others that a whole program can be put on beside ours (`heapwright bench --region`): `bench/blocks` has
/// them. The last are the fits as the texts have them, which walk a list.
pub const PEERS: [&str; 8] = [
    "rlsf",
    "talc",
    "buddy_system_allocator",
    "linked_list_allocator",
    "dlmalloc",
    "list-first-fit",
    "list-best-fit",
    "list-worst-fit",
];

/// TLSF in C, on a region like those: a library that is loaded where it is there.
pub const TLSF_C: &str = "tlsf-c";

/// Ours that have no row, since they are another's form: TLSF as an arena, whose end moves with what is asked for. They are
/// measured on a region beside it.
pub const FORMS: [&str; 1] = ["tlsf-arena"];

/// What an allocator of the kernel's kind hands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Objects behind handles, which may move.
    Handles,
    /// Objects of one size.
    Caches,
    /// Objects of any size, at an address.
    Objects,
    /// Whole pages.
    Pages,
}

impl Kind {
    /// The word of its rows, and of definitions of workloads.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Handles => "handles",
            Kind::Caches => "caches",
            Kind::Objects => "objects",
            Kind::Pages => "pages",
        }
    }
}

/// A row of [`kernels!`] without its types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kernel {
    /// What it is called on command lines, in tables and in files.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// What it hands out.
    pub kind: Kind,
    /// What can be set where it is measured.
    pub settings: &'static [&'static str],
    /// The words for what it can do beside that.
    pub abilities: &'static [&'static str],
}

macro_rules! kind {
    (handles) => {
        Kind::Handles
    };
    (caches) => {
        Kind::Caches
    };
    (objects) => {
        Kind::Objects
    };
    (pages) => {
        Kind::Pages
    };
}

macro_rules! kernel_rows {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        kind: $kind:ident, make: $make:expr, settings: [$($setting:literal)*], abilities: [$($ability:ident)*],
    })*) => {
        /// Every allocator of the kernel's kind, in the order of lists and tables.
        pub const KERNELS: &[Kernel] = &[$(Kernel {
            name: $name,
            about: $about,
            kind: kind!($kind),
            settings: &[$($setting),*],
            abilities: &[$(stringify!($ability)),*],
        }),*];
    };
}

kernels!(kernel_rows);
