//! The sources of the layers: `no_std`, no `alloc`, and the operating system named in one place only.
//!
//! Read line by line, a comment's end left out. A phrase in a string would be found too; there is none.

use std::path::{Path, PathBuf};

use crate::files;

/// The layers that may ask which operating system this is.
const SYSTEM: [&str; 3] = ["crates/source", "crates/recorder", "abi"];
const ASKS: [&str; 4] = ["target_os", "target_family", "cfg(unix", "cfg(windows"];

/// How a layer says that it stands without the standard library, which its own tests may have.
const NO_STD: [&str; 2] = ["#![no_std]", "#![cfg_attr(not(test), no_std)]"];

/// These packages are `abi`'s sources under other names.
const SHARED: &str = "abi/drop-ins/";

/// Every offence in the sources of the package in `folder`, as `file:line: what: why`.
pub(super) fn judge(top: &Path, folder: &str) -> Result<Vec<String>, String> {
    if folder.starts_with(SHARED) {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    gather(&top.join(folder).join("src"), &mut files)?;
    let tests: Vec<&str> = files.iter().flat_map(|(_, text)| test_modules(text)).collect();
    let mut found = Vec::new();
    for (file, text) in &files {
        let shown = file.strip_prefix(top).unwrap_or(file);
        let is_root = shown == Path::new(folder).join("src/lib.rs");
        if is_root && !text.lines().any(|line| NO_STD.contains(&line.trim())) {
            found.push(format!("{}: lacks {}", shown.display(), NO_STD[0]));
        }
        let names = shown.with_extension("");
        if names.iter().any(|name| tests.iter().any(|test| name == *test)) {
            continue;
        }
        let offences = offences(text, SYSTEM.contains(&folder));
        found.extend(offences.map(|(line, why)| format!("{}:{line}: {why}", shown.display())));
    }
    if !files.iter().any(|(file, _)| file.ends_with("src/lib.rs")) {
        found.push(format!("{folder}: a layer begins in src/lib.rs"));
    }
    Ok(found)
}

fn gather(folder: &Path, found: &mut Vec<(PathBuf, String)>) -> Result<(), String> {
    for path in files::list(folder)? {
        if path.is_dir() {
            gather(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = files::read(&path)?;
            found.push((path, text));
        }
    }
    Ok(())
}

fn is_for_tests(line: &str) -> bool {
    line.starts_with("#[cfg(test") || line.starts_with("#[cfg(all(test")
}

/// The modules in files of their own that are declared right below a `#[cfg(test)]`.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    let pairs = text.lines().map(str::trim).zip(text.lines().map(str::trim).skip(1));
    pairs
        .filter(|(before, _)| is_for_tests(before))
        .filter_map(|(_, line)| line.strip_suffix(';')?.rsplit_once("mod ").map(|(_, name)| name))
}

fn offences(text: &str, may_ask: bool) -> impl Iterator<Item = (usize, &'static str)> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    let mut before = "";
    code.enumerate().filter_map(move |(index, line)| {
        let above = core::mem::replace(&mut before, line);
        let why = match line.split_whitespace().collect::<Vec<_>>()[..] {
            _ if is_for_tests(above) => None,
            // Only a build that unwinds takes its handler of panics, and no release does.
            _ if above == "#[cfg(panic = \"unwind\")]" => None,
            [.., "extern", "crate", "std;"] => Some("extern crate std: std is for tests"),
            [.., "extern", "crate", "alloc;"] => Some("extern crate alloc: layers work without it"),
            _ => (!may_ask && ASKS.iter().any(|ask| line.contains(ask)))
                .then_some("only source/os names an operating system"),
        };
        Some((index + 1, why?))
    })
}

#[cfg(test)]
mod tests;
