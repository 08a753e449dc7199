use super::*;

fn of(line: &str) -> Result<Options, clap::Error> {
    crate::parsed(line)
}

#[test]
fn the_command_line() {
    let usual = of("").unwrap();
    assert_eq!((usual.minutes, usual.only.len()), (2.0, 0));
    let one = of("--only fork --only exit --seed 7").unwrap();
    assert_eq!((one.only, one.seed), (vec!["fork".to_owned(), "exit".to_owned()], Some(7)));
}

#[test]
fn every_storm_says_what_it_does() {
    assert!(STORMS.len() >= 14 && STORMS.iter().all(|storm| storm.what.len() > 40), "{STORMS:?}");
}

#[test]
fn a_cycle_has_every_storm_once_and_one_run_is_repeated_by_its_seed() {
    let all: Vec<&'static Storm> = STORMS.iter().collect();
    let first: Vec<Run> = plan::runs(42, &all, true).take(2 * all.len()).collect();
    for cycle in first.chunks(all.len()) {
        let mut names: Vec<_> = cycle.iter().map(|run| run.storm.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
    }
    for run in &first {
        let again = plan::runs(run.seed, &[run.storm], true).next().unwrap();
        assert_eq!(
            (again.seed, again.environment, again.one_cpu),
            (run.seed, run.environment, run.one_cpu)
        );
    }
    let environments =
        first.iter().map(|run| run.environment).collect::<std::collections::BTreeSet<_>>();
    assert!(environments.len() > 3, "{environments:?}");
    assert!(plan::runs(42, &all, false).take(20).all(|run| run.environment.is_none()));
}

#[test]
fn all_storms_fit_into_two_minutes() {
    let each = plan::seconds_each(120.0, STORMS.len());
    assert!((5.0..9.0).contains(&each), "{each}");
    assert_eq!(plan::seconds_each(3600.0, STORMS.len()), 20.0);
}

#[test]
fn what_a_storm_did_is_summed() {
    let counts = tally::counts(
        "rounds 7, forks 267, refused children 5; resident 1 of 2 KiB, mappings 3 of 4",
    );
    let expected = [("rounds", 7), ("forks", 267), ("refused children", 5)];
    assert_eq!(counts, expected.map(|(name, count)| (name.to_owned(), count)));
}

#[test]
fn a_process_group_is_read_from_its_line() {
    assert_eq!(watch::group_of("12 (a) b (c)) S 1 77 3"), Some(77));
    assert_eq!(watch::group_of("12 (a) Z 1 77 3"), None);
    assert_eq!(watch::group_of(""), None);
}

/// A shell that may be silent for a while, as on a busy machine.
fn watched(script: &str) -> watch::Watched {
    watched_for(script, Duration::from_secs(120), watch::SETTLE)
}

fn watched_for(script: &str, limit: Duration, settle: Duration) -> watch::Watched {
    let mut shell = Command::new("/bin/sh");
    watch::watch(shell.args(["-c", script]), limit, settle).unwrap()
}

#[test]
fn endings_are_told_apart() {
    let good = watched("echo beat; echo 'did: forks 3'");
    assert_eq!((good.ending, good.did.as_deref()), (Ending::Passed, Some("forks 3")));
    assert_eq!(watched("echo not here; exit 77").ending, Ending::Skipped);
    let fails = |watched: watch::Watched, says: &str| match watched.ending {
        Ending::Failed(why) => assert!(why.contains(says), "{why}"),
        other => panic!("{says}: {other:?}"),
    };
    let failed = |script: &str, says: &str| fails(watched(script), says);
    failed("echo the reason; exit 1", "the reason");
    failed("kill -SEGV $$", "signal: 11");
    failed("echo beat", "before its time");
    failed("echo 'did: x 1'; echo 'heapwright: broken' >&2", "heapwright: broken");
    fails(watched_for("exec sleep 1000", Duration::from_millis(500), watch::SETTLE), "HUNG");
}

#[test]
fn nothing_of_a_run_is_left() {
    // It does not end by itself, whatever time it has to.
    let script = "sleep 1000 & echo $!; echo 'did: x 1'";
    let left = watched_for(script, Duration::from_secs(120), Duration::ZERO);
    let Ending::Failed(why) = &left.ending else { panic!("{:?}", left.ending) };
    assert!(why.contains("left processes behind"), "{why}");
    let id = left.last_line();
    let gone = |_: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        watch::group_of(&stat).is_none()
    };
    // Killed, and off as soon as the system comes to it.
    let waited = (0..10_000).find(|n| {
        gone(n) || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    });
    assert!(waited.is_some(), "process {id} lives");
}
