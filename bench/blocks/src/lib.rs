//! Block allocators behind one trait: ours, and those of other people they are compared with.
//!
//! `subjects` names them and visits them; `peers` holds the wrappers; `list` is the fits as the texts have them, `tlsf_c` TLSF in C; `kernel` is the kernel's allocators, likewise. The programs that compare them are this package's own
//! (`cargo xtask blocks`) and the workloads of `heapwright bench`.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]
#![allow(missing_debug_implementations, reason = "nobody prints an allocator")]

mod arena;
pub mod kernel;
pub mod list;
pub mod peers;
pub mod subjects;
pub mod tlsf_c;
