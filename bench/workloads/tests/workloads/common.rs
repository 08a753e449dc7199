//! The program of workloads, as `heapwright bench` runs it.

use std::process::{Command, Output};

pub(crate) fn run(words: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_heapwright-workloads"));
    program.args(words).output().expect("the program was built with this test")
}

pub(crate) fn printed(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("words and numbers")
}

pub(crate) fn lines(words: &[&str]) -> Vec<Vec<String>> {
    printed(words).lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}
