//! `cargo xtask adding`: docs/adding-an-allocator.md, followed to the letter in a copy of the tree.
//!
//! The page's code goes where its comments say: `<!-- new file: PATH -->`, `<!-- after "LINE" in PATH -->`. Then the tests of the
//! new rows have to pass, and at most six files may differ from the tree's for each.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cargo, finish};
use crate::files;
use crate::peers::{output, root, target_dir};

const PAGE: &str = "docs/adding-an-allocator.md";
const MOST: usize = 6;

#[derive(Debug, PartialEq, Eq)]
struct Piece {
    path: String,
    /// The text of the line behind which it goes; none: it is a new file.
    after: Option<String>,
    code: String,
}

struct Example {
    name: &'static str,
    heading: &'static str,
    tests: &'static [&'static [&'static str]],
    /// Whether it is a drop-in library, with a package that `cargo xtask registry --write` writes.
    is_drop_in: bool,
}

const EXAMPLES: [Example; 2] = [
    Example {
        name: "bump",
        heading: "## A block allocator",
        tests: &[
            &["--package", "heapwright-block", "--lib", "bump"],
            &["--package", "heapwright-testkit", "--test", "blocks", "bump"],
        ],
        is_drop_in: false,
    },
    Example {
        name: "mapped",
        heading: "## A malloc",
        tests: &[&["--package", "heapwright-tests", "--test", "mallocs", "mapped"]],
        is_drop_in: true,
    },
];

pub(crate) fn run() -> Result<bool, String> {
    let top = root();
    let page = files::read(&top.join(PAGE))?;
    let folder = target_dir().join("adding");
    let tree = folder.join("tree");
    let mut good = true;
    for example in &EXAMPLES {
        let found = pieces(section(&page, example.heading)?)?;
        let files = copy(&top, &tree)?;
        for piece in &found {
            piece.put(&tree)?;
        }
        let mut touched = differing(&top, &tree, &files, &found);
        if example.is_drop_in {
            let manifest = crate::rows::manifest_path(example.name);
            files::write(&tree.join(&manifest), crate::rows::manifest(example.name))?;
            touched.insert(manifest.display().to_string());
            touched.insert("Cargo.lock".to_owned());
        } else {
            // `cargo xtask registry --write` would write it.
            touched.insert(crate::rows::TABLE.to_owned());
        }
        let cargo = || {
            let mut command = cargo();
            // A target folder of its own: cargo names what it builds by paths in the workspace, which are the same.
            command.current_dir(&tree).env("CARGO_TARGET_DIR", folder.join("target"));
            // Nobody debugs the copy.
            command.env("CARGO_PROFILE_DEV_DEBUG", "none").env("CARGO_PROFILE_TEST_DEBUG", "none");
            command
        };
        for test in example.tests {
            finish(cargo().arg("test").args(*test))?;
        }
        if example.is_drop_in {
            let package = format!("heapwright-abi-{}", example.name);
            finish(cargo().args(["build", "--package", &package]))?;
            is_a_malloc(example.name, &folder.join("target/debug"))?;
        }
        println!("adding: {} touches {} files, at most {MOST}:", example.name, touched.len());
        for path in &touched {
            println!("  {path}");
        }
        good &= touched.len() <= MOST;
    }
    fs::remove_dir_all(&tree).map_err(files::said(&tree))?;
    Ok(good)
}

/// A program runs on the library, which says so at its end.
fn is_a_malloc(name: &str, folder: &Path) -> Result<(), String> {
    let library = folder.join(format!("libheapwright_{name}.so"));
    let mut program = Command::new("/bin/true");
    let run = program
        .env("LD_PRELOAD", &library)
        .env("HEAPWRIGHT", "stats=1")
        .output()
        .map_err(|why| format!("/bin/true: {why}"))?;
    let said = String::from_utf8_lossy(&run.stderr);
    if run.status.success() && said.starts_with(&format!("heapwright-{name}[")) {
        return Ok(());
    }
    Err(format!("/bin/true on {}: {}: {said}", library.display(), run.status))
}

fn section<'a>(page: &'a str, heading: &str) -> Result<&'a str, String> {
    let cut = || {
        let (_, section) = page.split_once(&format!("\n{heading}"))?;
        Some(section.split_once("\n## ").map_or(section, |(section, _)| section))
    };
    cut().ok_or_else(|| format!("{PAGE} has no section {heading:?}"))
}

/// Copies what git keeps, and what it would keep, to `tree`; the paths.
fn copy(top: &Path, tree: &Path) -> Result<Vec<String>, String> {
    if tree.exists() {
        fs::remove_dir_all(tree).map_err(files::said(tree))?;
    }
    let mut git = Command::new("git");
    git.current_dir(top).args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
    let listed = output(&mut git)?;
    let paths: BTreeSet<String> =
        listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    let mut copied = Vec::new();
    for path in paths {
        let (from, to) = (top.join(&path), tree.join(&path));
        // What is deleted and not yet committed is still listed.
        if !from.is_file() {
            continue;
        }
        files::folder(to.parent().unwrap_or(tree))?;
        fs::copy(&from, &to).map_err(files::said(&to))?;
        copied.push(path);
    }
    Ok(copied)
}

/// The files that differ, and the new ones.
fn differing(top: &Path, tree: &Path, files: &[String], pieces: &[Piece]) -> BTreeSet<String> {
    let differs = |path: &&String| {
        let read = |folder: &Path| fs::read(folder.join(path.as_str())).ok();
        read(top) != read(tree)
    };
    let new = pieces.iter().filter(|piece| piece.after.is_none()).map(|piece| piece.path.clone());
    files.iter().filter(differs).cloned().chain(new).collect()
}

impl Piece {
    fn put(&self, tree: &Path) -> Result<(), String> {
        let path: PathBuf = tree.join(&self.path);
        let Some(after) = &self.after else { return files::write(&path, &self.code) };
        let text = files::read(&path)?;
        let at = text
            .find(&**after)
            .and_then(|at| text[at..].find('\n').map(|end| at + end + 1))
            .ok_or_else(|| format!("{} has no line {after}, which {PAGE} names", self.path))?;
        files::write(&path, format!("{}{}{}", &text[..at], self.code, &text[at..]))
    }
}

fn pieces(page: &str) -> Result<Vec<Piece>, String> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, behind)) = rest.split_once("<!-- ") {
        let cut = || {
            let (place, behind) = behind.split_once(" -->\n```")?;
            let (_, behind) = behind.split_once('\n')?;
            let (code, behind) = behind.split_once("\n```\n")?;
            Some((place, format!("{code}\n"), behind))
        };
        let (place, code, behind) =
            cut().ok_or_else(|| format!("{PAGE}: no code behind a comment"))?;
        let placed = |place: &str| {
            if let Some(path) = place.strip_prefix("new file: ") {
                return Some((path.to_owned(), None));
            }
            let (line, path) = place.strip_prefix("after \"")?.split_once("\" in ")?;
            Some((path.to_owned(), Some(line.to_owned())))
        };
        let (path, after) = placed(place).ok_or_else(|| format!("{PAGE}: what is {place}?"))?;
        found.push(Piece { path, after, code });
        rest = behind;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_goes_where_its_comment_says() {
        let page = "one\n<!-- new file: a/b.rs -->\n```rust\nfn b() {}\n```\ntwo\n```rust\nno place\n```\n\
                    <!-- after \"mod a;\" in c.rs -->\n```rust\nmod b;\n```\n";
        let found = pieces(page).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0],
            Piece { path: "a/b.rs".into(), after: None, code: "fn b() {}\n".into() }
        );
        assert_eq!(found[1].after.as_deref(), Some("mod a;"));
        assert_eq!(found[1].code, "mod b;\n");
    }

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let page = "# page\n## One: a\n### part\n1\n## Two\n2\n";
        assert_eq!(section(page, "## One"), Ok(": a\n### part\n1"));
        assert_eq!(section(page, "## Two"), Ok("\n2\n"));
        assert!(section(page, "## Three").is_err());
    }

    #[test]
    fn a_comment_without_code_is_told() {
        assert!(pieces("<!-- new file: a.rs -->\ntext\n").is_err());
    }
}
