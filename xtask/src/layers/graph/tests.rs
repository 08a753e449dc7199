use super::*;

/// Packages of these folders and dependencies; each is named after its folder.
fn fake(packages: &[(&str, &[Edge])]) -> Vec<Package> {
    let package = |(folder, edges): &(&str, &[Edge])| Package {
        name: format!("heapwright-{}", folder.rsplit('/').next().unwrap()),
        folder: (*folder).to_owned(),
        place: Place::of(folder),
        edges: edges.to_vec(),
    };
    packages.iter().map(package).collect()
}

fn on(name: &str) -> Edge {
    Edge { to: name.to_owned(), dev: false, optional: false, target: None }
}

fn dev(name: &str) -> Edge {
    Edge { dev: true, ..on(name) }
}

fn only(packages: &[(&str, &[Edge])]) -> String {
    let found = judge(&fake(packages));
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

#[test]
fn downward_is_free() {
    let (base, page) = (on("heapwright-base"), on("heapwright-page"));
    let both = [base.clone(), page];
    let packages: [(&str, &[Edge]); 4] =
        [("crates/base", &[]), ("crates/page", &[base]), ("crates/object", &both), ("abi", &both)];
    assert_eq!(judge(&fake(&packages)), Vec::<String>::new());
}

#[test]
fn upward_names_the_manifest_and_the_edge() {
    let thread = [on("heapwright-thread")];
    assert_eq!(
        only(&[("crates/page", &thread), ("crates/thread", &[])]),
        "crates/page/Cargo.toml: heapwright-page -> heapwright-thread: thread is above page"
    );
    let malloc = [dev("heapwright-malloc")];
    let offence = only(&[("crates/page", &malloc), ("crates/malloc", &[])]);
    assert!(offence.ends_with("malloc is above page"), "tests do not look up either: {offence}");
}

#[test]
fn neighbours_do_not_use_each_other_but_tools_do() {
    let offence = only(&[("crates/block", &[on("heapwright-object")]), ("crates/object", &[])]);
    assert!(offence.contains("stand side by side"), "{offence}");
    let tools: [(&str, &[Edge]); 2] =
        [("tools/cli", &[on("heapwright-bench"), on("clap")]), ("tools/bench", &[])];
    assert!(judge(&fake(&tools)).is_empty());
}

#[test]
fn testkit_is_for_tests() {
    let page = |edge: Edge| fake(&[("crates/page", &[edge]), ("testkit", &[]), ("xtask", &[])]);
    assert!(judge(&page(dev("heapwright-testkit"))).is_empty());
    assert!(judge(&page(on("heapwright-testkit")))[0].ends_with("make it a dev-dependency"));
    assert!(judge(&page(dev("heapwright-xtask")))[0].contains("xtask is not a layer"));
}

#[test]
fn outsiders_use_anything() {
    let both = [on("heapwright-malloc"), on("proptest")];
    assert!(judge(&fake(&[("testkit", &both), ("crates/malloc", &[])])).is_empty());
}

#[test]
fn third_parties_stay_outside() {
    assert!(only(&[("crates/base", &[on("spin")])]).contains("nothing from outside but libc"));
    assert!(only(&[("crates/page", &[on("libc")])]).contains("only source, recorder and abi"));
    let libc = [on("libc")];
    assert!(judge(&fake(&[("crates/source", &libc), ("abi", &libc)])).is_empty());
    assert!(judge(&fake(&[("crates/base", &[dev("proptest")])])).is_empty());
    let gated = [Edge { target: Some("cfg(loom)".to_owned()), ..on("loom") }];
    assert!(judge(&fake(&[("crates/base", &gated)])).is_empty());
    assert!(only(&[("crates/base", &[on("loom")])]).contains("cfg(loom)"));
}

#[test]
fn compose_and_the_facade_may_offer_what_others_speak() {
    for name in ["allocator-api2", "critical-section", "lock_api"] {
        let optional = [Edge { optional: true, ..on(name) }];
        for folder in ["crates/heapwright", "crates/compose"] {
            assert!(judge(&fake(&[(folder, &optional)])).is_empty());
            assert!(only(&[(folder, &[on(name)])]).ends_with("make it optional"));
        }
        assert!(only(&[("crates/malloc", &optional)]).contains("nothing from outside"));
    }
}

#[test]
fn a_new_folder_needs_a_place() {
    assert!(only(&[("crates/arena", &[])]).contains("has no place among the layers"));
    assert!(only(&[("plugins/x", &[])]).contains("has no place among the layers"));
}

/// What cargo says of this workspace becomes packages with folders, kinds and targets.
#[test]
fn the_workspace_is_read() {
    let metadata = super::super::metadata(&crate::peers::root()).unwrap();
    let packages = packages(&metadata);
    let find = |folder: &str| packages.iter().find(|p| p.folder == folder).unwrap();
    assert_eq!(find("crates/base").name, "heapwright-base");
    assert_eq!(find("abi/drop-ins/tlsf").place, Place::of("abi"));
    let edge = |folder: &str, to: &str| {
        find(folder).edges.iter().find(|edge| edge.to == to).unwrap().clone()
    };
    assert!(edge("crates/compose", "lock_api").optional);
    assert!(edge("testkit", "heapwright-malloc").dev);
    assert_eq!(edge("crates/base", "loom").target.as_deref(), Some("cfg(loom)"));
}
