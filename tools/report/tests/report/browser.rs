//! The page in headless Chromium, from a file: no error in the console, nothing wider than the window, in a wide and a
//! narrow window, light and dark.
//!
//! Chromium's window cannot be narrower than 500 pixels, so the page is looked at in a frame of the wanted width, and
//! tells what it sees to the page around it, whose title is then read.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use heapwright_report::html;

/// Runs in the page before everything else: gathers errors, and in the end says what it saw.
const PROBE: &str = concat!("<script>", include_str!("browser/probe.js"), "</script>");

fn chromium() -> Option<PathBuf> {
    let named = ["chromium", "chromium-browser", "google-chrome"];
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .flat_map(|place| named.map(|name| place.join(name)))
        .find(|p| p.is_file())
}

/// A page, and how wide its frame is.
type Framed<'a> = (&'a str, u32);

/// What the pages said in their frames, of one start of the browser: that takes most of the time.
fn look(chromium: &Path, folder: &Path, pages: &[Framed<'_>], dark: bool) -> Vec<String> {
    let mut text = String::from(
        "<!doctype html><title>SILENT</title><body style=\"margin:0\"><script>const said = [];\
         addEventListener('message', (e) => {\
         said[Array.from(frames).indexOf(e.source)] = e.data; document.title = said.join('\\n'); });</script>",
    );
    for (number, (page, width)) in pages.iter().enumerate() {
        let probed = page.replacen("<head>", &format!("<head>{PROBE}"), 1);
        assert_ne!(page.len(), probed.len());
        let name = format!("{number}-{dark}.html");
        fs::write(folder.join(&name), probed).unwrap();
        text += &format!(
            "<iframe src=\"{name}\" width=\"{width}\" height=\"3000\" style=\"border:0\"></iframe>"
        );
    }
    let outer = folder.join(format!("outer-{dark}.html"));
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
        .arg(format!("--user-data-dir={}", folder.join(format!("profile-{dark}")).display()))
        .arg(format!("--blink-settings=preferredColorScheme={}", if dark { 0 } else { 1 }))
        .arg("--dump-dom")
        .arg(format!("file://{}", outer.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    let errors = String::from_utf8_lossy(&output.stderr);
    let title = title.unwrap_or_else(|| panic!("no title: {errors}"));
    let said: Vec<String> = title.lines().map(str::to_owned).collect();
    assert_eq!(said.len(), pages.len(), "{said:?} {errors}");
    said
}

#[test]
fn it_works_from_a_file_wide_and_narrow_light_and_dark() {
    let Some(chromium) = chromium() else {
        assert!(env::var_os("CI").is_none(), "there is no chromium on the PATH");
        eprintln!("skipped: there is no chromium on the PATH");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    // What is as wide as the page can be moved where the page is narrow, and nobody's long name makes room for ours in bold.
    let one = html(&crate::sample::one());
    let long = html(&crate::sample::large(20, 3));
    let themes = thread::scope(|scope| {
        let themes = [(false, &long), (true, &one)].map(|(dark, other)| {
            let usual = crate::sample::page();
            let pages = [(usual, 1400), (usual, 390), (other.as_str(), 390)];
            let (chromium, folder) = (&chromium, folder.path());
            scope.spawn(move || look(chromium, folder, &pages, dark))
        });
        themes.map(|theme| theme.join().unwrap())
    });
    for [wide, narrow, other] in themes.each_ref().map(|said| [0, 1, 2].map(|at| said[at].as_str()))
    {
        assert!(wide.starts_with("FINE 1400 ") && wide.ends_with("true"), "{wide}");
        assert_eq!(narrow, wide.replacen("1400", "390", 1));
        assert!(other.starts_with("FINE 390 "), "{other}");
    }
    assert_ne!(themes[0][0], themes[1][0], "light is dark");
}
