//! javac, and a Java machine with threads and direct buffers running what it made.

use heapwright_tests::{Malloc, Program, Scratch, need, same_on_both, top};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[test]
#[ignore = "cargo xtask ci programs"]
fn compiler_and_compiled() {
    let (Some(javac), Some(java)) = (need("javac"), need("java")) else { return };
    let scratch = Scratch::new();
    let compile = |folder: &str, malloc| {
        let folder = scratch.join(folder);
        let _ = quiet(&javac)
            .arg("-d")
            .arg(&folder)
            .arg(top().join("tests/data/Threads.java"))
            .run(malloc)
            .expect_success("javac");
        classes(&folder)
    };
    let ours = compile("ours", Malloc::Ours);
    assert!(ours.contains_key(Path::new("Threads.class")), "{:?}", ours.keys());
    assert!(
        ours == compile("plain", Malloc::Plain),
        "javac makes other classes on the plain malloc"
    );

    let run = same_on_both("java", || {
        quiet(&java).args(["-Xmx256m", "-cp"]).arg(scratch.join("ours")).arg("Threads")
    });
    assert!(run.stdout.ends_with("a child\nended 0\n"), "{run}");
}

/// Without the file that each Java machine leaves in `/tmp` for others to look into.
fn quiet(program: &Path) -> Program {
    let launcher = program.file_name().is_some_and(|name| name == "java");
    Program::new(program).arg(if launcher { "-XX:-UsePerfData" } else { "-J-XX:-UsePerfData" })
}

fn classes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("javac made the folder");
    let files = entries.map(|entry| entry.expect("a folder can be listed"));
    files
        .map(|file| (file.file_name().into(), std::fs::read(file.path()).expect("javac wrote it")))
        .collect()
}
