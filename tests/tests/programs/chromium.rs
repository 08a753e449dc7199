//! Chromium renders a page with scripts, with our library in every process it starts.
//!
//! The browser brings an allocator of its own, whose names come before those of a preloaded library; what it calls in
//! the libraries of the system, and the programs it starts, are what is on ours.

use heapwright_tests::{Malloc, Program, Scratch, find, missing};
use std::path::Path;

const PAGE: &str = r##"<!doctype html><meta charset="utf-8"><title>waiting</title>
<canvas id="canvas" width="200" height="100"></canvas><img id="picture"><ul id="list"></ul><div id="box" style="width: 50%"></div>
<script>
const context = canvas.getContext('2d');
for (let i = 0; i < 200; i++) {
  context.fillStyle = `rgb(${i}, ${i * 7 % 256}, ${i * 13 % 256})`;
  context.fillRect(i, i % 100, 20, 30);
}
const sum = context.getImageData(0, 0, 200, 100).data.reduce((a, b) => (a * 31 + b) >>> 0, 7);
let words = Array.from({ length: 20000 }, (_, i) => (i * 7919 % 20011).toString(36).repeat(1 + i % 9));
words.sort();
for (const word of words.slice(0, 300)) {
  const item = document.createElement('li');
  item.textContent = word;
  list.append(item);
}
for (const item of [...list.children].filter((_, i) => i % 3)) item.remove();
const map = new Map(words.map((word, i) => [word, new Uint8Array(i % 5000).fill(i)]));
const bytes = [...map.values()].reduce((a, b) => a + b.length, 0);
// The page is written down once this picture is there.
picture.src = URL.createObjectURL(new Blob([`<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20">${
  words.slice(0, 500).map((_, i) => `<circle cx="${i % 30}" cy="${i % 20}" r="3"/>`).join('')}</svg>`], { type: 'image/svg+xml' }));
addEventListener('load', () => {
  const item = list.children[50].getBoundingClientRect();
  document.title = `sum ${sum} bytes ${bytes} box ${box.offsetWidth} item ${item.top} ${item.height} picture ${picture.naturalWidth} list ${list.children.length}`;
  picture.removeAttribute('src');
});
</script>
"##;

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
