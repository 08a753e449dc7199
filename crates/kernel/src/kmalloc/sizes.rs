//! The sizes of kmalloc, and which one a request gets.
//!
//! ```text
//! request  1…8  …16  …32  …64  …96  …128  …192 │ …256  …512  …1k  …2k  …4k  …8k │ …4M
//! size       8   16   32   64   96   128   192 │  256   512   1k   2k   4k   8k │ pages, a power of two
//!           by a table of 24 entries           │ by the highest bit             │
//! ```
//!
//! Pure functions, O(1). Linux 6.12, `mm/slab_common.c`, as its behaviour is described.

use crate::kmem_cache::order;

pub(super) const COUNT: usize = 13;

/// The sizes that have a cache.
pub const SIZES: [usize; COUNT] = [8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192];

pub(super) const NAMES: [&str; COUNT] = [
    "kmalloc-8",
    "kmalloc-16",
    "kmalloc-32",
    "kmalloc-64",
    "kmalloc-96",
    "kmalloc-128",
    "kmalloc-192",
    "kmalloc-256",
    "kmalloc-512",
    "kmalloc-1k",
    "kmalloc-2k",
    "kmalloc-4k",
    "kmalloc-8k",
];

/// The largest size that has a cache.
pub const LARGEST_CACHED: usize = SIZES[COUNT - 1];

/// The largest request up to which the table decides.
const TABLE_END: usize = 192;

/// Which size a request of 8 n + 1 to 8 n + 8 bytes has.
const TABLE: [u8; TABLE_END / 8] = {
    let mut table = [0; TABLE_END / 8];
    let (mut at, mut index) = (0, 0);
    while at < table.len() {
        if (at + 1) * 8 > SIZES[index] {
            index += 1;
        }
        table[at] = base::bits::low8(index);
        at += 1;
    }
    table
};

#[inline]
pub(super) const fn index(size: usize) -> usize {
    if size <= TABLE_END {
        return TABLE[(size - 1) / 8] as usize;
    }
    // 193 … 256 has 8 bits less one, and is the eighth size.
    (usize::BITS - (size - 1).leading_zeros()) as usize - 1
}

const _: () = assert!(index(256) == 7 && SIZES[7] == 256 && index(8192) == COUNT - 1);

/// How many bytes a request of `size` gets where pages have `page` bytes: none for none, and `None` for more than 1,024 pages.
#[must_use]
pub const fn size_roundup(size: usize, page: usize) -> Option<usize> {
    match size {
        0 => Some(0),
        1..=LARGEST_CACHED => Some(SIZES[index(size)]),
        _ if size > page << order::LARGEST => None,
        _ => Some(page << order::get_order(size, page)),
    }
}
