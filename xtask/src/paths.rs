//! `cargo xtask paths`: every path the documents name exists.
//!
//! A path is the target of a markdown link, or a code span that starts with one of the tree's top folders and has a
//! slash: `[the walk](docs/how-it-works.md)`, `` `crates/base` ``, `` `crates/{base,page}` ``, `` `docs/*.md` ``.
//! Links are followed from the document's own folder, code spans from the top of the tree.

mod markdown;

use crate::peers::root;
use markdown::{Mention, mentions};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

/// Folders at the top of the tree, those to come included: a code span that starts with one of them is a path.
const FOLDERS: &[&str] = &[
    ".cargo",
    ".ci",
    "abi",
    "bare-metal",
    "bench",
    "crates",
    "docs",
    "examples",
    "fuzz",
    "model",
    "testkit",
    "tests",
    "tools",
    "xtask",
];

pub(crate) fn run() -> ExitCode {
    match missing(&root()) {
        Ok((documents, found)) if found.is_empty() => {
            println!("paths: everything {documents} documents name exists");
            ExitCode::SUCCESS
        }
        Ok((_, found)) => {
            for line in &found {
                eprintln!("{line}");
            }
            eprintln!("paths: {} named, but not there", found.len());
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("xtask paths: {why}");
            ExitCode::from(2)
        }
    }
}

/// How many documents there are, and `file:line: path` for every path that is not there.
fn missing(top: &Path) -> Result<(usize, Vec<String>), String> {
    let mut documents = Vec::new();
    for entry in list(top)? {
        if entry.is_file() && is_markdown(&entry) {
            documents.push(entry);
        }
    }
    let docs = top.join("docs");
    if docs.is_dir() {
        gather(&docs, &mut documents)?;
    }
    let mut found = Vec::new();
    for document in &documents {
        let text = std::fs::read_to_string(document)
            .map_err(|e| format!("{}: {e}", document.display()))?;
        let name = document.strip_prefix(top).unwrap_or(document);
        for Mention { line, path, is_link } in mentions(&text) {
            if is_link {
                if !exists(name.parent().unwrap_or(Path::new("")), &path, top)? {
                    found.push(format!("{}:{line}: {path}", name.display()));
                }
            } else if starts_in_tree(&path) {
                for one in braces(&path) {
                    if !exists(Path::new(""), &one, top)? {
                        found.push(format!("{}:{line}: {one}", name.display()));
                    }
                }
            }
        }
    }
    Ok((documents.len(), found))
}

fn gather(folder: &Path, documents: &mut Vec<PathBuf>) -> Result<(), String> {
    for entry in list(folder)? {
        if entry.is_dir() {
            gather(&entry, documents)?;
        } else if is_markdown(&entry) {
            documents.push(entry);
        }
    }
    Ok(())
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ext == "md")
}

fn starts_in_tree(path: &str) -> bool {
    path.split_once('/').is_some_and(|(first, _)| FOLDERS.contains(&first))
}

/// `a/{b,c}/d` as `a/b/d` and `a/c/d`.
fn braces(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let Some((choices, after)) = rest.split_once('}') else { return vec![path.to_owned()] };
    choices
        .split(',')
        .flat_map(|choice| braces(&format!("{before}{}{after}", choice.trim())))
        .collect()
}

/// Whether `path`, seen from `folder`, is in the tree below `top`. A `*` stands for any part of one name.
fn exists(folder: &Path, path: &str, top: &Path) -> Result<bool, String> {
    let mut candidates = vec![PathBuf::new()];
    for part in folder.join(path).components() {
        match part {
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            Component::ParentDir => {
                candidates.retain_mut(PathBuf::pop);
            }
            Component::Normal(name) => {
                candidates = step(&candidates, &name.to_string_lossy(), top)?;
            }
        }
    }
    Ok(!candidates.is_empty())
}

fn step(candidates: &[PathBuf], name: &str, top: &Path) -> Result<Vec<PathBuf>, String> {
    let mut next = Vec::new();
    for candidate in candidates {
        if !name.contains('*') {
            let one = candidate.join(name);
            if top.join(&one).exists() {
                next.push(one);
            }
            continue;
        }
        for entry in list(&top.join(candidate))? {
            let entry = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if matches_star(name, &entry) {
                next.push(candidate.join(entry));
            }
        }
    }
    Ok(next)
}

/// Whether `name` is `pattern` with something, or nothing, in place of each `*`.
fn matches_star(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(at, _)| at)
                .chain([rest.len()])
                .any(|at| matches_star(after, &rest[at..]))
        }),
    }
}

/// A small tree of files for the tests of `layers` and `paths`.
#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests;
