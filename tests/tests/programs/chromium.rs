//! Chromium renders a page with scripts, with our library in every process it starts.
//!
//! The browser brings an allocator of its own, whose names come before those of a preloaded library; what it calls in
//! the libraries of the system, and the programs it starts, are what is on ours.

use heapwright_tests::{Malloc, Program, Scratch, find, missing};
use std::path::Path;

const PAGE: &str = include_str!("../../data/page.html");

#[test]
#[ignore = "cargo xtask ci programs"]
fn a_page_with_scripts() {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(chromium) = names.iter().find_map(|name| find(name)) else {
        return missing("chromium");
    };
    let scratch = Scratch::new();
    let page = scratch.file("page.html", PAGE);
    let ours = dump(&chromium, &scratch, &page, Malloc::Ours);
    let plain = dump(&chromium, &scratch, &page, Malloc::Plain);
    assert!(ours.contains("<title>sum ") && ours.contains(" list 100</title>"), "{ours}");
    assert!(ours == plain, "another page: {ours}\n=== plain: {plain}");
}

/// The page as it is once its scripts have run.
fn dump(chromium: &Path, scratch: &Scratch, page: &Path, malloc: Malloc) -> String {
    let home = scratch.join(&format!("{malloc:?}"));
    std::fs::create_dir(&home).expect("a folder in the scratch folder");
    let run = Program::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--disable-quic", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync", "--window-size=800,600"])
        .arg(format!("--user-data-dir={}", home.join("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .env("HOME", &home)
        .env("TMPDIR", &home)
        .run(malloc)
        .expect_success("chromium");
    // Its name may be that of a script which starts the browser proper.
    let seen = run.ours.iter().any(|name| name.starts_with("chrom"));
    assert!(malloc == Malloc::Plain || seen, "the browser started without ours: {:?}", run.ours);
    run.stdout
}
