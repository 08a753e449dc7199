//! Blocks without an operating system, and the kernel's allocators, under the suite.

mod block_flaws;
mod block_misuse;
mod block_shapes;
mod blocks;
mod bodies;
mod exhaustive;
mod kernels;
mod robson;
