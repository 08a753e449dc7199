//! Runs programs under allocators and measures them honestly.
//!
//! ```text
//! session ── which workload and which allocator is next; asks for one run, stats whether it was enough
//!    │
//!    ▼
//! measured (heapwright, fat) ─exec─► helper (small, fresh) ──fork, exec──► CMD
//!    ▲                                   │ wait4
//!    └────────── one line of figures ────┘
//! ```
//!
//! Programs and allocators are found, started and ended by [`launch`]. What there is here, in reading order: [`helper`] and
//! [`measured`] (one measured run), [`definition`] and [`workload`] (what is run), [`metrics`]
//! (what it prints), [`prepare`] and [`warm`] (the machine put in order), [`cpus`], [`stats`], [`claim`] (what a ratio shows) and
//! [`session`] (many runs), [`machine`], [`summary`] and [`result`] (what the result file says), [`whole`] (how files are written).
//!
//! The library never prints; the command does.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

pub mod claim;
pub mod closest;
pub mod compare;
pub mod cpus;
pub mod definition;
pub mod fail_if;
pub mod helper;
pub mod machine;
pub mod measured;
pub mod metrics;
pub mod prepare;
pub mod result;
pub mod session;
pub mod stats;
pub mod summary;
#[doc(hidden)]
pub mod testing;
pub mod warm;
pub mod whole;
pub mod words;
pub mod workload;

// What results are made of.
pub use launch::{self, allocator};
