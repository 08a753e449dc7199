//! Does executing a file gain privileges? Then the loader runs in secure mode and ignores `LD_PRELOAD`.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{StatVfsMountFlags, getxattr, statvfs};
use rustix::process::{getegid, geteuid};

const SET_UID: u32 = 0o4000;
const SET_GID: u32 = 0o2000;
const GROUP_EXECUTE: u32 = 0o010;

/// What a file's set-id bits or capabilities mean for this user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Privilege {
    /// Executing it gains what the user does not have: secure mode.
    Gained(String),
    /// It is set to what the user already is.
    AlreadyHeld(String),
    /// The system does not honour it, with the reason.
    Disabled(String, &'static str),
}

/// What `file` would gain; `None` for an ordinary file.
pub fn of(file: &Path) -> Option<Privilege> {
    let meta = fs::metadata(file).ok()?;
    let user = geteuid().as_raw();
    let mut held = None;
    let mut gained = None;
    if meta.mode() & SET_UID != 0 {
        let how = format!("set-uid to user {}", meta.uid());
        *if meta.uid() == user { &mut held } else { &mut gained } = Some(how);
    }
    // Without group execute the bit means mandatory locking, not set-gid.
    if gained.is_none() && meta.mode() & (SET_GID | GROUP_EXECUTE) == SET_GID | GROUP_EXECUTE {
        let how = format!("set-gid to group {}", meta.gid());
        *if meta.gid() == getegid().as_raw() { &mut held } else { &mut gained } = Some(how);
    }
    if gained.is_none() && has_capabilities(file) {
        let how = "has file capabilities".to_owned();
        *if user == 0 { &mut held } else { &mut gained } = Some(how);
    }
    match (gained, held) {
        (Some(how), _) => Some(match disabled(file) {
            Some(why) => Privilege::Disabled(how, why),
            None => Privilege::Gained(how),
        }),
        (None, Some(how)) => Some(Privilege::AlreadyHeld(how)),
        (None, None) => None,
    }
}

fn has_capabilities(file: &Path) -> bool {
    let mut value = [0_u8; 64];
    getxattr(file, "security.capability", &mut value[..]).is_ok_and(|n| n > 0)
}

fn disabled(file: &Path) -> Option<&'static str> {
    if statvfs(file).is_ok_and(|s| s.f_flag.contains(StatVfsMountFlags::NOSUID)) {
        return Some("its file system is mounted nosuid");
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let is_bound =
        status.lines().any(|line| line.starts_with("NoNewPrivs:") && line.ends_with('1'));
    is_bound.then_some("this process may not gain privileges")
}
