//! What any `BlockAllocator + AddMemory` must do, rule by rule.
//!
//! [`conformance`] runs all rules on a [`Kind`]. Each works on a fresh heap, under the shadow
//! model, with everything looked at around each call but in the longest programs.
use base::{AddMemory, BlockAllocator};

use super::any::AnyKind;
use super::kind::Kind;
use crate::report::Report;

mod fill;
mod memory;
pub mod program;
mod resize;
mod sizes;

/// A rule: its name, and what it says.
pub type Rule = (&'static str, &'static str, fn(AnyKind<'_>) -> Result<(), String>);

/// The alignments everything is tried at.
pub const ALIGNS: [usize; 8] = [1, 2, 8, 16, 32, 64, 256, 4096];

#[rustfmt::skip]
pub fn rules() -> Vec<Rule> {
    vec![
        ("add-errors", "memory that is null, wraps, is too small or overlaps is refused by name", memory::add_errors),
        ("add-sizes", "from some size on every memory is taken, wherever it begins, and serves", memory::add_sizes),
        ("remove", "memory in use is not given up, free memory is, as it was added", memory::remove),
        ("regions", "several memories serve together", memory::regions),
        ("zero", "blocks of no bytes have addresses of their own", sizes::zero),
        ("alignment", "every power of two to 64 KiB is kept", sizes::alignment),
        ("sizes", "every size to 3,000 bytes is served and freed, at 8, 16 and 64", sizes::every_size),
        ("impossible", "sizes that no memory has are refused and change nothing", sizes::impossible),
        ("zeroed", "the bytes are zero, those of used memory too", sizes::zeroed),
        ("exhaustion", "memory fills up, is refused, and after all is freed fills up as before", fill::exhaustion),
        ("holes", "what is freed in any order serves again", fill::holes),
        ("largest", "the largest free piece can be had", fill::largest),
        ("counts", "refusals and the peak are counted", fill::counts),
        ("reset", "a reset makes all memory free", fill::reset),
        ("shrink", "a block shrinks where it is, and what it gives up serves", resize::shrink),
        ("grow", "a block grows into free neighbours, and keeps contents and alignment", resize::grow),
        ("move", "a block that cannot grow moves; when it cannot move it stays", resize::moves),
        ("random", "random programs of every distribution run, at sizes of memory from the least on", program::random),
        ("kept", "programs that once failed run", program::kept),
    ]
}

pub fn conformance<A: BlockAllocator + AddMemory>(kind: &Kind<A>) -> Report {
    conformance_some(kind, |_| true)
}

/// As [`conformance`], only the rules whose names are `chosen`.
pub fn conformance_some<A: BlockAllocator + AddMemory>(
    kind: &Kind<A>,
    chosen: impl Fn(&str) -> bool,
) -> Report {
    let kind = kind.any();
    let mut report = Report::new(kind.name);
    for (name, says, test) in rules().into_iter().filter(|(name, ..)| chosen(name)) {
        report.rule(name, says, || test(kind));
    }
    report
}
