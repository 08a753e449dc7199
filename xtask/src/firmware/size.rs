//! Counting the bytes of a linked program that are the library's.
//!
//! ```text
//! code and constants  −  _start  −  memcpy, memmove, memset, memcmp  =  the library
//! ```
//!
//! The functions of memory are not counted: a program that copies anything has them already.

use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionKind};
use std::fs;
use std::path::Path;

const FRAME: [&str; 6] = ["_start", "memcpy", "memmove", "memset", "memclr", "memcmp"];

/// Bytes.
pub(super) fn of(program: &Path) -> Result<u64, String> {
    let named = |why: String| format!("{}: {why}", program.display());
    let bytes = fs::read(program).map_err(|e| named(e.to_string()))?;
    let file = object::File::parse(bytes.as_slice()).map_err(|e| named(e.to_string()))?;
    let flash = |kind| {
        use SectionKind::{ReadOnlyData, ReadOnlyString, Text};
        matches!(kind, Text | ReadOnlyData | ReadOnlyString)
    };
    // Sections at no address are the compilers' notes; unwind tables are not for firmware.
    let sections = file.sections().filter(|s| flash(s.kind()) && s.address() != 0);
    let sections = sections.filter(|s| s.name().is_ok_and(|name| !name.contains("eh_frame")));
    let all: u64 = sections.filter(|s| s.name() != Ok(".ARM.exidx")).map(|s| s.size()).sum();
    let is_frame = |name: &str| FRAME.iter().any(|part| name.contains(part));
    let mut frame: Vec<(u64, u64)> = file
        .symbols()
        .filter(|s| s.name().is_ok_and(is_frame))
        .map(|s| (s.address(), s.size()))
        .collect();
    // One function may have several names.
    frame.sort_unstable();
    frame.dedup();
    let frame: u64 = frame.iter().map(|(_, size)| size).sum();
    all.checked_sub(frame).ok_or_else(|| named("more frame than code".to_owned()))
}
