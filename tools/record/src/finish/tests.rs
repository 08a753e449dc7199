//! Files that are whole, that are none, and one whose process is this one.

use std::fs::{self, File};

use trace::testing::Raw;
use trace_format::Event;

use super::*;

#[test]
fn chunks_become_traces_and_what_cannot_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let good = path("good-1.chunks");
    let mut raw = Raw::create(&good);
    raw.event(0, 1, Event::Malloc { at: 0x1000, size: 24 });
    assert_eq!(raw.finish(), good);
    let chunks = fs::read(&good).unwrap();
    fs::write(path("bad-2.chunks"), "what is this").unwrap();
    fs::write(path("other.txt"), "x").unwrap();
    let own = path(&format!("own-{}.chunks", std::process::id()));
    fs::write(&own, &chunks).unwrap();
    let open = File::open(&own).unwrap();
    let mut told = 0;
    let all = finish(folder.path(), false, &mut |_, _| told += 1).unwrap();
    assert_eq!(all.len(), 3);
    for process in &all {
        match process {
            Process::Packed { packed, written } => {
                assert_eq!(packed.path, path("good-1.trace"));
                assert_eq!(*written, chunks.len() as u64);
            }
            Process::Running { file } => assert_eq!(*file, own),
            Process::Failed { file, .. } => assert_eq!(*file, path("bad-2.chunks")),
        }
    }
    assert!(path("bad-2.chunks").exists() && !path("good-1.chunks").exists() && own.exists());
    drop(open);
    let all = finish(folder.path(), false, &mut |_, _| {}).unwrap();
    assert!(all.iter().any(|process| matches!(process, Process::Packed { .. })));
    assert!(!own.exists());
}

#[test]
fn a_folder_that_is_none_is_an_error() {
    assert!(finish(Path::new("/no/such/folder"), false, &mut |_, _| {}).is_err());
}
