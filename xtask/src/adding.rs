//! `cargo xtask adding`: docs/adding-an-allocator.md, followed to the letter in a copy of the tree.
//!
//! The page's code goes where its comments say: `<!-- new file: PATH -->`, `<!-- after "LINE" in PATH -->`. Then the tests of the
//! new row have to pass, and at most six files may differ from the tree's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cargo, finish};
use crate::peers::{output, root, target_dir};

const PAGE: &str = "docs/adding-an-allocator.md";
const MOST: usize = 6;

/// A piece of code of the page.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    path: String,
    /// The text of the line behind which it goes; none: it is a new file.
    after: Option<String>,
    code: String,
}

/// The chore.
pub(crate) fn run() -> Result<bool, String> {
    let top = root();
    let page = fs::read_to_string(top.join(PAGE)).map_err(|why| format!("{PAGE}: {why}"))?;
    let found = pieces(&page)?;
    let folder = target_dir().join("adding");
    let tree = folder.join("tree");
    let files = copy(&top, &tree)?;
    for piece in &found {
        piece.put(&tree)?;
    }
    let cargo = || {
        let mut command = cargo();
        // A target folder of its own: cargo names what it builds by paths in the workspace, which are the same.
        command.current_dir(&tree).env("CARGO_TARGET_DIR", folder.join("target"));
        command
    };
    finish(cargo().args(["test", "--package", "heapwright-block", "--lib", "bump"]))?;
    let testkit = ["--package", "heapwright-testkit", "--test", "blocks", "bump"];
    finish(cargo().arg("test").args(testkit))?;
    let mut touched = differing(&top, &tree, &files, &found);
    // `cargo xtask registry --write` would write it.
    touched.insert(crate::rows::TABLE.to_owned());
    println!("adding: an allocator touches {} files, at most {MOST}:", touched.len());
    for path in &touched {
        println!("  {path}");
    }
    fs::remove_dir_all(&tree).map_err(|why| format!("{}: {why}", tree.display()))?;
    Ok(touched.len() <= MOST)
}

/// Copies what git keeps, and what it would keep, to `tree`; the paths.
fn copy(top: &Path, tree: &Path) -> Result<Vec<String>, String> {
    if tree.exists() {
        fs::remove_dir_all(tree).map_err(|why| format!("{}: {why}", tree.display()))?;
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
        let said = |why: std::io::Error| format!("{}: {why}", to.display());
        fs::create_dir_all(to.parent().unwrap_or(tree)).map_err(said)?;
        fs::copy(&from, &to).map_err(said)?;
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
        let said = |why: std::io::Error| format!("{}: {why}", self.path);
        let Some(after) = &self.after else {
            return fs::write(&path, &self.code).map_err(said);
        };
        let text = fs::read_to_string(&path).map_err(said)?;
        let at = text
            .find(&**after)
            .and_then(|at| text[at..].find('\n').map(|end| at + end + 1))
            .ok_or_else(|| format!("{} has no line {after}, which {PAGE} names", self.path))?;
        fs::write(&path, format!("{}{}{}", &text[..at], self.code, &text[at..])).map_err(said)
    }
}

/// The pieces of code of the page that have a place.
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
    fn a_comment_without_code_is_told() {
        assert!(pieces("<!-- new file: a.rs -->\ntext\n").is_err());
    }
}
