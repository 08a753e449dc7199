//! The sources of the layers: `no_std`, no `alloc`, and the operating system named in one place only.

use super::code;
use super::graph::Package;
use std::path::{Path, PathBuf};

/// A phrase that may not stand in the code of a layer.
struct Ban {
    phrase: &'static str,
    why: &'static str,
    /// Layers that may say it nevertheless.
    except: &'static [&'static str],
}

const ONLY_SOURCE: &str = "only source/os names an operating system";
const SYSTEM: &[&str] = &["crates/source", "abi"];

const BANS: &[Ban] = &[
    Ban { phrase: "extern crate alloc", why: "layers work without alloc", except: &[] },
    Ban { phrase: "std::", why: "layers are no_std; core has most of it", except: &[] },
    Ban {
        phrase: "extern crate std",
        why: "layers are no_std; std is for their tests",
        except: &[],
    },
    Ban { phrase: "libc::", why: ONLY_SOURCE, except: SYSTEM },
    Ban { phrase: "target_os", why: ONLY_SOURCE, except: SYSTEM },
    Ban { phrase: "target_family", why: ONLY_SOURCE, except: SYSTEM },
    Ban { phrase: "cfg(unix", why: ONLY_SOURCE, except: SYSTEM },
    Ban { phrase: "cfg(windows", why: ONLY_SOURCE, except: SYSTEM },
];

/// Every offence in the sources of `package`, as `file:line: phrase: why`.
pub(super) fn judge(top: &Path, package: &Package) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let root = package.root.clone();
    // Where the sources are: `crates/base` of `crates/base/src/lib.rs`.
    let folder = root.ancestors().nth(2).and_then(Path::to_str).unwrap_or(&package.folder);
    let mut waiting = vec![root.clone()];
    while let Some(file) = waiting.pop() {
        let full = top.join(&file);
        let source =
            std::fs::read_to_string(&full).map_err(|e| format!("{}: {e}", file.display()))?;
        let code = code::without_text(&source);
        if file == root && !code.lines().any(|line| line.trim() == "#![no_std]") {
            found.push(format!("{}: lacks #![no_std]", file.display()));
        }
        let (code, _) = code::without_tests(&code);
        found.extend(banned(&code, folder).map(|(line, ban)| {
            format!("{}:{line}: {}: {}", file.display(), ban.phrase.trim_end_matches(':'), ban.why)
        }));
        for name in modules(&code) {
            match module_file(top, &file, &name) {
                Some(file) => waiting.push(file),
                None => {
                    found.push(format!("{}: no file for `mod {name};` beside it", file.display()))
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The banned phrases of `code`, with their lines.
fn banned<'a>(code: &'a str, folder: &'a str) -> impl Iterator<Item = (usize, &'static Ban)> + 'a {
    code.lines().enumerate().flat_map(move |(index, line)| {
        BANS.iter()
            .filter(move |ban| !ban.except.contains(&folder) && says(line, ban.phrase))
            .map(move |ban| (index + 1, ban))
    })
}

/// Whether `phrase` stands in `line`, not as the end of a longer word.
fn says(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
    })
}

/// The modules `code` keeps in files of their own: `mod name;`. Test modules are no longer in it.
fn modules(code: &str) -> impl Iterator<Item = String> + '_ {
    code.split(';').filter_map(|piece| {
        let words: Vec<&str> = piece.split_whitespace().collect();
        match words.as_slice() {
            [.., "mod", name] => Some((*name).to_owned()),
            _ => None,
        }
    })
}

/// The file of module `name` declared in `parent`: `parent/name.rs` or `parent/name/mod.rs`.
fn module_file(top: &Path, parent: &Path, name: &str) -> Option<PathBuf> {
    let folder = match parent.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "mod" | "main") => parent.parent()?.to_path_buf(),
        _ => parent.with_extension(""),
    };
    [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]
        .into_iter()
        .find(|file| top.join(file).is_file())
}

#[cfg(test)]
mod tests;
