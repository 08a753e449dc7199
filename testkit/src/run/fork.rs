//! What the child of a fork does: it goes on allocating, and ends.
//!
//! Other threads of the parent may hold locks of the harness's own allocator at the fork, so the
//! child allocates nothing but from the subject, and says what it found in its exit code. An
//! alarm ends a child that hangs.
use crate::shadow::Shadow;
use crate::subject::Subject;
use crate::wrong::Wrong;

/// Seconds before a child counts as hanging.
const TIMEOUT_SECONDS: u32 = 30;

const CONTENTS: i32 = 3;
const NULL: i32 = 4;
const BROKEN: i32 = 5;

/// What a child's exit code says.
pub(crate) fn meaning(code: i32) -> &'static str {
    match code {
        CONTENTS => "a live block's contents had changed",
        NULL => "a block was refused",
        BROKEN => "check found a broken invariant",
        _ => "something ended it",
    }
}

/// Forks, and waits for what the child says. No process to spare is no failure.
pub(super) fn fork(subject: &Subject<'_>, shadow: &Shadow) -> Result<(), Wrong> {
    // SAFETY: the child only does what `child` does, and ends.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let code = child(subject, shadow);
        // SAFETY: ends the process at once, without destructors.
        unsafe { libc::_exit(code) };
    }
    if pid < 0 {
        return Ok(());
    }
    let mut status = 0;
    loop {
        // SAFETY: `status` is ours to write; the pid is our child's.
        let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
        if waited == pid {
            break;
        }
    }
    if status == 0 { Ok(()) } else { Err(Wrong::Child { status }) }
}

fn child(subject: &Subject<'_>, shadow: &Shadow) -> i32 {
    // SAFETY: only sets a timer of this process.
    unsafe { libc::alarm(TIMEOUT_SECONDS) };
    if shadow.verify().is_err() {
        return CONTENTS;
    }
    for size in [1, 40, 300, 3000, 20_000, 100_000, 2 << 20, 40 << 20] {
        let block = subject.malloc.malloc(size);
        if block.is_null() {
            return NULL;
        }
        // SAFETY: it was just allocated with this size.
        unsafe { block.write_bytes(0xC5, size.min(1 << 16)) };
        // SAFETY: it is live.
        unsafe { subject.malloc.free(block) };
    }
    for block in shadow.blocks() {
        // SAFETY: the block is live in this process too, whose copy of the shadow ends with it.
        unsafe { subject.malloc.free(block.pointer()) };
    }
    subject.purge.inspect(|purge| purge());
    if subject.check().is_err() { BROKEN } else { 0 }
}
