//! Compressed memory on real files: compressors, and what each handle allocator makes of what they leave.
//!
//! ```text
//! examples   compressed_store · density · soak
//!            │
//!            ├ compress     lz4 and zstd for a store
//!            ├ blocks       kmalloc and malloc as heaps of handles, to be compared with
//!            ├ trial        a store of real pages over one heap
//!            ├ files        pages of real files
//!            ├ resident     memory as the kernel counts it
//!            ├ density      objects of some lengths in pages
//!            ├ soak         a long random program on a heap
//!            └ pages        pages of the program's own allocator
//! ```

pub mod blocks;
pub mod compress;
pub mod density;
pub mod files;
pub mod pages;
pub mod resident;
pub mod soak;
pub mod trial;
