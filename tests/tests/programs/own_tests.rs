//! The project's own test programs on the project's own malloc.

use core::time::Duration;
use heapwright_tests::{Malloc, Program, top};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Packages whose tests allocate much from the C library. What the others try allocates from arrays of its own, or
/// starts programs for which it chooses the malloc.
const CHOSEN: &[&str] = &["heapwright", "heapwright-testkit", "heapwright-workloads"];

#[test]
#[ignore = "cargo xtask ci programs"]
fn every_test_program_that_allocates() {
    let programs = test_programs();
    assert!(programs.len() > 3, "the workspace has test programs: {programs:?}");
    for (program, folder) in programs {
        let name = program.display().to_string();
        let start = Instant::now();
        let run = Program::new(&program).current_dir(folder).limit(Duration::from_secs(300));
        let run = run.env("RUST_BACKTRACE", "1").run(Malloc::Ours).expect_success(&name);
        let passed =
            run.stdout.lines().rev().find(|line| line.contains(" passed")).unwrap_or("ended well");
        let file = program.file_name().unwrap_or_default().to_string_lossy();
        eprintln!("{file}: {passed}, {:.1} s", start.elapsed().as_secs_f64());
    }
}

/// The test programs cargo builds for the workspace, built already when `cargo test --workspace` runs this; each with
/// the folder cargo would start it in.
fn test_programs() -> Vec<(PathBuf, PathBuf)> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--workspace", "--no-run", "--message-format=json"]).current_dir(top());
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(test_program).collect()
}

/// The program of one of cargo's messages, when the message is about one.
fn test_program(message: &str) -> Option<(PathBuf, PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let program = message["executable"].as_str()?;
    let manifest = Path::new(message["manifest_path"].as_str()?);
    let is_test = message["profile"]["test"] == true;
    let package = message["package_id"].as_str()?;
    // A package's name is in its identity only where it is not that of its folder.
    let chosen = CHOSEN.iter().any(|name| {
        package.contains(&format!("#{name}@")) || package.contains(&format!("/{name}#"))
    });
    (is_test && chosen).then(|| Some((PathBuf::from(program), manifest.parent()?.to_path_buf())))?
}
