//! Programs of one fault each, recorded and explained: whether the fault is named. They take pauses, and so depend on the
//! machine: not among the usual tests.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{heapwright, outcome};
use serde_json::Value;

/// The fault that the first line of a program names.
fn fault(source: &Path) -> String {
    let text = fs::read_to_string(source).unwrap();
    let first = text.lines().next().unwrap_or_default();
    first.trim_start_matches("// ").split(':').next().unwrap_or_default().to_owned()
}

/// What is said of a program: its first finding, or none.
fn said(source: &Path, folder: &Path) -> String {
    let program = folder.join("program");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-fno-builtin", "-pthread", "-o"]).arg(&program).arg(source);
    assert!(compiler.status().unwrap().success(), "{}", source.display());
    let trace = folder.join("trace");
    let (_, err, code) =
        outcome(heapwright().args(["record", "-o"]).arg(&trace).arg("--").arg(&program));
    assert_eq!(code, Some(0), "{err}");
    let (out, err, code) = outcome(heapwright().args(["explain", "--json"]).arg(&trace));
    assert_eq!(code, Some(0), "{err}");
    let whole: Value = serde_json::from_str(&out).unwrap();
    whole["findings"][0]["kind"].as_str().unwrap_or("none").to_owned()
}

#[test]
#[ignore = "a minute, and pauses that a busy machine makes longer"]
fn every_fault_is_named() {
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests/faults");
    let mut wrong = Vec::new();
    for set in ["known", "unseen"] {
        let mut sources: Vec<_> = fs::read_dir(faults.join(set))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
            .collect();
        sources.sort();
        for source in sources {
            let folder = tempfile::tempdir().unwrap();
            let (is, said) = (fault(&source), said(&source, folder.path()));
            let name = source.file_stem().unwrap().display().to_string();
            println!("{set:<7} {name:<20} {is:<16} {said}");
            if is != said {
                wrong.push(format!("{name}: {is}, not {said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
