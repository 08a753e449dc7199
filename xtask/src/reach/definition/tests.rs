use super::*;
use crate::peers::root;
use std::collections::BTreeSet;

#[test]
fn the_definitions_of_this_repository_load_and_have_distinct_names() {
    let all = load(&root().join("bench/reach")).unwrap_or_else(|why| panic!("{why}"));
    let names: BTreeSet<_> = all.iter().map(|d| &d.name).collect();
    assert_eq!(names.len(), all.len());
    assert_eq!(all.iter().filter(|d| d.real).count(), 5);
}

#[test]
fn every_probe_has_its_source() {
    for definition in load(&root().join("bench/reach")).unwrap_or_default() {
        if let Some(program) = &definition.program {
            let source = root().join("bench/programs").join(program).with_extension("c");
            assert!(source.exists(), "{}: no {}", definition.name, source.display());
            assert!(!definition.columns().is_empty(), "{} shows nothing", definition.name);
        }
    }
}
