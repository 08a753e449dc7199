//! git on the end of this repository: clone, repack and collect, check, log.

use heapwright_tests::{Malloc, Program, Scratch, is_whole, need, same_on_both, top};

#[test]
fn clone_collect_check_log() {
    let Some(git) = need("git") else { return };
    if !top().join(".git").exists() {
        eprintln!("skipped: {} is no git repository", top().display());
        return;
    }
    let scratch = Scratch::new();
    let copy = scratch.join("copy");
    let git = || {
        Program::new(&git)
            .env("HOME", scratch.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            // The repository may belong to another user than the one who tests.
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "safe.directory")
            .env("GIT_CONFIG_VALUE_0", "*")
    };
    // Of the whole history it would take longer with each commit.
    let (depth, repack, gc, log) = if is_whole() {
        ("--depth=150", "--window=50", "gc --quiet --aggressive --prune=now", "--max-count=-1")
    } else {
        // The repack has searched for deltas as an aggressive one does.
        ("--depth=40", "--window=10", "gc --quiet --prune=now", "--max-count=20")
    };
    let from = format!("file://{}", top().display());
    let clone = git().args(["clone", "--quiet", depth, &from]).arg(&copy);
    let _ = clone.run(Malloc::Ours).expect_success("git clone");
    let inside = || git().arg("-C").arg(&copy);
    for step in [&format!("repack -a -d -f --depth=50 {repack} --threads=2"), gc] {
        let _ = inside().args(step.split(' ')).run(Malloc::Ours).expect_success(step);
    }
    for step in [
        "fsck --full --strict --no-progress",
        &format!("log --all --stat -p --no-color {log}"),
        "status --short",
        "ls-files -s",
    ] {
        same_on_both(step, || inside().args(step.split(' ')));
    }
}
