//! The flagship and what stands beside it, under the suite; the C malloc of a process in a program of its own.

mod charge;
mod flagship;
mod page_sizes;
mod torture;
