//! `cargo xtask paths`: every path the documents name exists, and no line of theirs is longer than README's.
//!
//! A path is the target of a markdown link, or a code span that starts with one of the tree's top folders and has a
//! slash: `[the walk](docs/how-it-works.md)`, `` `crates/base` ``, `` `crates/{base,page}` ``, `` `docs/*.md` ``.
//! Links are followed from the document's own folder, code spans from the top of the tree. Tables, pictures and what a
//! command writes may have longer lines.

mod markdown;

use crate::peers::root;
use markdown::{Mention, mentions};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

/// Folders at the top of the tree, those to come included: a code span that starts with one of them is a path.
const FOLDERS: &str =
    ".cargo .ci abi bare-metal bench crates docs examples fuzz model testkit tests tools xtask";

/// Characters of a line.
const WIDTH: usize = 120;

pub(crate) fn run() -> ExitCode {
    match faults(&root()) {
        Ok((documents, found)) if found.is_empty() => {
            println!(
                "paths: everything {documents} documents name exists, in lines of {WIDTH} characters"
            );
            ExitCode::SUCCESS
        }
        Ok((_, found)) => {
            for line in &found {
                eprintln!("{line}");
            }
            eprintln!("paths: {} named but not there, or too long", found.len());
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("xtask paths: {why}");
            ExitCode::from(2)
        }
    }
}

/// How many documents there are, and `file:line: path` for every path that is not there; likewise for long lines.
fn faults(top: &Path) -> Result<(usize, Vec<String>), String> {
    let mut documents = matches(top, "*.md")?;
    documents.extend(matches(top, "*/README.md")?);
    documents.extend(matches(top, "docs/**/*.md")?);
    documents.sort();
    documents.dedup();
    let mut found = Vec::new();
    for document in &documents {
        let text = std::fs::read_to_string(document)
            .map_err(|e| format!("{}: {e}", document.display()))?;
        let name = document.strip_prefix(top).unwrap_or(document);
        let too_long = |line| format!("{}:{line}: more than {WIDTH} characters", name.display());
        found.extend(long_lines(&text).map(too_long));
        for Mention { line, path, is_link } in mentions(&text) {
            let gone = |path: &str| format!("{}:{line}: {path}", name.display());
            if is_link {
                let folder = name.parent().unwrap_or(Path::new(""));
                if !within(&folder.join(&path)).is_some_and(|path| top.join(path).exists()) {
                    found.push(gone(&path));
                }
            } else if path
                .split_once('/')
                .is_some_and(|(first, _)| FOLDERS.split(' ').any(|folder| folder == first))
            {
                for one in braces(&path) {
                    if matches(top, &one)?.is_empty() {
                        found.push(gone(&one));
                    }
                }
            }
        }
    }
    Ok((documents.len(), found))
}

/// The numbers of lines that a reader would have to scroll for.
fn long_lines(text: &str) -> impl Iterator<Item = usize> {
    let mut is_written = false;
    let is_long = move |line: &str| {
        is_written = (is_written || line.ends_with(": begin -->")) && !line.ends_with(": end -->");
        let may_be = is_written || line.trim_start().starts_with(['|', '!']);
        !may_be && line.chars().count() > WIDTH
    };
    text.lines().map(is_long).zip(1..).filter_map(|(is_long, line)| is_long.then_some(line))
}

/// What there is below `top` for a pattern, in which a `*` stands for any part of one name.
fn matches(top: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let pattern = format!("{}/{pattern}", glob::Pattern::escape(&top.to_string_lossy()));
    let found = glob::glob(&pattern).map_err(|why| format!("{pattern}: {why}"))?;
    found.map(|path| path.map_err(|why| why.to_string())).collect()
}

/// A path without `..`; `None` when it leads out of the tree.
fn within(path: &Path) -> Option<PathBuf> {
    let mut within = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => within.pop().then_some(())?,
            Component::Normal(name) => within.push(name),
            _ => {}
        }
    }
    Some(within)
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

/// A small tree of files for the tests of `layers` and `paths`.
#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests;
