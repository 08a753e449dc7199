//! The file of `stats=/PATH`: one JSON object, of what a process is and of what its malloc says of itself.
//!
//! ```text
//! {"heapwright":1, "process":12, "parent":1, "command":[…], "ended":true, "resident":{…}, …malloc's own }
//! ```
//!
//! It is written at the process's end, and by the flagship also while it runs: a signal, `_exit` and the kernel when it is out
//! of memory end a process without asking anybody. No handler of signals is installed: programs look whether one is
//! there (python3 leaves Ctrl-C alone then).
use core::fmt::{self, Write};

use base::lock::Park as _;
use base::sync::{AtomicU8, Ordering};
use source::Report;
use source::os::Os;
use source::os::imp::console::Console;
use source::os::imp::process::{parent_id, process_id, read_file, resident};
use source::os::imp::record;

pub use source::os::imp::record::{is_asked, stop};

/// What the file has as `heapwright`: rises when a field changes its meaning.
const FORMAT: u32 = 1;

/// Names the file; what is wrong with the path is said once.
pub fn name(path: &str) {
    if !record::name(path) {
        said(format_args!("is too long"));
    }
}

/// Writes the file if it is asked for, but not in a signal handler that interrupted malloc; `own` adds the malloc's fields, each with a comma before it.
pub fn write(allocator: &str, ended: bool, own: impl FnOnce(&mut Console) -> fmt::Result) {
    if !is_asked() || Os::is_busy() {
        return;
    }
    let written = record::replace(|out| {
        // A console never fails to take text; what does not arrive is `replace`'s to see.
        let _ =
            head(out, allocator, ended).and_then(|()| own(out)).and_then(|()| out.write_str("}\n"));
    });
    match written {
        Ok(()) => {
            let _ = FATE.compare_exchange(UNKNOWN, WORKED, Ordering::Relaxed, Ordering::Relaxed);
        }
        Err(error) => {
            if error == DISK_FULL {
                // Also where it worked before.
                let _ =
                    FATE.compare_exchange(WORKED, UNKNOWN, Ordering::Relaxed, Ordering::Relaxed);
            }
            said(format_args!("cannot be written: {}", Why(error)));
        }
    }
}

static FATE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const WORKED: u8 = 1;
const SAID: u8 = 2;
const DISK_FULL: i32 = 28;

/// Says what is wrong, once, and not where a file was written before: its folder has gone with who waited for it, or the
/// process has given up its rights.
fn said(what: fmt::Arguments<'_>) {
    let first = FATE.compare_exchange(UNKNOWN, SAID, Ordering::Relaxed, Ordering::Relaxed);
    if first.is_ok() {
        Os::print(format_args!("heapwright: the file of HEAPWRIGHT=stats=/PATH {what}\n"));
    }
}

/// An error number in words, for those that a path can cause.
struct Why(i32);

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 | 13 => f.write_str("permission denied"),
            2 => f.write_str("its folder does not exist"),
            22 => f.write_str("its path is no regular file, or is too long"),
            27 => f.write_str("the limit on a file's length (ulimit -f) is below 64 KiB"),
            DISK_FULL => f.write_str("the disk is full"),
            30 => f.write_str("the file system is read-only"),
            error => write!(f, "error {error}"),
        }
    }
}

fn head(out: &mut Console, allocator: &str, ended: bool) -> fmt::Result {
    let (process, parent) = (process_id(), parent_id());
    write!(
        out,
        "{{\"heapwright\":{FORMAT},\"allocator\":\"{allocator}\",\"process\":{process},\"parent\":{parent}"
    )?;
    let mut buffer = [0; 1024];
    out.write_str(",\"command\":[")?;
    let words = read_file(c"/proc/self/cmdline", &mut buffer);
    let words = words.strip_suffix(b"\0").unwrap_or(words);
    for (number, word) in words.split(|&byte| byte == 0).enumerate() {
        out.write_str(if number == 0 { "" } else { "," })?;
        text(out, word)?;
    }
    let seen = resident();
    write!(out, "],\"ended\":{ended},\"resident\":{{\"now\":{},\"peak\":{}}}", seen.now, seen.peak)
}

/// A JSON string of what may be no UTF-8.
pub fn text(out: &mut impl Write, bytes: &[u8]) -> fmt::Result {
    out.write_char('"')?;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => write!(out, "\\{c}")?,
                c if c < ' ' => write!(out, "\\u{:04x}", u32::from(c))?,
                c => out.write_char(c)?,
            }
        }
        if !chunk.invalid().is_empty() {
            out.write_char('\u{fffd}')?;
        }
    }
    out.write_char('"')
}

#[cfg(test)]
mod tests;
