//! ghostscript draws the same pages, to the byte.

use heapwright_tests::{Malloc, Program, Scratch, need, top};
use std::path::Path;

fn pages(gs: &Path, folder: &Path, arguments: &[&str], malloc: Malloc) -> Vec<Vec<u8>> {
    std::fs::create_dir(folder).expect("a folder in the scratch folder");
    let run = Program::new(gs)
        .args(["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE"])
        .args(arguments)
        .args(["-o", "page-%d"])
        .arg(top().join("tests/data/drawing.ps"))
        .current_dir(folder)
        .env("TMPDIR", folder)
        .run(malloc)
        .expect_success("gs");
    assert_eq!(run.stdout, "", "{run}");
    (1..=3)
        .map(|page| std::fs::read(folder.join(format!("page-{page}"))).expect("gs drew it"))
        .collect()
}

fn compare(arguments: &[&str]) {
    let Some(gs) = need("gs") else { return };
    let scratch = Scratch::new();
    let ours = pages(&gs, &scratch.join("ours"), arguments, Malloc::Ours);
    let plain = pages(&gs, &scratch.join("plain"), arguments, Malloc::Plain);
    assert!(ours == plain, "gs {arguments:?} draws another picture");
    assert!(ours[0] != ours[1] && ours[0].len() > 50_000, "there is something on the pages");
}

#[test]
fn pages_at_once() {
    compare(&["-sDEVICE=png16m", "-r72"]);
}

#[test]
fn pages_in_bands_by_four_threads() {
    let bands = ["-dMaxBitmap=1", "-dBandHeight=20", "-dNumRenderingThreads=4"];
    compare(&[&["-sDEVICE=ppmraw", "-r100"], &bands[..]].concat());
}
