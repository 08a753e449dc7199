//! When the kernel makes transparent huge pages: `always`, `madvise` or `never` for all, and a switch of the process,
//! `prctl(PR_SET_THP_DISABLE)`.
//!
//! The switch is read as the line `THP_enabled` of `/proc/self/status`, which Linux has since 5.0: a filter of system
//! calls may end the process for a `prctl` it does not know.
use super::process::{each_line, read_file};
use crate::HugePages;

/// What holds for this process; two files, some 30 µs.
pub(super) fn huge_pages() -> HugePages {
    let mut is_off = false;
    each_line(c"/proc/self/status", |line| is_off |= line == b"THP_enabled:\t0");
    if is_off {
        return HugePages::Never;
    }
    let mut text = [0; 64];
    chosen(read_file(c"/sys/kernel/mm/transparent_hugepage/enabled", &mut text))
}

/// What the file says: the word in brackets is the one that holds.
fn chosen(text: &[u8]) -> HugePages {
    let mut words = text.split(|byte| byte.is_ascii_whitespace());
    match words.find(|word| word.starts_with(b"[")) {
        Some(b"[never]") => HugePages::Never,
        Some(b"[always]") => HugePages::Always,
        _ => HugePages::WhenAsked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_in_brackets_holds() {
        let texts: [&[u8]; 4] = [
            b"always madvise [never]\n",
            b"always [madvise] never\n",
            b"[always] madvise never\n",
            b"",
        ];
        assert_eq!(
            texts.map(chosen),
            [HugePages::Never, HugePages::WhenAsked, HugePages::Always, HugePages::WhenAsked]
        );
    }
}
