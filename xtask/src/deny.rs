//! `cargo xtask deny`: what `deny.toml` asks of the licence and the source of every crate in the lock file.
//!
//! cargo-deny reads the same file and checks more, the advisories among it. It is 400 crates to compile and its
//! advisories come from the network, which is too dear for a step; `cargo deny check` is a chore before a release. What
//! this asks for is a part of what it asks for: `[licenses] allow`, `[sources]` and `[bans]`.

use std::collections::BTreeMap;
use std::fs;

use cargo_metadata::{CargoOpt, MetadataCommand, Package};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::peers::root;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The part of `deny.toml` that is read here.
#[derive(Debug, Deserialize)]
struct Rules {
    licenses: Licenses,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

pub(crate) fn run() -> Result<bool, String> {
    let text =
        fs::read_to_string(root().join("deny.toml")).map_err(|e| format!("deny.toml: {e}"))?;
    let rules: Rules = toml::from_str(&text).map_err(|e| format!("deny.toml: {e}"))?;
    let allowed = licensees(&rules.licenses.allow)?;
    let mut command = MetadataCommand::new();
    command.current_dir(root()).features(CargoOpt::AllFeatures).other_options(["--locked".into()]);
    let packages = command.exec().map_err(|e| e.to_string())?.packages;
    for (name, versions) in twice(&packages) {
        println!("note: {name} is there as {}", versions.join(" and "));
    }
    let found: Vec<String> = packages.iter().flat_map(|one| judge(one, &allowed)).collect();
    for complaint in &found {
        println!("{complaint}");
    }
    println!("deny: {} crates, {} refused by deny.toml", packages.len(), found.len());
    Ok(found.is_empty())
}

fn licensees(names: &[String]) -> Result<Vec<Licensee>, String> {
    let parsed = names.iter().map(|name| Licensee::parse(name));
    parsed.collect::<Result<_, _>>().map_err(|e| format!("deny.toml: {e}"))
}

fn judge(package: &Package, allowed: &[Licensee]) -> Vec<String> {
    let mut wrong = Vec::new();
    match &package.license {
        None => wrong.push("names no licence".to_owned()),
        Some(licence) if !permitted(licence, allowed) => {
            wrong.push(format!("is licensed as {licence}, which deny.toml does not allow"));
        }
        Some(_) => {}
    }
    // Packages of the workspace have no source.
    if let Some(source) = package.source.as_ref().filter(|source| source.repr != CRATES_IO) {
        wrong.push(format!("comes from {source} and not from crates.io"));
    }
    for dependency in &package.dependencies {
        if dependency.path.is_none() && dependency.req.to_string() == "*" {
            wrong.push(format!("takes any version of {}", dependency.name));
        }
    }
    wrong.iter().map(|wrong| format!("{} {} {wrong}", package.name, package.version)).collect()
}

/// Whether what is allowed is enough for `licence`, which may offer a choice.
fn permitted(licence: &str, allowed: &[Licensee]) -> bool {
    // Old crates write MIT/Apache-2.0.
    let expression = Expression::parse_mode(licence, ParseMode::LAX);
    let may = |name: &spdx::LicenseReq| allowed.iter().any(|one| one.satisfies(name));
    expression.is_ok_and(|expression| expression.evaluate(may))
}

fn twice(packages: &[Package]) -> BTreeMap<&str, Vec<String>> {
    let mut versions = BTreeMap::<&str, Vec<String>>::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(package.version.to_string());
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_enough_and_an_exception_is_a_name_of_its_own() {
        let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        let allowed = licensees(&allowed).unwrap();
        for licence in
            ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR (MIT AND MIT)", "Apache-2.0 WITH LLVM-exception"]
        {
            assert!(permitted(licence, &allowed), "{licence}");
        }
        for licence in
            ["Apache-2.0", "MIT AND GPL-3.0-only", "LGPL-2.1-or-later", "no such licence"]
        {
            assert!(!permitted(licence, &allowed), "{licence}");
        }
    }

    #[test]
    fn a_crate_from_elsewhere_is_refused_for_each_reason() {
        let dependency = serde_json::json!({
            "name": "b", "source": CRATES_IO, "req": "*", "kind": null, "optional": false,
            "uses_default_features": true, "features": [], "target": null
        });
        let package: Package = serde_json::from_value(serde_json::json!({
            "name": "a", "version": "1.0.0", "id": "a", "license": "GPL-3.0-only",
            "source": "git+https://example.org/a", "dependencies": [dependency],
            "targets": [], "features": {}, "manifest_path": "/a/Cargo.toml"
        }))
        .unwrap();
        let found = judge(&package, &licensees(&["MIT".to_owned()]).unwrap());
        let told = ["licensed as GPL-3.0-only", "comes from git+", "any version of b"];
        assert_eq!(found.len(), told.len(), "{found:?}");
        assert!(found.iter().zip(told).all(|(found, told)| found.contains(told)), "{found:?}");
    }
}
