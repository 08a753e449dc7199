//! Files for tests, of this package and of others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// # Panics
/// It cannot be written.
pub fn file(folder: &Path, name: &str, content: &[u8], mode: u32) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// Compiles a program of C, or by its ending of C++; whether that is possible.
///
/// # Panics
/// There is no compiler.
pub fn compiles(source: &Path, flags: &[&str], to: &Path) -> bool {
    let is_c = source.extension().is_some_and(|ending| ending == "c");
    let mut compiler = Command::new(if is_c { "cc" } else { "c++" });
    compiler.arg(source).arg("-o").arg(to).args(flags);
    compiler.status().expect("a compiler").success()
}

/// # Panics
/// It cannot be compiled.
pub fn compile(source: &Path, flags: &[&str], to: &Path) {
    assert!(compiles(source, flags, to), "{} {flags:?}", source.display());
}

/// A complete static x86-64 program of one segment that exits with `code`.
pub fn static_program(code: u8) -> Vec<u8> {
    // mov edi, code; mov eax, 60 (exit); syscall
    let text = [0xbf, code, 0, 0, 0, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05];
    let size = 120 + text.len() as u64;
    let mut file = Vec::new();
    file.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    file.extend([2, 0, 62, 0, 1, 0, 0, 0]);
    file.extend([0x40_0078_u64, 64, 0].iter().flat_map(|w| w.to_le_bytes()));
    file.extend([0, 0, 0, 0]);
    file.extend([64_u16, 56, 1, 0, 0, 0].iter().flat_map(|h| h.to_le_bytes()));
    file.extend([1, 0, 0, 0, 5, 0, 0, 0]);
    let segment = [0, 0x40_0000, 0x40_0000, size, size, 4096_u64];
    file.extend(segment.iter().flat_map(|w| w.to_le_bytes()));
    file.extend(text);
    file
}
