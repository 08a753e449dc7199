//! From addresses of a process to functions, files and lines, after it was recorded and outside of it.
//!
//! ```text
//! addresses ─► by module ─► the file, if it is the recorded one ─► its debugging information, or that of /usr/lib/debug
//!                               │                                        └► else its table of symbols
//!                               └ not the recorded one: no names, and a Trouble says so         ▼
//!                                                                           Names: functions, inlined ones too, lines
//! ```
//!
//! One file is open at a time, and none in which no address lies: memory is bounded by the largest file's debugging
//! information that is needed, and a few bytes an address. A name is never guessed. What was found is found again without
//! reading the file, but for its head.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod before;
mod debug_files;
mod demangle;
mod elf;
mod fitted;
mod lookup;
mod module;
mod names;
mod perf_map;
mod resolver;
mod site;
mod told;
mod trouble;

pub use demangle::{demangle, short};
pub use elf::build_id_of;
pub use fitted::fitted;
pub use module::Module;
pub use names::{Names, Symbol};
pub use resolver::Resolver;
pub use site::Site;
pub use told::{SitePath, told};
pub use trouble::{Trouble, Why};
