//! `cargo xtask registry`: what stands beside the registry and cannot be made by a macro is as the registry has it.
//!
//! ```text
//! abi/drop-ins/NAME/Cargo.toml          a package for each design that is a malloc
//! docs/blocks.md                        the table of what there is
//! docs/kernel-allocators.md             the table of the kernel's
//! CONTRIBUTING.md                       the table of the steps of `.ci/run`, which `crate::ci` has; names every chore
//! crates/heapwright/Cargo.toml          the features alloc-*: compared only
//! ```
//!
//! Without `--write` it says what differs, and fails.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory as _};
use registry::{BLOCKS, KERNELS};

use crate::peers::root;

const DROP_INS: &str = "abi/drop-ins";
pub(crate) const TABLE: &str = "docs/blocks.md";
const KERNEL_TABLE: &str = "docs/kernel-allocators.md";
const CONTRIBUTING: &str = "CONTRIBUTING.md";
const FACADE: &str = "crates/heapwright/Cargo.toml";
const BEGIN: &str = "<!-- registry: cargo xtask registry --write -->\n";
const END: &str = "<!-- registry: end -->\n";

/// What stands beside the registry is as the registry has it
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Writes it
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let top = root();
    let mut wanted: Vec<(PathBuf, String)> =
        registry::mallocs().map(|name| (top.join(manifest_path(name)), manifest(name))).collect();
    for (path, table) in
        [(TABLE, table()), (KERNEL_TABLE, kernel_table()), (CONTRIBUTING, crate::ci::table())]
    {
        wanted.push((top.join(path), with_table(path, &read(&top.join(path))?, &table)?));
    }
    let mut good = true;
    for (path, text) in &wanted {
        if fs::read_to_string(path).is_ok_and(|there| there == *text) {
            continue;
        }
        let shown = path.strip_prefix(&top).unwrap_or(path).display();
        if options.write {
            let said = |why: std::io::Error| format!("{shown}: {why}");
            fs::create_dir_all(path.parent().unwrap_or(path)).map_err(said)?;
            fs::write(path, text).map_err(said)?;
            println!("registry: wrote {shown}");
        } else {
            good = false;
            eprintln!(
                "registry: {shown} is not as crates/registry has it: cargo xtask registry --write"
            );
        }
    }
    let features = features(&read(&top.join(FACADE))?);
    let chores = chores(&read(&top.join(CONTRIBUTING))?);
    for fault in others(&top)?.into_iter().chain(features).chain(chores) {
        good = false;
        eprintln!("registry: {fault}");
    }
    if good {
        println!(
            "registry: {} designs, {} of the kernel's, and all that follows from them",
            BLOCKS.len(),
            KERNELS.len()
        );
    }
    Ok(good)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))
}

/// Where the package of a drop-in library is, from the top.
pub(crate) fn manifest_path(name: &str) -> PathBuf {
    Path::new(DROP_INS).join(name).join("Cargo.toml")
}

pub(crate) fn manifest(name: &str) -> String {
    let template = include_str!("rows/drop-in.toml");
    template.replace("@NAME@", name).replace("@ID@", &name.replace('-', "_"))
}

/// Packages of designs that the registry does not have.
fn others(top: &Path) -> Result<Vec<String>, String> {
    let folder = top.join(DROP_INS);
    let entries = fs::read_dir(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    Ok(entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|there| registry::mallocs().all(|name| name != there))
        .map(|there| format!("{DROP_INS}/{there}: the registry has no such malloc"))
        .collect())
}

/// The facade's features that choose a block allocator, in the registry's order.
fn features(manifest: &str) -> Option<String> {
    let there: Vec<&str> = manifest
        .lines()
        .filter(|line| line.starts_with("alloc-"))
        .filter_map(|line| line.split_once(" = ").map(|(feature, _)| feature))
        .collect();
    let wanted: Vec<&str> = BLOCKS.iter().filter_map(|block| block.feature).collect();
    (there != wanted)
        .then(|| format!("{FACADE} has the features {there:?}, the registry {wanted:?}"))
}

/// Chores that the page on contributing names neither as a step nor as a command.
fn chores(page: &str) -> Vec<String> {
    let commands: Vec<&str> = page
        .split("cargo xtask ")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next())
        .collect();
    let is_named = |name: &str| commands.contains(&name) || page.contains(&format!("| `{name}` |"));
    let all = crate::Cli::command();
    let names = all.get_subcommands().map(clap::Command::get_name);
    let missing = names.filter(|name| !is_named(name));
    missing.map(|name| format!("{CONTRIBUTING} does not name cargo xtask {name}")).collect()
}

fn with_table(path: &str, document: &str, table: &str) -> Result<String, String> {
    let cut = || {
        let (before, rest) = document.split_once(BEGIN)?;
        let (_, after) = rest.split_once(END)?;
        Some(format!("{before}{BEGIN}{table}{END}{after}"))
    };
    cut().ok_or_else(|| format!("{path} lacks the lines\n{BEGIN}{END}"))
}

fn table() -> String {
    let mut table = String::from(
        "| name | takes, or is | default by the feature | drop-in | traits beside `AddMemory` and `BlockAllocator` |\n\
         |---|---|---|---|---|\n",
    );
    for block in BLOCKS {
        let feature = block.feature.map_or_else(String::new, |feature| format!("`{feature}`"));
        let drop_in = if block.is_malloc { "yes" } else { "" };
        let traits: Vec<&str> = block.abilities.iter().map(|ability| the_trait(ability)).collect();
        table += &format!(
            "| `{}` | {} | {feature} | {drop_in} | {} |\n",
            block.name,
            block.about,
            traits.join(", ")
        );
    }
    table
}

fn kernel_table() -> String {
    let mut table =
        String::from("| name | hands out | what it is | beside that |\n|---|---|---|---|\n");
    for row in KERNELS {
        let abilities: Vec<String> =
            row.abilities.iter().map(|ability| format!("`{ability}`")).collect();
        table += &format!(
            "| `{}` | {} | {} | {} |\n",
            row.name,
            row.kind.word(),
            row.about,
            abilities.join(" ")
        );
    }
    table
}

/// The trait behind a row's word.
fn the_trait(ability: &str) -> &str {
    match ability {
        "check" => "`Check`",
        "walk" => "`Walk`",
        "stats" => "`Stats`",
        "usable" => "`UsableSize`",
        "resize" => "`ResizeInPlace`",
        "free" => "`Free`",
        "remove" => "`RemoveMemory`",
        "owns" => "`Owns`",
        "reset" => "`Reset`",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chore_is_named_as_a_step_or_as_a_command() {
        let page = "| `layers` | x |\n    cargo xtask storm --minutes 60\n`cargo xtask port`, cargo xtask qemus";
        let missing = chores(page).join("\n") + "\n";
        for (name, is_missing) in
            [("layers", false), ("storm", false), ("port", false), ("qemu", true)]
        {
            assert_eq!(missing.contains(&format!(" {name}\n")), is_missing, "{name}: {missing}");
        }
    }
}
