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
    let words = |words: &[&str]| parse(&words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>());
    let options = words(&["aarch64", "--page-size", "65536", "valloc"]).expect("known");
    assert_eq!(options.ports.len(), 1);
    assert_eq!(
        (options.pages, options.filters),
        (vec!["65536".to_owned()], vec!["valloc".to_owned()])
    );
    assert_eq!(words(&[]).expect("known").ports.len(), PORTS.len());
    assert!(words(&["musl", "--page-size", "65536"]).is_err(), "musl runs on this machine's pages");
    assert!(words(&["--page-size"]).is_err());
    assert!(words(&["--none"]).is_err());
}
