//! What has changed since the commit for which every step last passed.
//!
//! `.ci/verified` names that commit. `cargo xtask ci all` writes it when all has passed on a commit without changes in the
//! work tree; whoever ran it commits the file.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::peers::output;

const FILE: &str = ".ci/verified";

/// So many commits later everything is taken: small holes in what steps say they read do not add up.
const FAR: u32 = 60;

/// The paths that differ from that commit, in HEAD, the index or the work tree, and its name.
pub(super) fn since_verified(top: &Path) -> Result<(Vec<String>, String), String> {
    let git = |words: &[&str]| git(top, words);
    let text = fs::read_to_string(top.join(FILE)).map_err(|_| format!("there is no {FILE}"))?;
    let verified = text.trim();
    // An option or a range would mean something else to git.
    if verified.is_empty() || !verified.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(format!("{FILE} names no commit"));
    }
    let commit = format!("{verified}^{{commit}}");
    git(&["cat-file", "-e", &commit]).map_err(|_| format!("commit {verified} is not here"))?;
    let count = git(&["rev-list", "--count", &format!("{verified}..HEAD")])?;
    if !count.trim().parse().is_ok_and(|commits: u32| commits <= FAR) {
        return Err(format!("commit {verified} is more than {FAR} commits ago"));
    }
    let mut paths = split(&git(&["diff", "--name-only", "--no-renames", "-z", verified])?);
    paths.extend(split(&git(&["ls-files", "--others", "--exclude-standard", "-z"])?));
    Ok((paths, verified.to_owned()))
}

/// Notes that all passed for HEAD; what it says of that.
pub(super) fn verified(top: &Path) -> Result<String, String> {
    let git = |words: &[&str]| git(top, words);
    if !git(&["status", "--porcelain"])?.trim().is_empty() {
        return Ok(format!("the work tree differs from HEAD, so {FILE} stays as it is"));
    }
    let head = git(&["rev-parse", "HEAD"])?;
    fs::write(top.join(FILE), head).map_err(|why| format!("{FILE}: {why}"))?;
    Ok(format!("wrote {FILE}: commit it"))
}

fn git(top: &Path, words: &[&str]) -> Result<String, String> {
    output(Command::new("git").current_dir(top).args(words))
}

fn split(names: &str) -> Vec<String> {
    names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
