//! Whether the kernel counts what is committed: `vm.overcommit_memory` is 2, or the process's data are limited (`ulimit -d`).
//!
//! ```text
//! mode 0, 1   a promise of more than there is costs nothing, and what is reserved by us is not counted at all
//! mode 2      private memory that may be written to counts, touched or not, and once more for each child of `fork`
//! ```
use super::process::{NO_LIMIT, prlimit, read_file};

const RLIMIT_DATA: usize = 2;

/// What holds for this process; a file and a call, some 10 µs.
pub(super) fn charges_commit() -> bool {
    let mut text = [0; 8];
    is_strict(read_file(c"/proc/sys/vm/overcommit_memory", &mut text)) || are_data_limited()
}

/// Whether the file says that no more is promised than there is.
fn is_strict(text: &[u8]) -> bool {
    text.trim_ascii() == b"2"
}

fn are_data_limited() -> bool {
    let mut limit = [NO_LIMIT; 2];
    // SAFETY: room for two words.
    let known = unsafe { prlimit(0, RLIMIT_DATA, core::ptr::null(), &raw mut limit) };
    known.is_ok() && limit[0] != NO_LIMIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_second_mode_is_strict() {
        let texts: [&[u8]; 5] = [b"2\n", b"0\n", b"1\n", b"22\n", b""];
        assert_eq!(texts.map(is_strict), [true, false, false, false, false]);
    }
}
