use super::*;

/// Metadata for packages given as `(folder, dependencies as JSON)`; a package is named after its folder.
fn fake(packages: &[(&str, &str)]) -> Vec<Package> {
    let packages: Vec<String> = packages
        .iter()
        .map(|(folder, edges)| {
            let name = folder.rsplit('/').next().unwrap();
            format!(
                r#"{{"name": "heapwright-{name}", "manifest_path": "/top/{folder}/Cargo.toml", "dependencies": [{edges}]}}"#
            )
        })
        .collect();
    let json = format!(r#"{{"workspace_root": "/top", "packages": [{}]}}"#, packages.join(","));
    parse(&json).unwrap()
}

fn on(name: &str) -> String {
    format!(r#"{{"name": "{name}", "kind": null, "optional": false, "target": null}}"#)
}

fn only(packages: &[(&str, &str)]) -> String {
    let found = judge(&fake(packages));
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

#[test]
fn downward_is_free() {
    let (base, page) = (on("heapwright-base"), on("heapwright-page"));
    let both = format!("{base},{page}");
    let packages = [
        ("crates/base", ""),
        ("crates/page", base.as_str()),
        ("crates/object", both.as_str()),
        ("abi", &both),
    ];
    assert_eq!(judge(&fake(&packages)), Vec::<String>::new());
}

#[test]
fn upward_names_the_manifest_and_the_edge() {
    let offence = only(&[("crates/page", &on("heapwright-thread")), ("crates/thread", "")]);
    assert_eq!(
        offence,
        "crates/page/Cargo.toml: heapwright-page -> heapwright-thread: thread is above page"
    );
}

#[test]
fn a_dev_dependency_upward_is_upward() {
    let up = r#"{"name": "heapwright-malloc", "kind": "dev", "optional": false, "target": null}"#;
    assert!(only(&[("crates/page", up), ("crates/malloc", "")]).ends_with("malloc is above page"));
}

#[test]
fn neighbours_do_not_use_each_other() {
    let offence = only(&[("crates/block", &on("heapwright-object")), ("crates/object", "")]);
    assert!(offence.contains("stand side by side"), "{offence}");
}

#[test]
fn tools_use_each_other() {
    assert!(
        judge(&fake(&[("tools/cli", &on("heapwright-bench")), ("tools/bench", "")])).is_empty()
    );
}

#[test]
fn testkit_is_for_tests() {
    let dev = r#"{"name": "heapwright-testkit", "kind": "dev", "optional": false, "target": null}"#;
    assert!(judge(&fake(&[("crates/page", dev), ("testkit", "")])).is_empty());
    let offence = only(&[("crates/page", &on("heapwright-testkit")), ("testkit", "")]);
    assert!(offence.ends_with("make it a dev-dependency"), "{offence}");
    let dev_xtask =
        r#"{"name": "heapwright-xtask", "kind": "dev", "optional": false, "target": null}"#;
    assert!(only(&[("crates/page", dev_xtask), ("xtask", "")]).contains("xtask is not a layer"));
}

#[test]
fn outsiders_use_anything() {
    let both = format!("{},{}", on("heapwright-malloc"), on("proptest"));
    assert!(judge(&fake(&[("testkit", &both), ("crates/malloc", "")])).is_empty());
}

#[test]
fn third_parties_stay_outside() {
    assert!(only(&[("crates/base", &on("spin"))]).contains("nothing from outside but libc"));
    assert!(only(&[("crates/page", &on("libc"))]).contains("only source and abi"));
    assert!(judge(&fake(&[("crates/source", &on("libc")), ("abi", &on("libc"))])).is_empty());
    assert!(judge(&fake(&[("tools/cli", &on("clap"))])).is_empty());
    let dev = r#"{"name": "proptest", "kind": "dev", "optional": false, "target": null}"#;
    assert!(judge(&fake(&[("crates/base", dev)])).is_empty());
}

#[test]
fn loom_only_where_loom_is_asked_for() {
    let gated = r#"{"name": "loom", "kind": null, "optional": false, "target": "cfg(loom)"}"#;
    assert!(judge(&fake(&[("crates/base", gated)])).is_empty());
    assert!(only(&[("crates/base", &on("loom"))]).contains("cfg(loom)"));
}

#[test]
fn compose_and_the_facade_may_offer_what_others_speak() {
    for name in ["allocator-api2", "critical-section", "lock_api"] {
        let optional =
            format!(r#"{{"name": "{name}", "kind": null, "optional": true, "target": null}}"#);
        for folder in ["crates/heapwright", "crates/compose"] {
            assert!(judge(&fake(&[(folder, &optional)])).is_empty());
            assert!(only(&[(folder, &on(name))]).ends_with("make it optional"));
        }
        assert!(only(&[("crates/malloc", &optional)]).contains("nothing from outside"));
    }
}

#[test]
fn a_new_folder_needs_a_place() {
    assert!(only(&[("crates/arena", "")]).contains("has no place among the layers"));
    assert!(only(&[("plugins/x", "")]).contains("has no place among the layers"));
}

#[test]
fn broken_metadata_is_an_error_not_a_panic() {
    assert!(parse("{").is_err());
    assert!(parse("{}").is_err());
    assert!(parse(r#"{"workspace_root": "/top", "packages": [{"name": "x"}]}"#).is_err());
    assert!(parse(r#"{"workspace_root": "/top", "packages": [{"name": "x", "manifest_path": "/y/Cargo.toml"}]}"#).is_err());
}

/// The drop-ins share the sources of `abi`.
#[test]
fn a_library_may_begin_in_another_folder() {
    let json = r#"{"workspace_root": "/top", "packages": [
        {"name": "a", "manifest_path": "/top/abi/drop-ins/a/Cargo.toml", "dependencies": [],
         "targets": [{"kind": ["custom-build"], "src_path": "/top/abi/build.rs"},
                     {"kind": ["cdylib"], "src_path": "/top/abi/drop-ins/a/../../src/lib.rs"}]},
        {"name": "b", "manifest_path": "/top/crates/base/Cargo.toml", "dependencies": []}]}"#;
    let packages = parse(json).unwrap();
    assert_eq!(packages[0].root, Path::new("abi/src/lib.rs"));
    assert_eq!(packages[0].place, Place::of("abi"));
    assert_eq!(packages[1].root, Path::new("crates/base/src/lib.rs"));
}
