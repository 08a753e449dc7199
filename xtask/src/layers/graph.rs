//! The manifests: which package stands where, and whether each dependency points down.

use cargo_metadata::{Dependency, DependencyKind, Metadata};

/// The order, lowest first. Names on one line are side by side: they may not use each other.
const ORDER: &[&[&str]] = &[
    &["registry"],
    &["base", "trace-format"],
    &["policy"],
    &["source"],
    &["page", "kernel", "recorder"],
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A layer: its level counted from below, and its name.
    Layer(usize, String),
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

pub(crate) struct Package {
    pub(crate) name: String,
    /// Its folder, seen from the top of the tree: `crates/base`.
    pub(crate) folder: String,
    pub(super) place: Place,
    pub(crate) edges: Vec<Edge>,
}

/// One dependency of a package, as its manifest has it.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) to: String,
    pub(crate) dev: bool,
    optional: bool,
    /// The `cfg(…)` or triple that switches it on.
    target: Option<String>,
}

/// The packages of a workspace, whose dependencies need not be resolved.
pub(super) fn packages(metadata: &Metadata) -> Vec<Package> {
    let top = &metadata.workspace_root;
    let package = |package: &cargo_metadata::Package| {
        let manifest = &package.manifest_path;
        let folder = manifest.parent().map(|f| f.strip_prefix(top).unwrap_or(f).to_string());
        let folder = folder.unwrap_or_default();
        Package {
            name: package.name.to_string(),
            place: Place::of(&folder),
            folder,
            edges: package.dependencies.iter().map(Edge::of).collect(),
        }
    };
    metadata.packages.iter().map(package).collect()
}

impl Edge {
    fn of(dependency: &Dependency) -> Self {
        Self {
            to: dependency.name.clone(),
            dev: dependency.kind == DependencyKind::Development,
            optional: dependency.optional,
            target: dependency.target.as_ref().map(ToString::to_string),
        }
    }
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
        "libc" if matches!(name, "source" | "recorder" | "abi") => None,
        "libc" => Some("only source, recorder and abi speak to the system".to_owned()),
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
