//! Block allocators behind one trait: ours, and those of other people they are compared with.
//!
//! `subjects` names them and visits them; `peers` holds the wrappers; `kernel` is the kernel's allocators, likewise. The programs that compare them are this package's own
//! (`cargo xtask blocks`) and the workloads of `heapwright bench`.

pub mod kernel;
pub mod peers;
pub mod subjects;
