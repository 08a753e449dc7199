//! Counting an allocator's bytes in a program that has little else.
//!
//! ```text
//! .text + .rodata  −  _start  −  panic handler  −  memcpy, memmove, memset, memcmp  =  the allocator
//! ```
//!
//! Constants count as code does: a look-up table is flash too. The functions of memory do not: a program that copies
//! anything has them already.

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use std::fs;
use std::path::Path;

/// Parts of the names of what is the frame's, Rust's mangling included.
const FRAME: [&str; 8] = [
    "_start",
    "rust_begin_unwind",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "compiler_builtins3mem",
];

/// Bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Code and constants.
    pub(super) code: u64,
    /// The allocator's own variables.
    pub(super) control_block: u64,
}

/// Counts.
///
/// # Errors
///
/// The file is not such a program.
pub(super) fn measure(program: &Path) -> Result<Size, String> {
    let named = |why: String| format!("{}: {why}", program.display());
    let bytes = fs::read(program).map_err(|e| named(e.to_string()))?;
    let file = object::File::parse(bytes.as_slice()).map_err(|e| named(e.to_string()))?;
    let sections = file.sections();
    let flash = sections
        .filter(|s| {
            matches!(
                s.kind(),
                SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString
            )
        })
        .filter(|s| s.address() != 0)
        .map(|s| s.size())
        .sum::<u64>();
    let mut frame: Vec<(u64, u64)> = file
        .symbols()
        .filter(|s| FRAME.iter().any(|part| s.name().is_ok_and(|name| name.contains(part))))
        .map(|s| (s.address(), s.size()))
        .collect();
    // One function may have several names.
    frame.sort_unstable();
    frame.dedup();
    let frame = frame.iter().map(|(_, size)| size).sum();
    let code = flash.checked_sub(frame).ok_or_else(|| named("more frame than code".to_owned()))?;
    let heap = file.symbols().find(|s| s.name() == Ok("HEAP"));
    let control_block = heap.map(|s| s.size()).ok_or_else(|| named("no symbol HEAP".to_owned()))?;
    Ok(Size { code, control_block })
}
