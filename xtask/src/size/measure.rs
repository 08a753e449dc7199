//! Counting an allocator's bytes in a program that has little else.
//!
//! ```text
//! .text + .rodata  −  memcpy, memmove, memset, memcmp  −  the same of a program without an allocator
//! ```
//!
//! Constants count as code does: a look-up table is flash too. The functions of memory do not: a program that copies
//! anything has them already.

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Parts of the names of the functions of memory, Rust's mangling included.
const MEMORY: [&str; 6] =
    ["memcpy", "memmove", "memset", "memcmp", "bcmp", "compiler_builtins3mem"];

/// Code and constants, less the functions whose names have one of `parts`. Compilers' notes stand at no address; tables for
/// unwinding are not for firmware.
fn code(file: &object::File<'_>, parts: &[&str]) -> Result<u64, String> {
    let flash = |kind| {
        matches!(kind, SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString)
    };
    let sections = file.sections().filter(|s| flash(s.kind()) && s.address() != 0);
    let unwinding = |name: &str| name.contains("eh_frame") || name == ".ARM.exidx";
    let sections = sections.filter(|s| !s.name().is_ok_and(unwinding));
    let is_part = |name: &str| parts.iter().any(|part| name.contains(part));
    let functions = file.symbols().filter(|s| s.name().is_ok_and(is_part));
    // One function may have several names.
    let functions: BTreeSet<(u64, u64)> = functions.map(|s| (s.address(), s.size())).collect();
    let all: u64 = sections.map(|s| s.size()).sum();
    let code = all.checked_sub(functions.iter().map(|f| f.1).sum());
    code.ok_or_else(|| format!("the functions named {} are more than all code", parts.join(", ")))
}

pub(crate) fn code_of(program: &Path, parts: &[&str]) -> Result<u64, String> {
    let named = |why: String| format!("{}: {why}", program.display());
    let bytes = fs::read(program).map_err(|e| named(e.to_string()))?;
    let file = object::File::parse(bytes.as_slice()).map_err(|e| named(e.to_string()))?;
    code(&file, parts).map_err(named)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) code: u64,
    /// The allocator's own variables.
    pub(super) control_block: u64,
}

impl Size {
    pub(super) fn net_of(self, empty: Size) -> Size {
        Size { code: self.code.saturating_sub(empty.code), ..self }
    }
}

pub(super) fn measure(program: &Path) -> Result<Size, String> {
    let named = |why: String| format!("{}: {why}", program.display());
    let bytes = fs::read(program).map_err(|e| named(e.to_string()))?;
    let file = object::File::parse(bytes.as_slice()).map_err(|e| named(e.to_string()))?;
    let code = code(&file, &MEMORY).map_err(named)?;
    let heap = file.symbols().find(|s| s.name() == Ok("HEAP"));
    let control_block = heap.map(|s| s.size()).ok_or_else(|| named("no symbol HEAP".to_owned()))?;
    Ok(Size { code, control_block })
}
