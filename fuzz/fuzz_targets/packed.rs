//! Any bytes, read as a packed trace: as a whole file, or as the columns of a segment, which zstd's checksums guard otherwise.
//!
//! ```text
//! input   [ 0 │ the file ]   or   [ steps, at least 1 │ length, column │ length, column │ … ]
//! ```
#![no_main]
use std::fs;

use libfuzzer_sys::fuzz_target;
use trace::testing::{about, segment};
use trace::{ThreadAbout, Trace};

/// The summary of a segment of so many steps, by three threads.
fn summary(steps: u8) -> Vec<u8> {
    let words = [0, u64::from(steps), 0, 5, 5000, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4, 0];
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn columns(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut columns = Vec::new();
    while let Some((&len, rest)) = bytes.split_first() {
        let (column, rest) = rest.split_at(usize::from(len).min(rest.len()));
        columns.push(column);
        bytes = rest;
    }
    columns
}

fuzz_target!(|data: &[u8]| {
    let Some((&steps, rest)) = data.split_first() else { return };
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("a.trace");
    if steps == 0 {
        fs::write(&path, rest).expect("there is room");
    } else {
        let summary = summary(steps);
        let mut parts = columns(rest);
        parts.insert(0, &summary);
        parts.truncate(15);
        let about = trace::About { threads: vec![ThreadAbout::default(); 3], ..about() };
        segment(&path, &about, &parts);
    }
    if let Ok(trace) = Trace::open(&path) {
        let steps = trace.steps().filter(Result::is_ok).count() as u64;
        assert!(steps <= trace.segments().iter().map(|segment| segment.steps).sum());
        let _ = trace.frames();
    }
});
