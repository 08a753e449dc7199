//! Counting an allocator's bytes in a program that has little else.
//!
//! ```text
//! .text + .rodata  −  memcpy, memmove, memset, memcmp  −  the same of a program without an allocator
//! ```
//!
//! Constants count as code does: a look-up table is flash too. The functions of memory do not: a program that copies
//! anything has them already.

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use std::fs;
use std::path::Path;

/// Parts of the names of the functions of memory, Rust's mangling included.
const MEMORY: [&str; 6] =
    ["memcpy", "memmove", "memset", "memcmp", "bcmp", "compiler_builtins3mem"];

/// Bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Code and constants.
    pub(super) code: u64,
    /// The allocator's own variables.
    pub(super) control_block: u64,
}

impl Size {
    /// What is more than in `empty`.
    pub(super) fn net_of(self, empty: Size) -> Size {
        Size { code: self.code.saturating_sub(empty.code), ..self }
    }
}

/// Counts.
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
    let mut memory: Vec<(u64, u64)> = file
        .symbols()
        .filter(|s| MEMORY.iter().any(|part| s.name().is_ok_and(|name| name.contains(part))))
        .map(|s| (s.address(), s.size()))
        .collect();
    // One function may have several names.
    memory.sort_unstable();
    memory.dedup();
    let memory = memory.iter().map(|(_, size)| size).sum();
    let code =
        flash.checked_sub(memory).ok_or_else(|| named("more copying than code".to_owned()))?;
    let heap = file.symbols().find(|s| s.name() == Ok("HEAP"));
    let control_block = heap.map(|s| s.size()).ok_or_else(|| named("no symbol HEAP".to_owned()))?;
    Ok(Size { code, control_block })
}
