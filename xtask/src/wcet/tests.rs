use super::*;

#[test]
fn without_a_choice_all_targets_of_the_golden_file_are_searched() {
    let names = |line| -> Vec<_> {
        chosen(&crate::parsed(line).unwrap()).map(|named| named.name).collect()
    };
    assert_eq!(names(""), ["riscv64gc", "riscv64gc+zbb", "thumbv7m", "x86-64"]);
    assert_eq!(names("--target thumbv7m --target x86-64 --peers"), ["thumbv7m", "x86-64"]);
}

#[test]
fn the_table_has_the_limit_and_what_was_measured_beside_the_bound() {
    let found = Found { longest: 79, ..Found::default() };
    let entry = Entry { allocator: "tlsf".into(), name: "malloc".into(), found, notes: Vec::new() };
    let measured = BTreeMap::from([(("tlsf".to_owned(), "malloc".to_owned()), 77)]);
    let table = table("riscv64gc+zbb", &[entry], &measured).to_string();
    let row = table.lines().last().unwrap_or_default();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[1..], ["tlsf", "malloc", "79", "80", "77", "none", "none", "none", ""]);
}

#[test]
fn a_count_above_the_bound_is_of_older_code() {
    let entry = |longest, back_edges: &[(u64, u64)]| {
        let found =
            Found { longest, back_edges: back_edges.iter().copied().collect(), ..Found::default() };
        Entry { allocator: "tlsf".into(), name: "free".into(), found, notes: Vec::new() }
    };
    let measured = BTreeMap::from([(("tlsf".to_owned(), "free".to_owned()), 90)]);
    assert_eq!(stale("thumbv7m", &[entry(89, &[])], &measured).len(), 1);
    assert!(stale("thumbv7m", &[entry(90, &[])], &measured).is_empty());
    assert!(
        stale("thumbv7m", &[entry(50, &[(1, 1)])], &measured).is_empty(),
        "a loop has no bound"
    );
    assert_eq!(bound(&entry(50, &[(1, 1)]).found), "no bound (50 once round)");
}
