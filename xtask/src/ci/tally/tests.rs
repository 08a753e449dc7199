use super::*;

fn said(log: &str, success: bool) -> Said {
    Said { name: "test".to_owned(), log: log.to_owned(), success }
}

const TWO: &str = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
    a line\n\
    test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";

#[test]
fn what_cargo_reports_is_added_up() {
    let mut tally = Tally::default();
    assert!(tally.add(&said(TWO, false)));
    assert_eq!(tally, Tally { passed: 15, failed: 2, ignored: 1 });
    let line = tally.line(Duration::from_secs(7));
    assert_eq!(
        line,
        "test result: FAILED. 15 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 7.00s"
    );
}

#[test]
fn a_step_without_tests_is_one() {
    for (log, success, counts) in [
        ("all is well\n", true, (1, 0, 0)),
        ("ci test: skipped: no compiler\n", true, (0, 0, 1)),
        ("error: it does not compile\n", false, (0, 1, 0)),
        (
            "test result: ok. 4 passed; 0 failed; 0 ignored\nerror: one did not compile\n",
            false,
            (4, 1, 0),
        ),
    ] {
        let mut tally = Tally::default();
        tally.add(&said(log, success));
        assert_eq!((tally.passed, tally.failed, tally.ignored), counts, "{log}");
    }
}

#[test]
fn a_failure_is_told_in_few_lines() {
    let mut log = "failures:\n".to_owned();
    for line in 0..1000 {
        log += &format!("line {line}\n");
    }
    log += TWO;
    let told = said(&log, false).why();
    assert!(told.contains("line 7\n") && told.contains("a line\n"), "{told}");
    assert!(told.lines().count() <= MOST + LAST + 2);
}

#[test]
fn of_a_test_that_printed_much_its_end_is_told() {
    let mut log = "failures:\n\n---- drop_ins::superslab stdout ----\n".to_owned();
    for line in 0..500 {
        log += &format!("program {line}: ok\n");
    }
    log += "panicked: thread_phases\n\n---- other stdout ----\npanicked: other\n\nfailures:\n    other\n";
    let told = said(&log, false).why();
    for part in ["---- drop_ins::superslab", "panicked: thread_phases", "panicked: other"] {
        assert!(told.contains(part), "{part} is missing:\n{told}");
    }
}
