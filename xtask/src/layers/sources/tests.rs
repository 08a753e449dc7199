use super::*;
use crate::paths::testing::Tree;

fn judged(folder: &str, files: &[(&str, &str)]) -> Vec<String> {
    let tree = Tree::new(files.iter().map(|(name, text)| (format!("{folder}/src/{name}"), *text)));
    judge(tree.top(), folder).unwrap()
}

#[test]
fn a_clean_layer_passes() {
    let lib = "//! target_os is only talked about.\n#![no_std]\npub mod a;\n#[cfg(test)]\nextern crate std;\n\
               #[cfg(test)]\nmod tests;\n#[cfg(all(test, not(loom)))]\npub(crate) mod toy;\n";
    let std = "extern crate std;";
    let files = [("lib.rs", lib), ("a.rs", "fn f() {} // extern crate std;"), ("toy.rs", std)];
    assert_eq!(judged("crates/page", &files), Vec::<String>::new());
    let files = [("lib.rs", lib), ("a/tests.rs", std), ("tests/deep.rs", std)];
    assert_eq!(judged("crates/page", &files), Vec::<String>::new());
}

#[test]
fn no_std_is_required_in_a_library_that_begins_where_all_do() {
    let lacks = ["crates/page/src/lib.rs: lacks #![no_std]"];
    assert_eq!(judged("crates/page", &[("lib.rs", "// #![no_std]\n")]), lacks);
    let odd = judged("crates/page", &[("odd.rs", "#![no_std]\n")]);
    assert_eq!(odd, ["crates/page: a layer begins in src/lib.rs"]);
}

#[test]
fn std_and_alloc_are_found_where_they_stand() {
    let lib = "#![no_std]\n#[macro_use] extern crate alloc;\nmod deep;";
    let files = [("lib.rs", lib), ("deep/er.rs", "\npub extern  crate std;")];
    assert_eq!(
        judged("crates/page", &files),
        [
            "crates/page/src/deep/er.rs:2: extern crate std: std is for tests",
            "crates/page/src/lib.rs:2: extern crate alloc: layers work without it",
        ]
    );
    let unwinds = "#![no_std]\n#[cfg(panic = \"unwind\")]\nextern crate std;";
    assert!(judged("abi", &[("lib.rs", unwinds)]).is_empty());
}

#[test]
fn only_source_and_abi_ask_for_the_system() {
    let lib = "#![no_std]\n#[cfg(target_os = \"linux\")]\nfn f() {}\n#[cfg(unix)]\nfn g() {}";
    let found = judged("crates/thread", &[("lib.rs", lib)]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("lib.rs:2: only source/os"), "{found:?}");
    assert!(judged("crates/source", &[("lib.rs", lib)]).is_empty());
    assert!(judged("abi", &[("lib.rs", lib)]).is_empty());
}
