//! Every workload, a small part of each.

mod common;

mod community;
mod kernel;
mod ours;
mod real;
mod texts;
