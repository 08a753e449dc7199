//! Runs programs under allocators and measures them honestly.
//!
//! ```text
//! session ── which workload and which allocator is next; asks launch for one run, stats whether it was enough
//!    │
//!    ▼
//! launch (heapwright, fat) ──exec──► helper (small, fresh) ──fork, exec──► CMD
//!    ▲                                   │ wait4
//!    └────────── one line of figures ────┘
//! ```
//!
//! What there is, in reading order: [`allocator`] and [`discover`] (which allocators this machine has), [`probe`]
//! (does a library really become malloc, and which version is it), [`resolve`] and [`inspect`] (can this program be
//! interposed), [`helper`] and [`launch`] (one measured run), [`definition`] and [`workload`] (what is run), [`metrics`]
//! (what it prints), [`prepare`] and [`warm`] (the machine put in order), [`cpus`], [`stats`], [`claim`] (what a ratio shows) and
//! [`session`] (many runs), [`machine`], [`summary`] and [`result`] (what the result file says), [`whole`] (how files are written).
//!
//! The library never prints; the command does.

pub mod allocator;
pub mod claim;
pub mod closest;
pub mod compare;
pub mod cpus;
pub mod definition;
pub mod discover;
pub mod environment;
pub mod fail_if;
pub mod helper;
pub mod inspect;
pub mod launch;
pub mod machine;
pub mod metrics;
mod pipe;
pub mod prepare;
pub mod probe;
pub mod resolve;
pub mod result;
pub mod rng;
pub mod session;
pub mod stats;
pub mod summary;
#[doc(hidden)]
pub mod testing;
mod tree;
pub mod warm;
pub mod whole;
pub mod words;
pub mod workload;
