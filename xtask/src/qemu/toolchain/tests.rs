use super::*;

#[test]
fn the_program_is_the_workspaces_own_and_not_a_build_script() {
    let top = crate::peers::root();
    let manifest = top.join("Cargo.toml");
    let inside = top.canonicalize().unwrap().join("kernel/Cargo.toml");
    let messages = format!(
        "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/elsewhere/Cargo.toml\",\"executable\":\"/x\"}}\n\
         {{\"reason\":\"compiler-artifact\",\"manifest_path\":{0:?},\"executable\":\"/kernel\",\"filenames\":[]}}\n\
         {{\"reason\":\"compiler-artifact\",\"manifest_path\":{0:?},\"executable\":null,\"filenames\":[\"/l.rlib\"]}}\n\
         not JSON\n{{\"reason\":\"build-finished\"}}\n",
        inside
    );
    assert_eq!(produced(&messages, &manifest), Some(PathBuf::from("/kernel")));
}

#[test]
fn a_static_library_counts_where_there_is_no_program() {
    let top = crate::peers::root();
    let inside = top.canonicalize().unwrap().join("lib/Cargo.toml");
    let messages = format!(
        "{{\"reason\":\"compiler-artifact\",\"manifest_path\":{inside:?},\"executable\":null,\
         \"filenames\":[\"/l.rlib\",\"/l.a\"]}}"
    );
    assert_eq!(produced(&messages, &top.join("Cargo.toml")), Some(PathBuf::from("/l.a")));
    assert_eq!(produced("", &top.join("Cargo.toml")), None);
}

#[test]
fn a_folder_tells_features_apart() {
    assert_ne!(RISCV64.folder(), RISCV64_ZBB.folder());
}
