//! The scripts of the real programs: they are scripts, and say in one line what is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SHELL: &str = "/bin/sh";

/// All scripts, and the first tool that each needs.
fn scripts() -> Vec<(PathBuf, &'static str)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../real");
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "sh"));
    all.sort();
    let needs = ["cppcheck", "gs", "git", "postgres", "redis-server"];
    assert_eq!(all.len(), needs.len(), "{all:?}");
    all.into_iter().zip(needs).collect()
}

#[test]
fn the_shell_can_read_them() {
    for (script, _) in scripts() {
        let output = Command::new(SHELL).arg("-n").arg(&script).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn a_missing_tool_is_named_in_one_line() {
    for (script, tool) in scripts() {
        let output = Command::new(SHELL).arg(&script).env("PATH", "").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", script.display());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.lines().count(), 1, "{said}");
        let name = script.file_stem().unwrap().to_string_lossy();
        assert_eq!(said.trim_end(), format!("{name}: {tool} is not installed"));
    }
}

#[test]
fn the_files_that_definitions_name_are_there() {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut named = 0;
    for entry in fs::read_dir(bench.join("definitions")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for rest in text.split("{files}/").skip(1) {
            let name = rest.split(['"', '\'']).next().unwrap();
            let is_there = ["real", "programs"].iter().any(|f| bench.join(f).join(name).is_file());
            assert!(is_there, "{name}");
            named += 1;
        }
    }
    assert!(named > 5);
}

/// What is not installed is left out: whoever measures is told of it.
#[test]
fn what_one_program_runs_finds_its_own_result_right() {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../real");
    for (program, file) in
        [("lua5.4", "lua.lua"), ("php", "php.php"), ("ruby", "ruby.rb"), ("node", "node.js")]
    {
        for (length, succeeds) in [("50", true), ("none", false)] {
            let mut command = Command::new(program);
            if program == "php" {
                command.arg("-n");
            }
            let Ok(output) = command.arg(real.join(file)).arg(length).output() else { continue };
            assert_eq!(output.status.success(), succeeds, "{file} {length}: {output:?}");
        }
    }
}
