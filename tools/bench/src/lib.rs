//! Runs programs under allocators and measures them honestly.
//!
//! ```text
//! session ── asks plan for an order, launch for one run, stats for the verdict
//!    │
//!    ▼
//! launch (heapwright, fat) ──exec──► helper (small, fresh) ──fork, exec──► CMD
//!    ▲                                   │ wait4
//!    └────────── one line of figures ────┘
//! ```
//!
//! What there is, in reading order: [`allocator`] and [`discover`] (which allocators this machine has), [`probe`]
//! (does a library really become malloc, and which version is it), [`resolve`] and [`inspect`] (can this program be
//! interposed), [`helper`] and [`launch`] (one measured run), [`warm`], [`plan`], [`stats`] and [`session`] (many of them),
//! [`machine`] and [`report`] (what the result file says).
//!
//! The library never prints; the command does.

pub mod allocator;
pub mod closest;
pub mod definition;
pub mod discover;
pub mod environment;
pub mod helper;
pub mod inspect;
pub mod launch;
pub mod machine;
pub mod plan;
pub mod probe;
pub mod report;
pub mod resolve;
pub mod result;
pub mod rng;
pub mod session;
pub mod stats;
pub mod warm;
