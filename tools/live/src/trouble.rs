//! Why a process cannot be looked at, and what would help.

use crate::process;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("there is no process {0}")]
    Gone(i32),
    #[error("process {0} has ended")]
    Ended(i32),
    #[error("{0} is a thread of the kernel: it has no memory of its own, and no malloc")]
    Kernel(i32),
    #[error(
        "process {0} has ended and waits for its parent to notice: nothing of its memory is left"
    )]
    Zombie(i32),
    #[error("process {pid} must not be read: {why}")]
    Refused { pid: i32, why: String },
    #[error(
        "process {pid} is on {design} {version}, whose figures this heapwright does not know ({ours} reads format {format}): use the heapwright of that version"
    )]
    Version { pid: i32, design: String, version: String, ours: &'static str, format: u32 },
    #[error("the memory of process {0} cannot be read: {1}")]
    Unreadable(i32, String),
}

/// What the kernel refused, in words, with what helps.
pub(crate) fn refused(pid: i32) -> Trouble {
    Trouble::Refused { pid, why: why(pid) }
}

const FILE: &str = "HEAPWRIGHT=stats=60s:/path/%p.json has a process write its figures by itself";

fn why(pid: i32) -> String {
    let mine = rustix::process::geteuid().as_raw();
    let (owner, shown) = (process::owner(pid), process::shown_owner(pid));
    if let Some(owner) = owner.filter(|owner| *owner != mine && mine != 0) {
        return format!(
            "it is user {owner}'s, and this is user {mine}. That user can, or root; {FILE}"
        );
    }
    if owner.is_some() && owner != shown && mine != 0 {
        return format!(
            "it has hidden itself (it is set-uid, changed its user, or said so by prctl). Root can; {FILE}"
        );
    }
    match yama().as_deref() {
        Some("1") => format!(
            "this system lets only a parent read its children (kernel.yama.ptrace_scope is 1). 'heapwright top -- CMD' starts \
             the program itself; root can, and 'sysctl kernel.yama.ptrace_scope=0' lets you; {FILE}"
        ),
        Some("2") => format!(
            "this system lets only root read others (kernel.yama.ptrace_scope is 2); {FILE}"
        ),
        Some("3") => format!(
            "this system lets nobody read others (kernel.yama.ptrace_scope is 3, until the next start); {FILE}"
        ),
        _ if process::more_rights(pid) != 0 => format!(
            "it has rights (capabilities) that this process has not. The right to read it all the same is CAP_SYS_PTRACE, for a \
             container 'docker run --cap-add SYS_PTRACE'; {FILE}"
        ),
        _ => format!(
            "the system does not say why: in a container CAP_SYS_PTRACE may be missing, or its filter of system calls may be in \
             the way; {FILE}"
        ),
    }
}

fn yama() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").ok()?;
    Some(text.trim().to_owned())
}
