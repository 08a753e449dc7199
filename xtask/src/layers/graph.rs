//! The manifests: which package stands where, and whether each dependency points down.

use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The order, lowest first. Names on one line are side by side: they may not use each other.
const ORDER: &[&[&str]] = &[
    &["base"],
    &["source"],
    &["page"],
    &["block", "object", "handle"],
    &["thread"],
    &["compose"],
    &["malloc"],
    &["heapwright"],
    &["abi"],
    &["tools"],
];

/// Packages outside the layers: they may use anything, and a layer may use only testkit, only for its tests.
const OUTSIDE: &[&str] = &["testkit", "tests", "model", "fuzz", "xtask", "examples", "bench"];

/// Where a package stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A layer: its level counted from `base`, and its name.
    Layer(usize, String),
    /// A package that is no layer.
    Outside(String),
    /// A folder nobody has given a place.
    Unknown,
}

impl Place {
    /// The place of a package by its folder, as seen from the top of the tree.
    fn of(folder: &str) -> Self {
        let mut parts = folder.split('/');
        let first = parts.next().unwrap_or_default();
        let name = if first == "crates" { parts.next().unwrap_or_default() } else { first };
        match ORDER.iter().position(|level| level.contains(&name)) {
            Some(level) => Self::Layer(level, name.to_owned()),
            None if first != "crates" && OUTSIDE.contains(&first) => {
                Self::Outside(first.to_owned())
            }
            None => Self::Unknown,
        }
    }

    /// Layers whose sources are `no_std`: all but the tools.
    pub(super) fn is_library_layer(&self) -> bool {
        matches!(self, Self::Layer(_, name) if name != "tools")
    }
}

/// One package of the workspace.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) name: String,
    /// Its folder, seen from the top of the tree: `crates/base`.
    pub(super) folder: String,
    /// The file its library begins with, seen from the top of the tree. Usually in its folder; the drop-ins
    /// share one.
    pub(super) root: PathBuf,
    pub(super) place: Place,
    pub(super) edges: Vec<Edge>,
}

/// One dependency of a package, as its manifest has it.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    to: String,
    dev: bool,
    optional: bool,
    /// The `cfg(…)` or triple that switches it on.
    target: Option<String>,
}

/// Reads `cargo metadata --no-deps`.
pub(super) fn parse(json: &str) -> Result<Vec<Package>, String> {
    let root: Value = serde_json::from_str(json).map_err(|e| format!("cargo metadata: {e}"))?;
    let top = root["workspace_root"].as_str().ok_or("cargo metadata has no workspace_root")?;
    let packages = root["packages"].as_array().ok_or("cargo metadata has no packages")?;
    packages.iter().map(|package| parse_package(package, top)).collect()
}

fn parse_package(package: &Value, top: &str) -> Result<Package, String> {
    let name = package["name"].as_str().ok_or("cargo metadata: a package without a name")?;
    let manifest =
        package["manifest_path"].as_str().ok_or_else(|| format!("{name}: no manifest_path"))?;
    let folder = Path::new(manifest)
        .parent()
        .and_then(|folder| folder.strip_prefix(top).ok())
        .and_then(Path::to_str)
        .ok_or_else(|| format!("{manifest} is outside {top}"))?;
    let root = package["targets"]
        .as_array()
        .and_then(|targets| targets.iter().find(|target| is_library(target)))
        .and_then(|target| Path::new(target["src_path"].as_str()?).strip_prefix(top).ok())
        .map_or_else(|| Path::new(folder).join("src/lib.rs"), plain);
    let edges = package["dependencies"].as_array().map_or_else(Vec::new, |all| {
        all.iter()
            .map(|edge| Edge {
                to: edge["name"].as_str().unwrap_or_default().to_owned(),
                dev: edge["kind"] == "dev",
                optional: edge["optional"] == true,
                target: edge["target"].as_str().map(str::to_owned),
            })
            .collect()
    });
    Ok(Package {
        name: name.to_owned(),
        folder: folder.to_owned(),
        root,
        place: Place::of(folder),
        edges,
    })
}

/// Whether a target is what other packages link: not a program, a test or a build script.
fn is_library(target: &Value) -> bool {
    let kinds = target["kind"].as_array().map_or(&[][..], Vec::as_slice);
    kinds.iter().filter_map(Value::as_str).any(|kind| kind.contains("lib"))
}

/// `a/b/../c` as `a/c`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Every edge that breaks a rule, as `manifest: from -> to: why`.
pub(super) fn judge(packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        let (level, name) = match &package.place {
            Place::Layer(level, name) => (*level, name.as_str()),
            Place::Outside(_) => continue,
            Place::Unknown => {
                found.push(format!(
                    "{}/Cargo.toml: {} has no place among the layers; give it one in xtask/src/layers/graph.rs",
                    package.folder, package.name
                ));
                continue;
            }
        };
        for edge in &package.edges {
            let target = packages.iter().find(|other| other.name == edge.to);
            let why = match target {
                Some(other) => why_not_inside(level, name, edge, &other.place),
                None => why_not_third_party(name, edge),
            };
            if let Some(why) = why {
                found.push(format!(
                    "{}/Cargo.toml: {} -> {}: {why}",
                    package.folder, package.name, edge.to
                ));
            }
        }
    }
    found
}

/// Why a layer may not use another package of the workspace, or `None` when it may.
fn why_not_inside(level: usize, name: &str, edge: &Edge, to: &Place) -> Option<String> {
    match to {
        Place::Layer(below, _) if *below < level => None,
        Place::Layer(_, other) if name == "tools" && other == "tools" => None,
        Place::Layer(same, other) if *same == level => {
            Some(format!("{name} and {other} stand side by side; move what they share below both"))
        }
        Place::Layer(_, other) => Some(format!("{other} is above {name}")),
        Place::Outside(other) if other == "testkit" && edge.dev => None,
        Place::Outside(other) if other == "testkit" => {
            Some("testkit is for tests: make it a dev-dependency".to_owned())
        }
        Place::Outside(other) => Some(format!("{other} is not a layer, so no layer may use it")),
        Place::Unknown => Some("it has no place among the layers".to_owned()),
    }
}

/// Why a layer may not use a package from outside the workspace. Tests and tools choose freely.
fn why_not_third_party(name: &str, edge: &Edge) -> Option<String> {
    let under_loom = edge.target.as_deref() == Some("cfg(loom)");
    match edge.to.as_str() {
        _ if edge.dev || name == "tools" => None,
        "libc" if matches!(name, "source" | "abi") => None,
        "libc" => Some("only source and abi speak to the system".to_owned()),
        "loom" if under_loom => None,
        "loom" => Some("write it under [target.'cfg(loom)'.dependencies]".to_owned()),
        "allocator-api2" | "critical-section" | "lock_api"
            if matches!(name, "compose" | "heapwright") =>
        {
            (!edge.optional).then(|| "make it optional".to_owned())
        }
        _ => Some("a layer takes nothing from outside but libc".to_owned()),
    }
}

#[cfg(test)]
mod tests;
