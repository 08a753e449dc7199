use super::*;

#[test]
fn a_run_is_counted() {
    let said = "\nrunning 4 tests\nfree_null: ok on heapwright in 0.01 s \n..valloc: FAILED on heapwright in 2.10 s \n\
                seccomp: skipped on heapwright: no ptrace\nrlimit_as: skipped on heapwright in 0.10 s no such limit\n\
                valloc: ok on heapwright with HEAPWRIGHT=safe=1 in 0.01 s \n";
    let tally = Tally::read(said, "why", false);
    assert!(!tally.is_well());
    let shown = tally.shown("musl", None);
    assert!(shown.contains("skipped seccomp: no ptrace\n"), "{shown}");
    assert!(shown.contains("skipped rlimit_as: no such limit\n"), "{shown}");
    assert!(shown.contains("why\nfailed valloc\n"), "{shown}");
    assert!(shown.ends_with("musl: 2 passed, 1 failed, 2 skipped"), "{shown}");
}

#[test]
fn a_run_without_programs_is_not_well() {
    assert!(!Tally::read("running 0 tests\n", "", true).is_well());
}

#[test]
fn ports_and_pages_are_chosen_by_name() {
    let of = |line| crate::parsed::<Options>(line).map_err(|e| e.to_string());
    let options = of("aarch64 --page-size 65536 valloc").unwrap();
    let (ports, filters) = options.ports().unwrap();
    assert_eq!((ports.len(), filters), (1, vec!["valloc"]));
    assert_eq!(of("").unwrap().ports().unwrap().0.len(), PORTS.len());
    let musl = of("musl --page-size 65536").unwrap();
    assert!(musl.ports().is_err(), "musl runs on this machine's pages");
}
