use super::boot::body;
use super::*;

fn run_of(bodies: &[(&str, u64)], passed: bool) -> Run {
    let bodies = bodies.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    Run { bodies, run: crate::qemu::machine::Run { passed, ..Default::default() } }
}

#[test]
fn the_kernels_lines_are_read_and_other_lines_are_not() {
    assert_eq!(body("memtest map 139055985 instructions"), Some(("map".to_owned(), 139_055_985)));
    assert_eq!(body("memtest map many instructions"), None);
    assert_eq!(body("arch = riscv64"), None);
}

#[test]
fn ours_must_not_take_more() {
    let shipped = run_of(&[("map", 5), ("all", 100)], true);
    assert!(compared("tlsf", &shipped, &run_of(&[("map", 9), ("all", 100)], true)));
    assert!(!compared("tlsf", &shipped, &run_of(&[("map", 1), ("all", 101)], true)));
    assert!(!compared("tlsf", &shipped, &run_of(&[("map", 1)], false)), "ours did not end");
    assert!(compared("tlsf", &run_of(&[], false), &run_of(&[("all", 7)], true)), "theirs did not");
}

#[test]
fn a_body_that_one_of_them_did_not_reach_is_a_dash() {
    let (shipped, ours) =
        (run_of(&[("map", 200)], false), run_of(&[("map", 100), ("all", 7)], true));
    let table = table(&shipped, &ours).to_string();
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows: Vec<_> = table.lines().skip(2).map(|line| cells(line).join(" ")).collect();
    assert_eq!(rows, [" map 200 100 0.500 ", " all - 7 - "], "{table}");
}

#[test]
fn the_copy_has_features_for_those_that_the_os_does_not_have() {
    let manifest = build::with_others("[features]\ntlsf = []\n\n[dependencies]\naxstd = \"1\"\n");
    assert!(manifest.starts_with("[features]\nsharded = [\"tlsf\", \"axallocator/sharded\"]\n"));
    assert!(manifest.contains("\ntlsf = []\n"), "{manifest}");
    assert!(manifest.ends_with("axstd = \"1\"\naxallocator = \"0.2\"\n"), "{manifest}");
}

#[test]
fn a_copy_leaves_alone_what_is_the_same_and_a_lock_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    std::fs::create_dir_all(from.join("src")).unwrap();
    let write = |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
    let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap();
    write("from/src/main.rs", "fn main() {}");
    write("from/Cargo.lock", "theirs");
    build::copy(&from, &to).unwrap();
    assert_eq!(read("to/src/main.rs"), "fn main() {}");
    let time = |path: &str| folder.path().join(path).metadata().unwrap().modified().unwrap();
    let before = time("to/src/main.rs");
    write("to/Cargo.lock", "patched");
    build::copy(&from, &to).unwrap();
    assert_eq!(time("to/src/main.rs"), before);
    assert_eq!(read("to/Cargo.lock"), "patched");
    write("from/src/main.rs", "fn main() { loop {} }");
    build::copy(&from, &to).unwrap();
    assert_eq!(read("to/src/main.rs"), "fn main() { loop {} }");
}
