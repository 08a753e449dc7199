use super::*;
use crate::qemu::toolchain;
use crate::wcet::path::Found;

const NAMED: Named = Named { name: "riscv64gc", target: toolchain::RISCV64, golden: true };

fn entry(allocator: &str, longest: u64, back_edges: &[(u64, u64)]) -> Entry {
    let back_edges = back_edges.iter().copied().collect();
    let found = Found { longest, back_edges, ..Found::default() };
    let notes = vec!["jumps back at 0x1000 in f".to_owned()];
    Entry { allocator: allocator.to_owned(), name: "malloc".to_owned(), found, notes }
}

fn recorded(entries: &[Entry]) -> Golden {
    let mut golden = Golden::default();
    golden.set("riscv64gc", "rustc 1", entries);
    golden
}

#[test]
fn a_longer_path_is_refused_where_the_compiler_is_the_same() {
    let golden = recorded(&[entry("tlsf", 90, &[])]);
    let longer = [entry("tlsf", 91, &[])];
    let complaints = golden.complaints(&NAMED, "rustc 1", &longer);
    assert_eq!(complaints, ["riscv64gc: tlsf malloc: 91 instructions, golden file 90"]);
    assert!(golden.complaints(&NAMED, "rustc 2", &longer).is_empty());
    assert!(golden.complaints(&NAMED, "rustc 1", &[entry("tlsf", 89, &[])]).is_empty());
}

#[test]
fn the_limits_hold_for_every_compiler() {
    let golden = recorded(&[entry("tlsf", 111, &[])]);
    let complaints = golden.complaints(&NAMED, "rustc 2", &[entry("tlsf", 111, &[])]);
    assert_eq!(complaints, ["riscv64gc: tlsf malloc: 111 instructions, the limit is 110"]);
}

#[test]
fn tlsf_has_no_loop_whatever_the_file_says() {
    let looped = [entry("tlsf", 50, &[(0x1000, 0x1000)])];
    let complaints = recorded(&looped).complaints(&NAMED, "rustc 1", &looped);
    assert_eq!(
        complaints,
        ["riscv64gc: tlsf malloc must be free of loops: jumps back at 0x1000 in f"]
    );
}

#[test]
fn a_new_loop_elsewhere_is_refused_and_an_old_one_is_not() {
    let looped = [entry("firstfit", 50, &[(0x1000, 0x1000)])];
    assert!(recorded(&looped).complaints(&NAMED, "rustc 1", &looped).is_empty());
    let golden = recorded(&[entry("firstfit", 50, &[])]);
    let complaints = golden.complaints(&NAMED, "rustc 2", &looped);
    assert_eq!(
        complaints,
        ["riscv64gc: firstfit malloc: a loop became reachable: jumps back at 0x1000 in f"]
    );
}

#[test]
fn what_is_missing_on_either_side() {
    let golden = recorded(&[entry("tlsf", 50, &[])]);
    let complaints = golden.complaints(&NAMED, "rustc 1", &[entry("buddy", 50, &[])]);
    assert_eq!(
        complaints,
        [
            "riscv64gc: buddy malloc is not in the golden file (use --write)",
            "riscv64gc: tlsf malloc is gone from the probe",
        ]
    );
    let peers =
        golden.complaints(&NAMED, "rustc 1", &[entry("tlsf", 50, &[]), entry("rlsf", 999, &[])]);
    assert!(peers.is_empty(), "{peers:?}");
}

#[test]
fn the_file_reads_back_as_it_was_written() {
    let mut golden = recorded(&[entry("tlsf", 50, &[])]);
    golden.declared.insert("grow".to_owned(), 700);
    let text = toml::to_string(&golden).unwrap();
    let back: Golden = toml::from_str(&text).unwrap();
    assert_eq!(back.declared["grow"], 700);
    assert!(back.complaints(&NAMED, "rustc 1", &[entry("tlsf", 50, &[])]).is_empty());
}
