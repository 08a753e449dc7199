//! Whether there is room for the plan of a long trace, said before the trace is read.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{anyhow, bail};
use rustix::fs::{FsWord, statfs};

use crate::exit;
use crate::format::bytes;

/// Most calls take so many bytes of a plan, none takes fewer.
const CALL: u64 = 8;
/// What takes less is not worth a word.
const MUCH: u64 = 256 << 20;
/// What a file system in memory says it is.
const TMPFS: FsWord = 0x0102_1994;

const ELSEWHERE: &str = "TMPDIR names another folder for it";

/// Says how much a plan of so many steps takes in `folder`.
///
/// # Errors
/// That is more than there is.
pub(super) fn check(steps: u64, folder: &Path) -> anyhow::Result<()> {
    let needed = steps.saturating_mul(CALL);
    let Some(said) = statfs(folder).ok().filter(|_| needed >= MUCH) else { return Ok(()) };
    let free = said.f_bavail.saturating_mul(u64::try_from(said.f_bsize).unwrap_or(1));
    let place = folder.parent().unwrap_or(folder).display();
    let [needed_text, free_text] = [needed, free].map(|n| bytes(n as f64));
    if needed > free {
        bail!("the plan takes about {needed_text}, and {place} has {free_text} free; {ELSEWHERE}");
    }
    let kind = if said.f_type == TMPFS { "which is memory: " } else { "" };
    exit::say(&format!("the plan takes about {needed_text} in {place}, {kind}{free_text} free"));
    Ok(())
}

/// An error of a plan, with what can be done where the disk is full.
pub(super) fn or_full(error: replay::Error) -> anyhow::Error {
    match error {
        replay::Error::Write(path, source) if source.kind() == ErrorKind::StorageFull => {
            anyhow!("no room is left for the plan {}; {ELSEWHERE}", path.display())
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_has_no_room_is_not_begun() {
        let folder = std::env::temp_dir().join("of-the-replay");
        assert!(check(1 << 50, &folder).is_ok(), "a folder of which nothing is known");
        let error = check(1 << 50, &std::env::temp_dir()).unwrap_err().to_string();
        assert!(error.contains(" free; TMPDIR names"), "{error}");
        check(1000, &std::env::temp_dir()).unwrap();
    }

    #[test]
    fn a_full_disk_is_named_with_what_can_be_done() {
        let full = std::io::Error::from(ErrorKind::StorageFull);
        let error = or_full(replay::Error::Write("/tmp/a.plan".into(), full)).to_string();
        assert_eq!(
            error,
            "no room is left for the plan /tmp/a.plan; TMPDIR names another folder for it"
        );
    }
}
