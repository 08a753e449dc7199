//! git on the end of this repository: clone, repack and collect, check, log.

use heapwright_tests::{Malloc, Program, Scratch, need, same_on_both, top};

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
    let from = format!("file://{}", top().display());
    let clone = git().args(["clone", "--quiet", "--depth=150", &from]).arg(&copy);
    let _ = clone.run(Malloc::Ours).expect_success("git clone");
    let inside = || git().arg("-C").arg(&copy);
    for step in [
        "repack -a -d -f --depth=50 --window=50 --threads=2",
        "gc --quiet --aggressive --prune=now",
    ] {
        let _ = inside().args(step.split(' ')).run(Malloc::Ours).expect_success(step);
    }
    for step in [
        "fsck --full --strict --no-progress",
        "log --all --stat -p --no-color",
        "status --short",
        "ls-files -s",
    ] {
        same_on_both(step, || inside().args(step.split(' ')));
    }
}
