//! Every workload, a small part of each.

mod common;

mod each;
mod kernel;
mod ours;
mod real;
mod texts;
