//! The page in headless Chromium, from a file: no error in the console, nothing wider than the window, in a wide and a
//! narrow window, light and dark.
//!
//! Chromium's window cannot be narrower than 500 pixels, so the page is looked at in a frame of the wanted width, and
//! tells what it sees to the page around it, whose title is then read.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bench::result::Report;

/// Runs in the page before everything else: gathers errors, and in the end says what it saw.
const PROBE: &str = concat!("<script>", include_str!("browser/probe.js"), "</script>");

fn chromium() -> Option<PathBuf> {
    let named = ["chromium", "chromium-browser", "google-chrome"];
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .flat_map(|place| named.map(|name| place.join(name)))
        .find(|p| p.is_file())
}

/// What the page said in a frame of that width.
fn look(chromium: &Path, folder: &Path, width: u32, dark: bool) -> String {
    let outer = folder.join(format!("outer-{width}-{dark}.html"));
    let text = format!(
        "<!doctype html><title>SILENT</title><body style=\"margin:0\">\
         <script>addEventListener('message', (e) => {{ document.title = e.data; }});</script>\
         <iframe src=\"probed.html\" width=\"{width}\" height=\"3000\" style=\"border:0\"></iframe>"
    );
    fs::write(&outer, text).unwrap();
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--virtual-time-budget=10000",
            "--window-size=1500,3000",
        ])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--blink-settings=preferredColorScheme={}", if dark { 0 } else { 1 }))
        .arg("--dump-dom")
        .arg(format!("file://{}", outer.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    let errors = String::from_utf8_lossy(&output.stderr);
    title.unwrap_or(&format!("no title: {errors}")).to_owned()
}

/// Writes the page of `report`, which looks at itself.
fn probe(folder: &Path, report: &Report) {
    let page = heapwright_report::html(report);
    let probed = page.replacen("<head>", &format!("<head>{PROBE}"), 1);
    assert_ne!(page.len(), probed.len());
    fs::write(folder.join("probed.html"), probed).unwrap();
}

#[test]
fn it_works_from_a_file_wide_and_narrow_light_and_dark() {
    let Some(chromium) = chromium() else {
        assert!(env::var_os("CI").is_none(), "there is no chromium on the PATH");
        eprintln!("skipped: there is no chromium on the PATH");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    probe(folder.path(), &crate::sample::report());
    let mut seen = Vec::new();
    for (width, dark) in [(1400, false), (1400, true), (390, false), (390, true)] {
        let said = look(&chromium, folder.path(), width, dark);
        assert!(
            said.starts_with(&format!("FINE {width} ")) && said.ends_with("true"),
            "{width} {dark}: {said}"
        );
        seen.push(said.replacen(&width.to_string(), "", 1));
    }
    assert!(seen[0] == seen[2] && seen[1] == seen[3] && seen[0] != seen[1], "themes: {seen:?}");
    // What is as wide as the page can be moved where the page is narrow.
    probe(folder.path(), &crate::sample::one());
    let said = look(&chromium, folder.path(), 390, true);
    assert!(said.starts_with("FINE "), "{said}");
    // Nobody's long name makes room for ours in bold.
    probe(folder.path(), &crate::sample::large(20, 3));
    let said = look(&chromium, folder.path(), 390, false);
    assert!(said.starts_with("FINE "), "{said}");
}
