use super::super::graph;
use super::*;
use crate::paths::testing::Tree;

fn package(folder: &str) -> Package {
    let json = format!(
        r#"{{"workspace_root": "/top", "packages":
            [{{"name": "x", "manifest_path": "/top/{folder}/Cargo.toml", "dependencies": []}}]}}"#
    );
    graph::parse(&json).unwrap().remove(0)
}

fn judged(folder: &str, files: &[(&str, &str)]) -> Vec<String> {
    let tree = Tree::new(files.iter().map(|(name, text)| (format!("{folder}/src/{name}"), *text)));
    judge(tree.top(), &package(folder)).unwrap()
}

#[test]
fn a_clean_layer_passes() {
    let lib =
        "//! std::vec is only talked about.\n#![no_std]\npub mod a;\n#[cfg(test)]\nmod tests;\n";
    let found = judged(
        "crates/page",
        &[("lib.rs", lib), ("a.rs", "pub fn f() {}"), ("tests.rs", "use std::vec;")],
    );
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_std_is_required() {
    assert_eq!(
        judged("crates/page", &[("lib.rs", "// #![no_std]\n")]),
        ["crates/page/src/lib.rs: lacks #![no_std]"]
    );
}

#[test]
fn std_and_alloc_are_found_where_they_stand() {
    let found = judged(
        "crates/page",
        &[
            ("lib.rs", "#![no_std]\nextern crate alloc;\nmod deep;"),
            ("deep.rs", "mod er;"),
            ("deep/er.rs", "\nuse std::vec::Vec;"),
        ],
    );
    assert_eq!(
        found,
        [
            "crates/page/src/deep/er.rs:2: std: layers are no_std; core has most of it",
            "crates/page/src/lib.rs:2: extern crate alloc: layers work without alloc",
        ]
    );
}

#[test]
fn only_source_and_abi_name_the_system() {
    let lib = "#![no_std]\n#[cfg(target_os = \"linux\")]\nfn f() { libc::getpid(); }";
    let found = judged("crates/thread", &[("lib.rs", lib)]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("lib.rs:2: target_os: only source/os"), "{found:?}");
    assert!(judged("crates/source", &[("lib.rs", lib)]).is_empty());
    assert!(judged("abi", &[("lib.rs", lib)]).is_empty());
}

#[test]
fn a_longer_word_is_another_word() {
    assert!(says("use std::vec;", "std::"));
    assert!(says("use ::std::vec;", "std::"));
    assert!(!says("use my_std::vec;", "std::"));
}

#[test]
fn no_module_escapes_the_reading() {
    let found = judged(
        "crates/page",
        &[("lib.rs", "#![no_std]\n#[path = \"odd.rs\"]\nmod even;"), ("odd.rs", "")],
    );
    assert_eq!(found, ["crates/page/src/lib.rs: no file for `mod even;` beside it"]);
}

#[test]
fn a_missing_lib_is_an_error() {
    let tree = Tree::new([("README.md".to_owned(), "")]);
    assert!(
        judge(tree.top(), &package("crates/page")).unwrap_err().contains("crates/page/src/lib.rs")
    );
}
