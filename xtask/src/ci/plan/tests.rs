use super::*;

fn plan(paths: &[&str]) -> Plan {
    let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
    Plan::of(&crate::layers::packages().unwrap(), &paths)
}

/// The steps of a plan that not every change takes.
fn more(plan: &Plan) -> Vec<&'static str> {
    let more = plan.steps.iter().filter(|(step, _)| !step.reads.is_empty());
    more.map(|(step, _)| step.name.as_str()).collect()
}

#[test]
fn tools_break_their_own_tests() {
    let plan = plan(&["tools/cli/src/main.rs"]);
    assert_eq!(more(&plan), ["dist"]);
    assert_eq!(plan.packages, ["heapwright-cli", "xtask"]);
    assert!(!plan.all);
}

#[test]
fn what_is_below_breaks_all_above_it() {
    let malloc = plan(&["crates/malloc/src/lib.rs"]);
    for step in ["storm", "port", "fuzz"] {
        assert!(more(&malloc).contains(&step), "{step}");
    }
    for step in ["qemu", "size", "wcet", "firmware", "compat", "arceos", "loom"] {
        assert!(!more(&malloc).contains(&step), "{step}");
    }
    for package in ["heapwright-abi", "heapwright-cli", "heapwright-tests", "heapwright-testkit"] {
        assert!(malloc.packages.iter().any(|name| name == package), "{package}");
    }
    let base = plan(&["crates/base/src/lib.rs"]);
    let left: Vec<&str> =
        all().iter().map(|step| &*step.name).filter(|name| !more(&base).contains(name)).collect();
    for step in ["qemu", "size", "wcet", "firmware", "compat", "arceos", "loom", "storm"] {
        assert!(!left.contains(&step), "{step}");
    }
}

#[test]
fn a_package_that_only_tests_use_breaks_those_tests() {
    let plan = plan(&["testkit/src/lib.rs"]);
    assert!(plan.packages.iter().any(|name| name == "heapwright-tests"));
    assert!(!plan.packages.iter().any(|name| name == "heapwright-malloc"));
}

#[test]
fn documents_break_what_every_change_takes_and_what_reads_them() {
    let some = plan(&["docs/glossary.md", "crates/base/README.md", "docs/pictures/a.svg"]);
    assert_eq!((more(&some), some.packages), (vec![], vec!["xtask".to_owned()]));
    for page in ["README.md", "docs/performance.md", "docs/texts.md"] {
        let packages = plan(&[page]).packages;
        assert!(packages.iter().any(|name| name == "xtask-figures"), "{page}: {packages:?}");
    }
    assert_eq!(more(&plan(&["docs/adding-an-allocator.md"])), ["adding"]);
    assert_eq!(more(&plan(&["compat/rlsf/README.md"])), ["compat"]);
    assert_eq!(more(&plan(&["bare-metal/README.md"])), Vec::<&str>::new());
}

#[test]
fn a_path_that_nothing_names_breaks_everything() {
    for path in
        ["Cargo.lock", ".ci/run", "new/file", "xtask/src/command.rs", "xtask/src/ci/plan.rs"]
    {
        let plan = plan(&["docs/glossary.md", path]);
        assert!(plan.all && plan.steps.len() == all().len() && plan.packages.is_empty(), "{path}");
        assert!(plan.steps[0].1.ends_with(path));
    }
}

#[test]
fn chores_break_their_step() {
    assert_eq!(more(&plan(&["xtask/src/wcet/flow.rs"])), ["wcet"]);
    assert_eq!(more(&plan(&["xtask/src/storm.rs"])), ["storm"]);
    assert_eq!(more(&plan(&["xtask/figures/src/reach.rs"])), Vec::<&str>::new());
}

#[test]
fn what_is_named_is_there() {
    let top = crate::peers::root();
    let by_steps = all().iter().flat_map(|step| &step.reads);
    let by_tests = RULES.beside.iter().flat_map(|(folder, reads)| reads.iter().chain([folder]));
    let named = by_steps.chain(by_tests).chain(&RULES.by_every_change);
    for read in named.filter(|read| *read != ".ci/verified") {
        let there = top.join(read).exists() || top.join(format!("{read}.rs")).exists();
        assert!(there, "{read} is gone: mend xtask/src/ci");
    }
}

#[test]
fn crates_that_other_workspaces_depend_on_break_their_steps() {
    let top = crate::peers::root();
    let folders = [
        ("bare-metal", &["qemu", "wcet", "size"][..]),
        ("compat", &["compat", "arceos"]),
        ("fuzz", &["fuzz"]),
    ];
    for (folder, steps) in folders {
        let manifest = std::fs::read_to_string(top.join(folder).join("Cargo.toml")).unwrap();
        let paths: Vec<&str> = manifest
            .lines()
            .filter_map(|line| line.split_once("path = \"../")?.1.split('"').next())
            .filter(|path| path.starts_with("crates/"))
            .collect();
        assert!(paths.len() > 2, "{folder}: {paths:?}");
        for path in paths {
            let plan = plan(&[&format!("{path}/src/lib.rs")]);
            let has = |step| more(&plan).contains(step);
            let all = steps.iter().all(has) || folder == "fuzz" && has(&"fuzz-recordings");
            assert!(all, "{steps:?} do not say that they read {path}");
        }
    }
}
