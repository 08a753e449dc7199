//! The commands of README.md by which C and C++ are linked, as they stand there.
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::{library, target};

const PROGRAM: &str = r"
#include <heapwright.h>
#include <stdlib.h>
int main(void) {
    void *block = malloc(100);
    free(block);
    return block == 0 || heapwright_version()[0] == 0;
}
";

pub(crate) fn what_is_linked_as_the_readme_says_starts() {
    // Another library, or one for another machine, is not what the README builds.
    if env::var_os("HEAPWRIGHT_SO").is_some() || !target::current().is_host() {
        return;
    }
    let built = library::shared().parent().expect("a library lies in a directory");
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("abi lies in the workspace");
    let readme = fs::read_to_string(top.join("README.md")).expect("the README is there");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("target")).expect("a folder can be made");
    let link = |from: &Path, to: &str| {
        std::os::unix::fs::symlink(from, folder.join(to)).expect("a link can be made");
    };
    link(built, "target/release");
    link(&top.join("abi"), "abi");
    for name in ["program.c", "program.cc"] {
        fs::write(folder.join(name), PROGRAM).expect("a file can be written");
    }
    let commands: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with("cc ") || line.starts_with("c++ "))
        .collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    for command in commands {
        let line = format!("rm -f program && {command} && ./program");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(&folder).env_remove("LD_LIBRARY_PATH");
        let status = shell.status().expect("there is a shell");
        assert!(status.success(), "{line}: {status}");
    }
}
